#include <algorithm>
#include <utility>

#include "check/constants.h"
#include "check/values.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using Kind = FlatNode::Kind;

// More conditions than this are forgotten, which keeps fewer nodes apart.
constexpr size_t kMaxLiterals = 256;
constexpr int kMaxPredicates = 20;  // of predicates made of predicates
// Output `o` of a node "is a number": the literal's output is this less o.
constexpr int kIs = -1'000'000'000;
// Output `o` of a node "takes branch b", of numbered ones: the literal's output is this less both.
constexpr int kTakes = -500'000'000;
constexpr int kMostBranches = 1000;

void Add(std::vector<Literal>* to, const Literal& literal) {
  if (to->size() >= kMaxLiterals) return;
  for (const Literal& one : *to) {
    if (one == literal) return;
    if (one.node == literal.node && one.output == literal.output) return to->push_back({-1, 0, 0});
  }
  to->push_back(literal);
}

}  // namespace

Conditions::Conditions(const FlatGraph& flat)
    : flat_(flat), equal_(FindEqualNodes(flat)), of_(flat.nodes.size()), used_(flat.nodes.size()) {
  for (const FlatNode& node : flat.nodes) {
    if (const auto comparison = Compared(node)) Note(*comparison);
    const graph_def::TensorProto* tensor = ConstantOf(node);
    if (tensor == nullptr) continue;
    if (const auto scalar = ScalarOf(*tensor))
      scalars_.try_emplace(*scalar, static_cast<int>(scalars_.size()));
  }
  for (int node : flat.order) of_[node] = Collect(node);
  for (size_t i = 0; i < flat.nodes.size(); ++i) {
    if (!IsOp(flat.nodes[i], {"ReadVariableOp", "Identity"}) || flat.nodes[i].fetched) continue;
    if (const auto uses = UsesOf(static_cast<int>(i), 0)) used_[i] = *uses;
  }
}

// What all who take a node's value have in common; nothing where nobody does, or where that is
// not followed.
std::optional<std::vector<Literal>> Conditions::UsesOf(int id, int depth) const {
  constexpr int kMaxUseSteps = 5;
  std::optional<std::vector<Literal>> common;
  const auto meet = [&](const std::vector<Literal>& use) {
    if (!common) common = use;
    std::erase_if(*common, [&](const Literal& literal) {
      return std::find(use.begin(), use.end(), literal) == use.end();
    });
  };
  for (const Edge& edge : flat_.successors[id]) {
    if (edge.output < 0) continue;
    const FlatNode& user = flat_.nodes[edge.from];
    if (edge.loop >= 0 || depth > kMaxUseSteps) return std::nullopt;
    if (IsOp(user, {"Switch", "RefSwitch"}) && user.inputs.size() == 2) {
      if (user.inputs[1].from == id) return std::nullopt;
      for (const Edge& side : flat_.successors[edge.from]) {
        if (side.output >= 0) meet(Along({edge.from, side.output}));
      }
    } else if (IsOp(user, {"Identity"})) {
      const auto uses = UsesOf(edge.from, depth + 1);
      if (!uses) return std::nullopt;
      meet(*uses);
    } else if (IsOp(user, {"Merge", "RefMerge"})) {
      return std::nullopt;
    } else {
      meet(of_[edge.from]);
    }
    if (common && common->empty()) return std::nullopt;
  }
  return common;
}

Edge Conditions::Origin(Edge edge, bool* negated) const {
  Edge origin = OriginOf(flat_, edge, negated);
  origin.from = equal_.first[origin.from];
  return origin;
}

// A value that comes out of a Switch is there on one side only.
void Conditions::Require(std::vector<Literal>* literals, const Edge& edge) const {
  const FlatNode& from = flat_.nodes[edge.from];
  for (const Literal& literal : of_[edge.from]) Add(literals, literal);
  if (edge.output < 0 || from.inputs.size() < 2) return;
  if (!IsOp(from, {"Switch", "RefSwitch"})) return;
  // A loop's predicate says which iteration this is, not which run.
  if (IsOp(flat_.nodes[OriginOf(flat_, from.inputs[1]).from], {"LoopCond"})) return;
  Decide(literals, from.inputs[1], edge.output == 1);
}

