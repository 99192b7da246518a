#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "check/added_order.h"
#include "check/race_report.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

// More races of one variable than this: each gets an edge of its own.
constexpr size_t kMaxShared = 200;

class CureFinder {
 public:
  CureFinder(const Analysis& analysis, const std::vector<Found>& found)
      : in_(analysis), found_(found) {
    for (const Access& late : in_.accesses) {
      if (late.through >= 0) used_later_.insert({late.through, late.object});
    }
    for (const Pair& pair : in_.pairs) {
      if (pair.before) before_[{pair.a, pair.b}] = true;
      if (pair.after) before_[{pair.b, pair.a}] = true;
    }
  }

  std::vector<RaceCure> Run() {
    std::vector<RaceCure> cures(found_.size());
    WithinRun(&cures);
    for (size_t i = 0; i < found_.size(); ++i) {
      searches_ = found_[i].over == RaceScope::kIterations ? searches_ + 1 : searches_;
      if (found_[i].over == RaceScope::kIterations)
        cures[i] = AcrossIterations(found_[i], found_[i].loop);
      if (found_[i].over == RaceScope::kReplicas) cures[i] = AcrossReplicas(found_[i]);
      for (int loop : found_[i].also) {
        const RaceCure more = AcrossIterations(found_[i], loop);
        // The edge to the inner loop's next iteration is there already.
        cures[i].text += ", and " + (more.also.empty() ? more.text : EdgeText(more.from, more.to));
        cures[i].also.emplace_back(more.from, more.to);
      }
    }
    return cures;
  }

 private:
  using AccessEdge = std::pair<int, int>;
  // Of flat nodes, where a control edge may be put.
  struct NodeEdge {
    int from, to;
    int next = -1, also = -1;  // `next` to `also` is needed, too
  };

  // Edges that can be put in together: none leads against another one, or against what the graph
  // orders already. A race that an edge before it cures, too, names that one.
  void WithinRun(std::vector<RaceCure>* cures) const {
    std::map<int, std::vector<int>> by_object;
    std::vector<int> races;
    for (size_t i = 0; i < found_.size(); ++i) {
      if (found_[i].over != RaceScope::kRun) continue;
      races.push_back(static_cast<int>(i));
      by_object[in_.accesses[in_.pairs[found_[i].pair].a].object].push_back(static_cast<int>(i));
    }
    std::map<int, AccessEdge> best;
    std::vector<int> nodes;
    for (int i : races) {
      best[i] = Best(i, by_object[in_.accesses[in_.pairs[found_[i].pair].a].object]);
      for (const AccessEdge& edge : {best[i], Reversed(best[i])}) {
        const NodeEdge placed = Placed(edge);
        nodes.insert(nodes.end(), {placed.from, placed.to, NodeOf(edge.first)});
      }
      const Pair& pair = in_.pairs[found_[i].pair];
      nodes.insert(nodes.end(), {NodeOf(pair.a), NodeOf(pair.b)});
    }
    if (races.size() > kMaxShared) {
      for (int i : races) (*cures)[i] = Named(Placed(best[i]));
      return;
    }
    AddedOrder order(in_.flat, in_.order, nodes);
    std::vector<char> cured(found_.size());
    for (int i : races) {
      if (cured[i]) continue;
      NodeEdge edge = Placed(best[i]);
      if (order.Before(edge.to, edge.from) || Leads(edge.to, edge.from))
        edge = Placed(Reversed(best[i]));
      order.Add(edge.from, edge.to);
      (*cures)[i] = Named(edge);
      cured[i] = true;
      for (int k : races) {
        const Pair& pair = in_.pairs[found_[k].pair];
        const int a = NodeOf(pair.a), b = NodeOf(pair.b);
        if (cured[k] || !(order.Before(a, b) || order.Before(b, a))) continue;
        (*cures)[k] = (*cures)[i];
        cured[k] = true;
      }
    }
  }

  // Whether edges lead from one node to another, be it through branches that may not be taken: an
  // edge back would close a cycle.
  bool Leads(int from, int to) const {
    std::vector<int> open{from};
    std::vector<char> seen(in_.flat.nodes.size());
    for (size_t i = 0; i < open.size(); ++i) {
      for (const Edge& edge : in_.flat.successors[open[i]]) {
        if (edge.loop >= 0 || seen[edge.from]) continue;
        if (edge.from == to) return true;
        seen[edge.from] = true;
        open.push_back(edge.from);
      }
    }
    return false;
  }

  int NodeOf(int access) const { return in_.accesses[access].node; }
  static AccessEdge Reversed(const AccessEdge& edge) { return {edge.second, edge.first}; }

