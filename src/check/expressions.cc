#include "check/expressions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "check/op_accesses.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using Kind = FlatNode::Kind;

// Ops whose outputs follow from their inputs and attributes.
constexpr std::string_view kPure[] = {
    "Abs",       "Add",          "AddN",       "AddV2",     "All",          "Any",
    "Cast",      "ConcatV2",     "Const",      "Equal",     "ExpandDims",   "Fill",
    "FloorDiv",  "FloorMod",     "GatherV2",   "Greater",   "GreaterEqual", "Less",
    "LessEqual", "LogicalAnd",   "LogicalNot", "LogicalOr", "LogicalXor",   "Max",
    "Maximum",   "Mean",         "Min",        "Minimum",   "Mod",          "Mul",
    "Neg",       "NotEqual",     "OnesLike",   "Pack",      "Range",        "Rank",
    "RealDiv",   "Reshape",      "Shape",      "Sign",      "Size",         "Square",
    "Squeeze",   "StridedSlice", "Sub",        "Sum",       "Tile",         "Transpose",
    "ZerosLike"};

bool IsPure(const FlatNode& node) {
  return node.kind == Kind::kOp &&
         std::find(std::begin(kPure), std::end(kPure), node.def->op()) != std::end(kPure);
}

// Whether the node is a variable of version 1 that an op of the run takes as such.
bool IsWritten(const FlatGraph& flat, int id) {
  if (!IsOp(flat.nodes[id],
            {"VariableV2", "Variable", "AutoReloadVariable", "TemporaryVariable"})) {
    return false;
  }
  return std::any_of(flat.successors[id].begin(), flat.successors[id].end(), [&](const Edge& edge) {
    const FlatNode& user = flat.nodes[edge.from];
    return user.kind != Kind::kOp || KeepsReference(user.def->op());
  });
}

// Whether the op reads a variable of version 1, which another read may find changed.
bool TakesChanging(const FlatGraph& flat, const FlatNode& node) {
  if (node.kind != Kind::kOp || node.inputs.empty()) return false;
  const int from = node.inputs[0].from;
  const FlatNode& source = flat.nodes[from];
  return IsWritten(flat, from) || (source.kind == Kind::kOp && KeepsReference(source.def->op()));
}

// Whether what the node gives is a variable's buffer, which may still be written.
bool Changes(const FlatGraph& flat, int id, const std::vector<char>& changes) {
  const FlatNode& node = flat.nodes[id];
  const bool op = node.kind == Kind::kOp;
  if (IsWritten(flat, id) || (op && KeepsReference(node.def->op()))) return true;
  if (op && !KeepsBuffer(node.def->op())) return false;
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](const Edge& edge) { return changes[edge.from]; });
}

std::string KeyOf(const FlatGraph& flat, const FlatNode& node, const std::vector<int>& same) {
  std::map<std::string_view, std::string> attributes;
  for (const auto& [name, value] : node.def->attr()) {
    if (!name.starts_with('_')) attributes[name] = value.SerializeAsString();
  }
  std::string key = node.def->op();
  const auto append = [&key](std::string_view text) {
    key += '\n' + std::to_string(text.size()) + ' ';
    key += text;
  };
  for (const auto& [name, value] : attributes) {
    append(name);
    append(value);
  }
  for (const Edge& input : node.inputs) {
    const Edge origin = OriginOf(flat, input);
    append(std::to_string(same[origin.from]) + ':' + std::to_string(origin.output));
  }
  return key;
}

}  // namespace

Edge OriginOf(const FlatGraph& flat, Edge edge, bool* negated) {
  for (int steps = 0; steps < 10'000; ++steps) {
    const FlatNode& node = flat.nodes[edge.from];
    const bool alone = node.inputs.size() == 1;
    if (TakesChanging(flat, node)) break;
    if (alone && node.kind == Kind::kJoin) {
      edge = node.inputs[0];
    } else if (alone && IsOp(node, {"Identity", "StopGradient", "Enter", "Snapshot", "_Recv",
                                    "_HostRecv"})) {
      edge = node.inputs[0];
    } else if (IsOp(node, {"Switch"}) && node.inputs.size() == 2) {
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

EqualNodes FindEqualNodes(const FlatGraph& flat) {
  EqualNodes equal{std::vector<int>(flat.nodes.size()), std::vector<char>(flat.nodes.size())};
  std::iota(equal.first.begin(), equal.first.end(), 0);
  std::map<std::string, int> first;
  for (int id : flat.order) {
    const FlatNode& node = flat.nodes[id];
    equal.changes[id] = Changes(flat, id, equal.changes);
    if (!IsPure(node)) continue;
    const bool known = std::none_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
      return equal.changes[edge.from] || edge.loop >= 0;
    });
    if (!known) continue;
    equal.first[id] = first.try_emplace(KeyOf(flat, node, equal.first), id).first->second;
  }
  return equal;
}

}  // namespace lockstep::check