// Says that a predicate has a value, and all that follows from it.
void Conditions::Decide(std::vector<Literal>* literals, const Edge& predicate, int value,
                        int depth) const {
  bool negated = false;
  const Edge origin = Origin(predicate, &negated);
  if (negated) value = !value;
  Add(literals, {origin.from, origin.output, value});
  const FlatNode& node = flat_.nodes[origin.from];
  DecideConstant(literals, node, value);
  DecideComparison(literals, node, value);
  const bool all = IsOp(node, {"LogicalAnd"}) && value == 1;
  const bool none = IsOp(node, {"LogicalOr"}) && value == 0;
  if ((!all && !none) || depth > kMaxPredicates) return;
  for (const Edge& part : node.inputs) Decide(literals, part, value, depth + 1);
}

// Of branches that numbers take; those of another op may be more or fewer.
void Conditions::DecideBranch(std::vector<Literal>* literals, const Edge& predicate, int number,
                              FlatNode::Branch branch) const {
  const Edge origin = Origin(predicate);
  const auto takes = [&](int one, int value) {
    if (one >= kMostBranches) return;
    Add(literals, {origin.from, kTakes - origin.output * kMostBranches - one, value});
  };
  const bool other = branch == FlatNode::Branch::kOther;
  for (int before = 0; other && before < std::min(number, kMostBranches); ++before)
    takes(before, 0);
  if (other) return;
  takes(number, 1);
  Add(literals, {origin.from, origin.output, number});
}

void Conditions::DecideConstant(std::vector<Literal>* literals, const FlatNode& node,
                                int value) const {
  const graph_def::TensorProto* tensor = ConstantOf(node);
  if (tensor == nullptr || tensor->dtype() != graph_def::DT_BOOL) return;
  bool is = tensor->bool_val_size() > 0 && tensor->bool_val(0);
  if (!tensor->tensor_content().empty()) is = tensor->tensor_content()[0] != 0;
  if (is != (value != 0)) Add(literals, {-1, 0, 0});
}

std::optional<Conditions::Comparison> Conditions::Compared(const FlatNode& node) const {
  if (node.inputs.size() != 2) return std::nullopt;
  Comparison comparison{Origin(node.inputs[0]), Origin(node.inputs[1])};
  const bool swaps = IsOp(node, {"Greater", "LessEqual"});
  comparison.less = swaps || IsOp(node, {"Less", "GreaterEqual"});
  if (!comparison.less && !IsOp(node, {"Equal", "NotEqual"})) return std::nullopt;
  if (equal_.changes[comparison.a.from] || equal_.changes[comparison.b.from]) return std::nullopt;
  const bool turned = comparison.b.from < comparison.a.from;
  if (swaps || (!comparison.less && turned)) std::swap(comparison.a, comparison.b);
  return comparison;
}

void Conditions::Note(const Comparison& comparison) {
  comparisons_.try_emplace(comparison.Key(), -2 - static_cast<int>(comparisons_.size()));
}

// Nothing is said that no node asks.
void Conditions::Say(std::vector<Literal>* literals, const Comparison& comparison,
                     int value) const {
  const auto place = comparisons_.find(comparison.Key());
  if (place == comparisons_.end()) return;
  const auto depth = [&](const Edge& edge) { return flat_.LoopsOf(edge.from).size(); };
  const Edge& inner = depth(comparison.a) < depth(comparison.b) ? comparison.b : comparison.a;
  Add(literals, {inner.from, place->second, value});
}

void Conditions::DecideComparison(std::vector<Literal>* literals, const FlatNode& node,
                                  int value) const {
  const auto comparison = Compared(node);
  if (!comparison) return;
  const bool turns = IsOp(node, {"GreaterEqual", "LessEqual", "NotEqual"});
  // Not less is at least, but not where one is NaN.
  const auto type = node.def->attr().find("T");
  const bool ordered =
      type != node.def->attr().end() &&
      (type->second.type() == graph_def::DT_INT32 || type->second.type() == graph_def::DT_INT64);
  if (turns && comparison->less && value == 0 && !ordered) return;
  const bool holds = turns ? value == 0 : value != 0;
  Say(literals, *comparison, holds);
  if (!holds) return;
  const Edge &a = comparison->a, &b = comparison->b;
  Say(literals, {b, a, true}, 0);
  if (comparison->less) {
    Say(literals, b.from < a.from ? Comparison{b, a} : Comparison{a, b}, 0);
    return;
  }
  Say(literals, {a, b, true}, 0);
  // A value is one constant at most.
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (const auto scalar = ScalarAt(other)) Add(literals, {one.from, kIs - one.output, *scalar});
  }
}