  // The two accesses in an order that contradicts no edge, and otherwise that of the text.
  AccessEdge Oriented(const Found& one) const {
    const Pair& pair = in_.pairs[one.pair];
    const Access& a = in_.accesses[pair.a];
    const Access& b = in_.accesses[pair.b];
    // What was read is used later, so that an edge from the read alone would not do.
    if (UsedLater(a)) return {pair.b, pair.a};
    if (UsedLater(b)) return {pair.a, pair.b};
    if (a.through >= 0) return {pair.a, pair.b};
    if (b.through >= 0) return {pair.b, pair.a};
    const std::vector<int>& rank = in_.flat.rank;
    const AccessEdge forward =
        rank[a.node] < rank[b.node] ? AccessEdge{pair.a, pair.b} : AccessEdge{pair.b, pair.a};
    return !Leaves(forward) && Leaves(Reversed(forward)) ? Reversed(forward) : forward;
  }

  // Whether the second may wait for the first, or for what comes out of its branch.
  bool Leaves(const AccessEdge& edge) const {
    const int from = NodeOf(edge.first), to = NodeOf(edge.second);
    if (in_.flat.nodes[from].scope != CommonScope(from, to)) return true;
    return MayWait(from, to) || LeavingFrom(from, to) != from;
  }

  bool UsedLater(const Access& read) const {
    if (read.what.kind != AccessKind::kRead || read.through >= 0) return false;
    return used_later_.contains({read.node, read.object});
  }

  bool NotAfter(int a, int b) const { return a == b || before_.contains({a, b}); }
  bool Cures(const AccessEdge& edge, const AccessEdge& race) const {
    return (NotAfter(race.first, edge.first) && NotAfter(edge.second, race.second)) ||
           (NotAfter(race.second, edge.first) && NotAfter(edge.second, race.first));
  }

  // Of all edges that cure race `i` the one that cures most others, too.
  AccessEdge Best(int i, const std::vector<int>& all) const {
    const AccessEdge own = Oriented(found_[i]);
    if (all.size() > kMaxShared) return own;
    AccessEdge best = own;
    int most = 0;
    for (int k : all) {
      const AccessEdge edge = Oriented(found_[k]);
      if (!Cures(edge, own)) continue;
      int cured = 0;
      for (int other : all) cured += Cures(edge, Oriented(found_[other]));
      if (cured > most || (cured == most && edge == own)) {
        most = cured;
        best = edge;
      }
    }
    return best;
  }

  // `node`, or where the call around it that stands in `scope` begins or ends.
  int StandingIn(int scope, int node, bool end) const {
    int inside = in_.flat.nodes[node].scope;
    if (inside == scope) return node;
    while (in_.flat.scopes[inside].parent != scope) inside = in_.flat.scopes[inside].parent;
    return end ? in_.flat.scopes[inside].end : in_.flat.scopes[inside].begin;
  }

  int CommonScope(int a, int b) const {
    const auto around = [&](int node) {
      std::vector<int> scopes;
      for (int scope = in_.flat.nodes[node].scope; scope >= 0;
           scope = in_.flat.scopes[scope].parent) {
        scopes.push_back(scope);
      }
      return scopes;
    };
    const std::vector<int> one = around(a), other = around(b);
    for (int scope : one) {
      if (std::find(other.begin(), other.end(), scope) != other.end()) return scope;
    }
    return 0;
  }

  static std::string Quoted(const std::string& name) { return "\"" + name + "\""; }

  bool Within(const std::vector<int>& outer, const std::vector<int>& inner) const {
    return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
  }
  // The loops in which a node's values are there: an Exit's are behind its own loop.
  std::vector<int> LoopsBehind(int node) const {
    std::vector<int> loops = in_.flat.LoopsOf(node);
    if (IsOp(in_.flat.nodes[node], {"Exit", "RefExit"}) && !loops.empty()) loops.pop_back();
    return loops;
  }
  // Whether `to` may wait for `from`: it is in the same loops and branches of version 1, or deeper.
  bool MayWait(int from, int to) const {
    if (!Within(LoopsBehind(from), in_.flat.LoopsOf(to))) return false;
    const auto& given = in_.conditions.Of(to);
    const auto& needed = in_.conditions.Of(from);
    return std::all_of(needed.begin(), needed.end(), [&](const Literal& literal) {
      return std::find(given.begin(), given.end(), literal) != given.end();
    });
  }

