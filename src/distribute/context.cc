#include "distribute/context.h"

#include <vector>

#include "distribute/distributed_variable.h"

namespace lockstep {

namespace distribute {
namespace {

struct Frame {
  Strategy* strategy;
  ReplicaContext* replica;  // nullptr: cross-replica
};

thread_local std::vector<Frame> frames;

class DefaultStrategy : public Strategy {
 public:
  DefaultStrategy() : Strategy("default", 1, 1, 0) {}
};

// Variables of the default strategy are plain ones.
Strategy& Default() {
  static DefaultStrategy strategy;
  return strategy;
}

bool IsDefault(const Strategy& strategy) { return &strategy == &Default(); }

}  // namespace

CrossReplicaScope::CrossReplicaScope(Strategy& strategy)
    : team_(strategy.team()),
      creator_(IsDefault(strategy) ? nullptr : MakeVariableCreator(strategy)),
      creating_(creator_.get()),
      no_replica_(-1) {
  frames.push_back({&strategy, nullptr});
}
CrossReplicaScope::~CrossReplicaScope() { frames.pop_back(); }

ReplicaScope::ReplicaScope(Strategy& strategy, int replica, Meeter* meeter,
                           runtime::VariableCreator* creator)
    : context_(strategy, meeter),
      team_(strategy.team()),
      creating_(IsDefault(strategy) ? nullptr : creator),
      number_(replica) {
  frames.push_back({&strategy, &context_});
}
ReplicaScope::~ReplicaScope() { frames.pop_back(); }

void RequireCrossReplica(const char* where) {
  if (frames.empty() || frames.back().replica == nullptr) return;
  throw Error(Code::kFailedPrecondition,
              std::string("[") + where +
                  "] this runs once for all replicas; got a call inside of a replica of " +
                  frames.back().strategy->name() +
                  "; call it around Run, or in "
                  "GetReplicaContext()->MergeCall(...)");
}

void RequireStrategy(const std::string& where, uint64_t id, const std::string& name) {
  if (frames.empty() || frames.back().strategy->id() == id) return;
  throw Error(Code::kFailedPrecondition, "[" + where + "] mixing different strategies: " + name +
                                             " owns it; got the scope of " +
                                             frames.back().strategy->name() +
                                             "; use it in the scope of the strategy in which "
                                             "it was made, or make both under one strategy");
}

}  // namespace distribute

struct Strategy::Scope::State {
  explicit State(Strategy& strategy) : scope(strategy) {}
  distribute::CrossReplicaScope scope;
};

Strategy::Scope::Scope(Strategy& strategy) {
  const auto& frames = distribute::frames;
  if (!frames.empty() && frames.back().strategy != &strategy) {
    throw Error(
        Code::kFailedPrecondition,
        "[strategy] the scopes of two strategies must not be mixed; got " + strategy.name() +
            " inside of " + frames.back().strategy->name() +
            "; leave the outer scope first: { auto scope = " + frames.back().strategy->name() +
            ".scope(); ... } { auto scope = " + strategy.name() + ".scope(); ... }");
  }
  distribute::RequireCrossReplica("strategy.scope");
  state_ = std::make_unique<State>(strategy);
}

Strategy::Scope::~Scope() = default;

Strategy& GetStrategy() {
  return distribute::frames.empty() ? distribute::Default() : *distribute::frames.back().strategy;
}

bool HasStrategy() { return !distribute::frames.empty(); }

ReplicaContext* GetReplicaContext() {
  if (!distribute::frames.empty()) return distribute::frames.back().replica;
  static ReplicaContext alone(distribute::Default(), nullptr);
  return &alone;
}

bool InCrossReplicaContext() { return GetReplicaContext() == nullptr; }

}  // namespace lockstep