// The number of the scalar that an edge brings, if it is a constant.
std::optional<int> Conditions::ScalarAt(const Edge& edge) const {
  std::optional<std::string> scalar;
  if (const auto* tensor = ConstantOf(flat_.nodes[Origin(edge).from])) {
    scalar = ScalarOf(*tensor);
  } else if (const auto numbers = NumbersOf(flat_, *this, edge); numbers && numbers->size() == 1) {
    scalar = std::to_string(numbers->front());
  }
  if (!scalar) return std::nullopt;
  const auto place = scalars_.find(*scalar);
  return place == scalars_.end() ? std::nullopt : std::optional(place->second);
}

std::vector<Literal> Conditions::Collect(int id) const {
  const FlatNode& node = flat_.nodes[id];
  std::vector<Literal> literals;
  if (node.base >= 0) {
    literals = of_[node.base];
    for (const Literal& literal : node.literal) {
      const Edge predicate{literal.node, literal.output};
      if (node.branch == FlatNode::Branch::kTruth) {
        Decide(&literals, predicate, literal.value);
      } else {
        DecideBranch(&literals, predicate, literal.value, node.branch);
      }
    }
    // What is handed in or out is there where it is made; results of branches are not.
    if (node.kind != Kind::kJoin) return literals;
    const auto within = [](const Edge& edge) { return edge.loop < 0; };
    if (std::count_if(node.inputs.begin(), node.inputs.end(), within) == 1)
      Require(&literals, *std::find_if(node.inputs.begin(), node.inputs.end(), within));
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
      if (Exclude(one, {})) continue;  // never comes
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
      return literal.node >= 0 && flat_.nodes[literal.node].loop >= 0 &&
             flat_.nodes[literal.node].loop == node.loop;
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
  const auto never = [](const Literal& literal) { return literal.node < 0; };
  if (std::any_of(a.begin(), a.end(), never) || std::any_of(b.begin(), b.end(), never)) return true;
  for (const Literal& one : a) {
    if (loop >= 0 && flat_.Around(loop, flat_.nodes[one.node].loop)) continue;
    for (const Literal& other : b) {
      if (one.node == other.node && one.output == other.output && one.value != other.value) {
        return true;
      }
    }
  }
  for (const auto& literals : {a, b}) {
    for (const Literal& one : literals) {
      if (loop >= 0 && flat_.Around(loop, flat_.nodes[one.node].loop)) continue;
      if (Contradicts(one, a, b, loop)) return true;
    }
  }
  return false;
}

// Whether a literal about an `and` or `or` is not what the others make of its parts.
bool Conditions::Contradicts(const Literal& literal, std::span<const Literal> a,
                             std::span<const Literal> b, int loop) const {
  const FlatNode& node = flat_.nodes[literal.node];
  if (literal.output != 0 || !IsOp(node, {"LogicalAnd", "LogicalOr", "LogicalXor"})) return false;
  const auto truth = TruthOfParts(literal.node, a, b, loop, 0);
  return truth && *truth != (literal.value != 0);
}

// What literals say of a predicate, or of its parts.
std::optional<bool> Conditions::Truth(const Edge& predicate, std::span<const Literal> a,
                                      std::span<const Literal> b, int loop, int depth) const {
  bool negated = false;
  const Edge origin = Origin(predicate, &negated);
  if (loop >= 0 && flat_.Around(loop, flat_.nodes[origin.from].loop)) return {};
  for (const auto& literals : {a, b}) {
    for (const Literal& literal : literals) {
      if (literal.node == origin.from && literal.output == origin.output)
        return (literal.value != 0) != negated;
    }
  }
  if (origin.output != 0 || depth > kMaxPredicates) return {};
  const auto truth = TruthOfParts(origin.from, a, b, loop, depth + 1);
  return truth ? std::optional(*truth != negated) : std::nullopt;
}

std::optional<bool> Conditions::TruthOfParts(int id, std::span<const Literal> a,
                                             std::span<const Literal> b, int loop,
                                             int depth) const {
  const FlatNode& node = flat_.nodes[id];
  if (node.inputs.size() != 2 || !IsOp(node, {"LogicalAnd", "LogicalOr", "LogicalXor"})) return {};
  const auto one = Truth(node.inputs[0], a, b, loop, depth);
  const auto other = Truth(node.inputs[1], a, b, loop, depth);
  const bool alternative = IsOp(node, {"LogicalOr"});
  if (!IsOp(node, {"LogicalXor"})) {
    if ((one && *one == alternative) || (other && *other == alternative)) return alternative;
    return one && other ? std::optional(!alternative) : std::nullopt;
  }
  return one && other ? std::optional(*one != *other) : std::nullopt;
}

}  // namespace lockstep::check