  // The first node behind `from` that `to` may wait for: the Merge or Exit behind a branch or loop
  // of version 1.
  int LeavingFrom(int from, int to) const {
    std::vector<int> open{from};
    std::vector<char> seen(in_.flat.nodes.size());
    for (size_t i = 0; i < open.size(); ++i) {
      const FlatNode& node = in_.flat.nodes[open[i]];
      const bool own = node.kind == FlatNode::Kind::kOp && node.scope == in_.flat.nodes[from].scope;
      if (own && open[i] != to && MayWait(open[i], to)) return open[i];
      for (const Edge& edge : in_.flat.successors[open[i]]) {
        if (!seen[edge.from]) open.push_back(edge.from);
        seen[edge.from] = true;
      }
    }
    return from;
  }

  // `to`, or the Enter of version 1 that lets its loop in.
  int EnteringAt(int from, int to) const {
    if (in_.flat.LoopsOf(to) == in_.flat.LoopsOf(from)) return to;
    std::vector<int> open{to};
    std::vector<char> seen(in_.flat.nodes.size());
    for (size_t i = 0; i < open.size(); ++i) {
      const FlatNode& node = in_.flat.nodes[open[i]];
      const bool own = node.kind == FlatNode::Kind::kOp;
      if (own && (node.def->op() == "Enter" || node.def->op() == "RefEnter")) return open[i];
      for (const auto* edges : {&node.inputs, &node.controls}) {
        for (const Edge& edge : *edges) {
          if (!seen[edge.from]) open.push_back(edge.from);
          seen[edge.from] = true;
        }
      }
    }
    return to;
  }

  NodeEdge Placed(const AccessEdge& edge) const {
    int from = NodeOf(edge.first), to = NodeOf(edge.second);
    // Who held the lock while it waits for another section would wait for ever.
    const auto [one, other] = in_.locks.Between(edge.first, edge.second);
    if (one != other) {
      from = one->consumer;
      to = other->lock;
    } else if (const Section* section = in_.locks.Around(edge.second); section != nullptr) {
      const std::vector<char> blocked(in_.flat.loops.size(), true);
      const auto inside = in_.order.After(std::vector<int>{section->lock}, blocked, -1, 0);
      if (!(inside[from] & 1)) to = section->lock;
    }
    const int scope = CommonScope(from, to);
    if (in_.flat.nodes[from].scope == scope) {
      const int leaving = LeavingFrom(from, to);
      if (leaving == from && !MayWait(from, to)) {
        if (const auto edge = OutOfLoop(from, to)) return *edge;
      }
      from = leaving;
    }
    if (in_.flat.nodes[to].scope == scope) to = EnteringAt(from, to);
    return {StandingIn(scope, from, true), StandingIn(scope, to, false)};
  }

  // For a node in a loop of version 1 that nothing outside waits for: an edge from an Exit, and one
  // to what the next iteration waits for.
  std::optional<NodeEdge> OutOfLoop(int from, int to) const {
    const std::vector<char> blocked(in_.flat.loops.size(), true);
    const int exit = ExitOf(from, to), next = NextOf(in_.flat.nodes[from].loop);
    if (exit < 0 || next < 0) return std::nullopt;
    const bool waits = in_.order.After(std::vector<int>{exit}, blocked, -1, 0)[to] & 1;
    return waits ? NodeEdge{from, next} : NodeEdge{exit, to, from, next};
  }

  // An Exit of a loop around `from` that `to` may wait for; -1 where there is none.
  int ExitOf(int from, int to) const {
    for (int exit : in_.flat.order) {
      const FlatNode& node = in_.flat.nodes[exit];
      if (IsOp(node, {"Exit", "RefExit"}) &&
          in_.flat.Around(node.loop, in_.flat.nodes[from].loop) && MayWait(exit, to)) {
        return exit;
      }
    }
    return -1;
  }

  // A NextIteration of a loop that its condition waits for, or else any; -1 where there is none.
  int NextOf(int loop) const {
    const std::vector<char> blocked(in_.flat.loops.size(), true);
    int any = -1;
    for (size_t merge = 0; merge < in_.flat.nodes.size(); ++merge) {
      for (const Edge& edge : in_.flat.nodes[merge].inputs) {
        if (edge.loop != loop ||
            !IsOp(in_.flat.nodes[edge.from], {"NextIteration", "RefNextIteration"}))
          continue;
        any = any < 0 ? edge.from : any;
        const auto after =
            in_.order.After(std::vector<int>{static_cast<int>(merge)}, blocked, -1, 0);
        for (size_t i = 0; i < after.size(); ++i) {
          const FlatNode& node = in_.flat.nodes[i];
          if ((after[i] & 1) && node.loop == loop && IsOp(node, {"LoopCond"})) return edge.from;
        }
      }
    }
    return any;
  }

