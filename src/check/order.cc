#include "check/order.h"

#include <algorithm>
#include <deque>

#include "base/check.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

// A Merge of version 1 that joins branches; those that begin a loop go on with either input. And
// the result of a lowered `If`.
bool JoinsBranches(const FlatNode& node) {
  if (node.merges) return true;
  if (node.kind != FlatNode::Kind::kOp) return false;
  if (node.def->op() != "Merge" && node.def->op() != "RefMerge") return false;
  return std::none_of(node.inputs.begin(), node.inputs.end(),
                      [](const Edge& edge) { return edge.loop >= 0; });
}

}  // namespace

// It runs when one branch has come, so it comes after a source only if every branch that may be
// taken together with the source does.
uint64_t Order::AtMerge(int id, std::span<const int> sources, const uint64_t* reached,
                        int loop) const {
  uint64_t all = ~uint64_t{0};
  const FlatNode& node = flat_.nodes[id];
  for (const Edge& edge : node.inputs) {
    uint64_t bits = reached[edge.from];
    // A Switch that leads here itself stands for one side of it.
    std::vector<Literal> given;
    for (size_t b = 0; b < sources.size(); ++b) {
      if (bits >> b & 1) continue;
      if (given.empty()) given = conditions_.Along(edge);
      if (given.empty()) break;
      if (conditions_.Exclude(given, conditions_.OfUse(sources[b]), loop)) bits |= uint64_t{1} << b;
    }
    all &= bits;
  }
  uint64_t some = 0;
  for (const Edge& edge : node.inputs) some |= reached[edge.from];
  uint64_t any = all & some;
  for (const Edge& edge : node.controls) any |= reached[edge.from];
  return any;
}

std::vector<uint64_t> Order::After(std::span<const int> sources, const std::vector<char>& blocked,
                                   int counted, int most) const {
  LOCKSTEP_CHECK_LE(sources.size(), 64u);
  const size_t count = flat_.nodes.size();
  std::vector<uint64_t> reached(count * (most + 1));
  std::deque<std::pair<int, int>> queue;  // iterations later, node
  for (size_t b = 0; b < sources.size(); ++b) {
    reached[sources[b]] |= uint64_t{1} << b;
    queue.push_back({0, sources[b]});
  }
  while (!queue.empty()) {
    const auto [later, node] = queue.front();
    queue.pop_front();
    const uint64_t bits = reached[later * count + node];
    for (const Edge& edge : flat_.successors[node]) {
      int then = later;
      if (edge.loop >= 0) {
        if (edge.loop == counted) {
          if (++then > most) continue;
        } else if (blocked[edge.loop]) {
          continue;
        }
      }
      uint64_t* all = reached.data() + then * count;
      const int next = edge.from;
      const uint64_t more = JoinsBranches(flat_.nodes[next])
                                ? AtMerge(next, sources, all, then > 0 ? counted : -1)
                                : bits;
      if ((all[next] | more) == all[next]) continue;
      all[next] |= more;
      queue.push_back({then, next});
    }
  }
  return reached;
}

}  // namespace lockstep::check
