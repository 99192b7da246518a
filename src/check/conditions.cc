#include <algorithm>

#include "check/values.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using Kind = FlatNode::Kind;

// More conditions than this are forgotten, which keeps fewer nodes apart.
constexpr size_t kMaxLiterals = 256;

void Add(std::vector<Literal>* to, const Literal& literal) {
  if (to->size() >= kMaxLiterals) return;
  if (std::find(to->begin(), to->end(), literal) == to->end()) to->push_back(literal);
}

// Whether `loop` is `inside` or around it.
bool Around(const FlatGraph& flat, int loop, int inside) {
  for (; inside >= 0; inside = flat.loops[inside].parent) {
    if (inside == loop) return true;
  }
  return loop < 0;
}

}  // namespace

Conditions::Conditions(const FlatGraph& flat) : flat_(flat), of_(flat.nodes.size()) {
  for (int node : flat.order) of_[node] = Collect(node);
}

Edge Conditions::Origin(Edge edge, bool* negated) const {
  for (int steps = 0; steps < 10'000; ++steps) {
    const FlatNode& node = flat_.nodes[edge.from];
    const bool alone = node.inputs.size() == 1;
    if (alone && node.kind == Kind::kJoin) {
      edge = node.inputs[0];
    } else if (alone && IsOp(node, {"Identity", "StopGradient", "Enter", "Snapshot"})) {
      edge = node.inputs[0];
    } else if (alone && negated != nullptr && IsOp(node, {"LogicalNot"})) {
      *negated = !*negated;
      edge = node.inputs[0];
    } else {
      break;
    }
  }
  edge.loop = -1;
  return edge;
}

// A value that comes out of a Switch is there on one side only.
void Conditions::Require(std::vector<Literal>* literals, const Edge& edge) const {
  const FlatNode& from = flat_.nodes[edge.from];
  for (const Literal& literal : of_[edge.from]) Add(literals, literal);
  if (edge.output < 0 || from.inputs.size() < 2) return;
  if (!IsOp(from, {"Switch", "RefSwitch"})) return;
  bool negated = false;
  const Edge predicate = Origin(from.inputs[1], &negated);
  if (IsOp(flat_.nodes[predicate.from], {"LoopCond"}))
    return;  // another iteration, not another run
  Add(literals, {predicate.from, predicate.output, (edge.output == 1) != negated});
}

std::vector<Literal> Conditions::Collect(int id) const {
  const FlatNode& node = flat_.nodes[id];
  std::vector<Literal> literals;
  if (node.base >= 0) {
    literals = of_[node.base];
    for (Literal literal : node.literal) {
      bool negated = false;
      const Edge predicate = Origin({literal.node, literal.output}, &negated);
      if (negated) literal.value = !literal.value;
      Add(&literals, {predicate.from, predicate.output, literal.value});
    }
    return literals;
  }
  for (const Edge& edge : node.controls) Require(&literals, edge);
  if (!IsOp(node, {"Merge", "RefMerge"})) {
    for (const Edge& edge : node.inputs) Require(&literals, edge);
  } else {
    bool first = true;
    std::vector<Literal> common;
    for (const Edge& edge : node.inputs) {
      if (edge.loop >= 0) continue;
      std::vector<Literal> one;
      Require(&one, edge);
      if (first) common = one;
      std::erase_if(common, [&](const Literal& literal) {
        return std::find(one.begin(), one.end(), literal) == one.end();
      });
      first = false;
    }
    for (const Literal& literal : common) Add(&literals, literal);
  }
  if (IsOp(node, {"Exit", "RefExit"})) {
    std::erase_if(literals, [&](const Literal& literal) {
      return flat_.nodes[literal.node].loop >= 0 && flat_.nodes[literal.node].loop == node.loop;
    });
  }
  return literals;
}

std::vector<Literal> Conditions::Along(const Edge& edge) const {
  std::vector<Literal> literals;
  Require(&literals, edge);
  return literals;
}

bool Conditions::Exclude(std::span<const Literal> a, std::span<const Literal> b, int loop) const {
  for (const Literal& one : a) {
    if (loop >= 0 && Around(flat_, loop, flat_.nodes[one.node].loop)) continue;
    for (const Literal& other : b) {
      if (one.node == other.node && one.output == other.output && one.value != other.value) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace lockstep::check
