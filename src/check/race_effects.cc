#include <algorithm>
#include <map>
#include <set>

#include "check/race_report.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

// More reads than this in races: torn groups are not looked for.
constexpr size_t kMaxReads = 256;

class EffectFinder {
 public:
  EffectFinder(const Analysis& analysis, const std::vector<Found>& found)
      : in_(analysis), found_(found) {
    for (const Pair& pair : in_.pairs) {
      if (pair.before) Later(pair.a, pair.b);
      if (pair.after) Later(pair.b, pair.a);
    }
  }

  std::vector<RaceEffect> Run() {
    std::vector<RaceEffect> effects;
    for (const Found& one : found_) effects.push_back(Effect(one));
    MarkTornGroups(&effects);
    return effects;
  }

 private:
  const Access& First(const Found& one) const { return in_.accesses[in_.pairs[one.pair].a]; }
  const Access& Second(const Found& one) const { return in_.accesses[in_.pairs[one.pair].b]; }
  const Access& Read(const Found& one) const {
    return First(one).what.kind == AccessKind::kRead ? First(one) : Second(one);
  }
  const Access& Write(const Found& one) const {
    return First(one).what.kind == AccessKind::kRead ? Second(one) : First(one);
  }

  void Later(int from, int to) {
    if (in_.accesses[to].what.kind == AccessKind::kWrite) overwritten_after_[from].push_back(to);
  }

  // Whether each waits for the other to end, and takes what comes next: numbers, counts.
  static bool InTurn(const Access& a, const Access& b) {
    const auto whole = [](const Access& access) {
      return access.what.in_turn || access.what.kind == AccessKind::kAccumulate;
    };
    return (a.what.in_turn || b.what.in_turn) && whole(a) && whole(b);
  }

  RaceEffect Effect(const Found& one) const {
    if (one.conflict != Conflict::kRace) {
      return one.conflict == Conflict::kRounding ? RaceEffect::kRounding : RaceEffect::kLostUpdate;
    }
    const Object& object = in_.values.objects[First(one).object];
    const bool reads =
        First(one).what.kind == AccessKind::kRead || Second(one).what.kind == AccessKind::kRead;
    if (!reads) {
      const bool mixes = object.kind != Object::Kind::kVariable || InTurn(First(one), Second(one));
      return mixes ? RaceEffect::kMixedOrder : RaceEffect::kLostUpdate;
    }
    // What was read goes into a later assignment of the same variable, over the other's write.
    const Pair& pair = in_.pairs[one.pair];
    const int read = First(one).what.kind == AccessKind::kRead ? pair.a : pair.b;
    const int write = read == pair.a ? pair.b : pair.a;
    const auto later = overwritten_after_.find(read);
    if (later != overwritten_after_.end()) {
      for (int overwrite : later->second) {
        if (overwrite != write || one.over != RaceScope::kRun) return RaceEffect::kLostUpdate;
      }
    }
    return RaceEffect::kStaleRead;
  }

  // The nodes that take what `node` gives, directly or through others; by data edges alone, or all.
  std::set<int> Users(int node, bool data) const {
    std::set<int> seen;
    std::vector<int> open{node};
    while (!open.empty()) {
      const int next = open.back();
      open.pop_back();
      for (const Edge& edge : in_.flat.successors[next]) {
        if (data && edge.output < 0) continue;
        if (seen.insert(edge.from).second) open.push_back(edge.from);
      }
    }
    return seen;
  }

  // The nodes that `node` is made from, but handles and constants.
  std::set<int> Sources(int node) const {
    std::set<int> seen;
    std::vector<int> open{node};
    while (!open.empty()) {
      const int next = open.back();
      open.pop_back();
      for (const auto* edges : {&in_.flat.nodes[next].inputs, &in_.flat.nodes[next].controls}) {
        for (const Edge& edge : *edges) {
          const FlatNode& from = in_.flat.nodes[edge.from];
          if (from.kind == FlatNode::Kind::kOp && from.inputs.empty() && from.controls.empty() &&
              !from.def->op().starts_with("Placeholder")) {
            continue;
          }
          if (seen.insert(edge.from).second) open.push_back(edge.from);
        }
      }
    }
    return seen;
  }

  static bool Meet(const std::set<int>& a, const std::set<int>& b) {
    return std::any_of(a.begin(), a.end(), [&](int node) { return b.contains(node); });
  }

  // Variables that are written together, and read together by somebody who may come between.
  void MarkTornGroups(std::vector<RaceEffect>* effects) {
    std::vector<size_t> stale;
    for (size_t i = 0; i < found_.size(); ++i) {
      if ((*effects)[i] == RaceEffect::kStaleRead && found_[i].over == RaceScope::kRun) {
        stale.push_back(i);
      }
    }
    if (stale.size() > kMaxReads) return;
    std::map<int, std::set<int>> users, done, sources;
    for (size_t i : stale) {
      const int read = Read(found_[i]).node, write = Write(found_[i]).node;
      if (!users.contains(read)) users[read] = Users(read, true);
      users[read].insert(read);
      if (!done.contains(write)) done[write] = Users(write, false);
      if (!sources.contains(write)) sources[write] = Sources(write);
    }
    for (size_t i : stale) {
      for (size_t k : stale) {
        const Access& read = Read(found_[i]);
        const Access& other = Read(found_[k]);
        const int write = Write(found_[i]).node, with = Write(found_[k]).node;
        if (read.object == other.object || !Meet(users[read.node], users[other.node])) continue;
        if (write == with || Meet(done[write], done[with]) || Meet(sources[write], sources[with])) {
          (*effects)[i] = RaceEffect::kTornGroup;
        }
      }
    }
  }

  const Analysis& in_;
  const std::vector<Found>& found_;
  std::map<int, std::vector<int>> overwritten_after_;  // by access
};

}  // namespace

std::vector<RaceEffect> EffectsOf(const Analysis& analysis, const std::vector<Found>& found) {
  return EffectFinder(analysis, found).Run();
}

}  // namespace lockstep::check
