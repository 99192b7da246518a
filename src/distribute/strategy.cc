#include "lockstep/distribute/strategy.h"

#include "base/cores.h"
#include "base/team.h"
#include "runtime/devices.h"

namespace lockstep {

namespace {

thread_local std::vector<Strategy*> open;

class DefaultStrategy : public Strategy {
 public:
  DefaultStrategy() : Strategy("default", 1, 1, 1) {}
};

int Positive(int value, const char* what) {
  if (value < 1) {
    throw Error(Code::kInvalidArgument, std::string("[strategy] ") + what +
                                            " must be at least 1; got " + std::to_string(value));
  }
  return value;
}

}  // namespace

Strategy::Strategy(std::string name, int replicas, int devices, int threads_per_device)
    : name_(std::move(name)),
      replicas_(Positive(replicas, "the number of replicas")),
      devices_(Positive(devices, "the number of devices")),
      team_(std::make_unique<base::Team>(devices *
                                         Positive(threads_per_device, "threads a device"))) {}

Strategy::~Strategy() = default;

MirroredStrategy::MirroredStrategy(const MirroredOptions& options)
    : Strategy("mirrored", options.replicas, options.devices == 0 ? base::Cores() : options.devices,
               options.threads_per_device) {}

OneDeviceStrategy::OneDeviceStrategy(int threads) : Strategy("one_device", 1, 1, threads) {}

struct Strategy::Scope::State {
  explicit State(Strategy& strategy) : team(strategy.team()) {}
  runtime::TeamScope team;
};

Strategy::Scope::Scope(Strategy& strategy) {
  if (!open.empty() && open.back() != &strategy) {
    throw Error(Code::kFailedPrecondition,
                "[strategy] the scopes of two strategies must not be mixed; got " +
                    strategy.name() + " inside " + open.back()->name() +
                    "; leave the outer scope first");
  }
  open.push_back(&strategy);
  state_ = std::make_unique<State>(strategy);
}

Strategy::Scope::~Scope() {
  state_.reset();
  open.pop_back();
}

Strategy& GetStrategy() {
  if (!open.empty()) return *open.back();
  static DefaultStrategy strategy;
  return strategy;
}

bool HasStrategy() { return !open.empty(); }

}  // namespace lockstep
