#include "check/counters.h"

#include <cstdlib>

#include "check/constants.h"

namespace lockstep::check {

namespace {

constexpr int kMaxSumSteps = 100;  // ops behind each other
constexpr int64_t kLargestStep = int64_t{1} << 40;

// The edge that brings the next iteration's value; its loop is -1 where there is none or several.
Edge BackEdge(const FlatNode& node) {
  Edge back;
  if (node.inputs.size() != 2) return back;
  for (const Edge& edge : node.inputs) {
    if (edge.loop < 0) continue;
    if (back.loop >= 0) return {};
    back = edge;
  }
  return back;
}

std::optional<int64_t> One(const FlatGraph& flat, const Conditions& conditions, const Edge& edge) {
  const auto numbers = NumbersOf(flat, conditions, edge);
  if (!numbers || numbers->size() != 1 || std::abs(numbers->front()) > kLargestStep) {
    return std::nullopt;
  }
  return numbers->front();
}

// A node of a loop's begin, and what was added to it on the way to the edge.
struct Sum {
  int variable = -1;
  int64_t offset = 0;
};

Sum SumAt(const FlatGraph& flat, const Conditions& conditions, Edge edge) {
  Sum sum;
  for (int steps = 0; steps < kMaxSumSteps; ++steps) {
    edge = conditions.Origin(edge);
    const FlatNode& node = flat.nodes[edge.from];
    if (BackEdge(node).loop >= 0) {
      sum.variable = edge.from;
      return sum;
    }
    const bool alone = node.inputs.size() == 1;
    const bool same = CastsInteger(node) || IsOp(node, {"Reshape", "ExpandDims"});
    if ((alone && IsOp(node, {"Pack", "NextIteration", "Squeeze"})) ||
        (same && !node.inputs.empty())) {
      edge = node.inputs[0];
    } else if (IsOp(node, {"Add", "AddV2", "Sub"}) && node.inputs.size() == 2) {
      const bool minus = IsOp(node, {"Sub"});
      const auto second = One(flat, conditions, node.inputs[1]);
      const auto first = minus ? std::nullopt : One(flat, conditions, node.inputs[0]);
      if (second.has_value() == first.has_value()) return sum;
      sum.offset += second ? (minus ? -*second : *second) : *first;
      edge = node.inputs[second ? 0 : 1];
    } else {
      return sum;
    }
  }
  return sum;
}

}  // namespace

std::optional<Counter> CounterAt(const FlatGraph& flat, const Conditions& conditions, Edge edge) {
  const Sum sum = SumAt(flat, conditions, edge);
  if (sum.variable < 0) return std::nullopt;
  const FlatNode& variable = flat.nodes[sum.variable];
  const Edge back = BackEdge(variable);
  for (const Edge& begin : variable.inputs) {  // several numbers count no row alone
    const auto numbers = begin.loop < 0 ? NumbersOf(flat, conditions, begin) : std::nullopt;
    if (numbers && numbers->size() != 1) return std::nullopt;
  }
  const Sum next = SumAt(flat, conditions, {back.from, back.output});
  if (next.variable != sum.variable || next.offset == 0) return std::nullopt;
  return Counter{sum.variable, back.loop, sum.offset, next.offset};
}

bool Differ(const Counter& a, const Counter& b, const FlatGraph& flat, int loop) {
  if (a.variable != b.variable) return false;
  const int64_t apart = a.offset - b.offset;
  if (loop == a.loop) return apart % a.step != 0 || apart / a.step < 1;
  return apart != 0 && (loop < 0 || flat.Around(a.loop, flat.loops[loop].parent));
}

}  // namespace lockstep::check