  static std::string EdgeText(const std::string& from, const std::string& to) {
    return "a control edge from " + Quoted(from) + " to " + Quoted(to);
  }

  RaceCure Named(const NodeEdge& edge) const {
    RaceCure cure{in_.flat.NameOf(edge.from), in_.flat.NameOf(edge.to), ""};
    cure.text = EdgeText(cure.from, cure.to);
    if (edge.next < 0) return cure;
    const auto& [from, to] =
        cure.also.emplace_back(in_.flat.NameOf(edge.next), in_.flat.NameOf(edge.also));
    cure.text += ", and one from " + Quoted(from) + " to " + Quoted(to);
    return cure;
  }

  // The edge goes to what hands a value to the next iteration.
  RaceCure AcrossIterations(const Found& one, int loop) const {
    const Pair& pair = in_.pairs[one.pair];
    const std::vector<char> blocked(in_.flat.loops.size(), true);
    const int a = in_.accesses[pair.a].node, b = in_.accesses[pair.b].node;
    const int last = in_.flat.rank[a] < in_.flat.rank[b] ? b : a, first = last == a ? b : a;
    for (size_t i = 0; i < in_.flat.nodes.size() && searches_ <= kMaxShared; ++i) {
      for (const Edge& edge : in_.flat.nodes[i].inputs) {
        if (edge.loop != loop) continue;
        if (in_.flat.nodes[edge.from].kind != FlatNode::Kind::kOp) continue;
        const auto before = in_.order.After(std::vector<int>{edge.from}, blocked, -1, 0);
        const auto after = in_.order.After(std::vector<int>{static_cast<int>(i)}, blocked, -1, 0);
        if ((before[last] & 1) || !(after[first] & 1)) continue;
        int from = StandingIn(in_.flat.nodes[edge.from].scope, last, true);
        // Of an inner loop or a branch what comes out of it: a branch that is not taken would end
        // the loop.
        if (!MayWait(from, edge.from)) from = LeavingFrom(from, edge.from);
        int next = -1;  // what leads to the exit that nothing leads to
        if (const int exit = ExitOf(from, edge.from); !MayWait(from, edge.from) && exit >= 0) {
          next = NextOf(in_.flat.nodes[from].loop);
          from = exit;
        }
        RaceCure cure{in_.flat.NameOf(from), in_.flat.NameOf(edge.from), ""};
        cure.text = EdgeText(cure.from, cure.to) + ", which the next iteration waits for";
        if (next < 0) return cure;
        cure.also.emplace_back(in_.flat.NameOf(last), in_.flat.NameOf(next));
        cure.text +=
            ", and one from " + Quoted(cure.also[0].first) + " to " + Quoted(cure.also[0].second);
        return cure;
      }
    }
    RaceCure cure{in_.flat.NameOf(last), in_.flat.loops[loop].name, ""};
    cure.text = "parallel_iterations = 1 for the loop " + Quoted(cure.to);
    return cure;
  }

  RaceCure AcrossReplicas(const Found& one) const {
    const Pair& pair = in_.pairs[one.pair];
    const std::string first = in_.flat.NameOf(in_.accesses[pair.a].node);
    const std::string second = in_.flat.NameOf(in_.accesses[pair.b].node);
    return {first, second, "no edge of one replica's graph orders it: " + ForReplicas(one)};
  }

  std::string ForReplicas(const Found& one) const {
    const Access& a = in_.accesses[in_.pairs[one.pair].a];
    const Access& b = in_.accesses[in_.pairs[one.pair].b];
    if (in_.values.objects[a.object].kind == Object::Kind::kIterator)
      return "give each replica an iterator of its own, over its share of the data";
    const bool by_one_op =
        a.what.kind == AccessKind::kAccumulate && b.what.kind == AccessKind::kAccumulate;
    if (by_one_op && a.lock == Lock::kShared && b.lock == Lock::kShared)
      return "change the rows by ResourceScatterNdAdd and its like, which take the variable's lock";
    if (by_one_op && MayLose(a, b)) return "let both ops take the variable's lock (use_locking)";
    if (by_one_op) return "add up over the replicas in one order, and change the variable once";
    return "add up over the replicas and assign once, or change the variable by one op "
           "(assign_add)";
  }

  const Analysis& in_;
  const std::vector<Found>& found_;
  size_t searches_ = 0;  // for edges between iterations
  std::map<AccessEdge, bool> before_;
  std::set<std::pair<int, int>> used_later_;  // reads by node and object
};

}  // namespace

std::vector<RaceCure> CuresOf(const Analysis& analysis, const std::vector<Found>& found) {
  return CureFinder(analysis, found).Run();
}

}  // namespace lockstep::check
