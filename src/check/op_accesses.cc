#include "check/op_accesses.h"

#include <algorithm>
#include <array>

#include "graph/graph_def.pb.h"
#include "ops/op.h"

namespace lockstep::check {

namespace {

template <size_t N>
bool OneOf(std::string_view op, const std::array<std::string_view, N>& ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

constexpr std::array<std::string_view, 14> kHandOnFirst{
    "Identity", "RefIdentity",  "Switch",    "RefSwitch",     "Enter",
    "RefEnter", "Exit",         "RefExit",   "NextIteration", "RefNextIteration",
    "_Recv",    "StopGradient", "_HostRecv", "_VariableRows"};

// Of lists of handles.
constexpr std::array<std::string_view, 20> kArranges{
    "Pack",  "Unpack",    "ConcatV2",  "Concat",       "GatherV2",      "Gather",     "GatherNd",
    "Slice", "Split",     "SplitV",    "StridedSlice", "Reshape",       "ExpandDims", "Squeeze",
    "Tile",  "ReverseV2", "Transpose", "BroadcastTo",  "DynamicStitch", "EnsureShape"};

constexpr std::array<std::string_view, 16> kWritesReference{
    "Assign",          "AssignAdd",    "AssignSub",    "ScatterUpdate",
    "ScatterAdd",      "ScatterSub",   "ScatterMul",   "ScatterDiv",
    "ScatterMin",      "ScatterMax",   "CountUpTo",    "StridedSliceAssign",
    "ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub", "DestroyTemporaryVariable"};

// Their output is their first input's buffer; of the last two each output one input's.
constexpr std::array<std::string_view, 18> kKeepBuffer{
    "Identity",      "StopGradient",   "PreventGradient",
    "CheckNumerics", "Reshape",        "Squeeze",
    "ExpandDims",    "Switch",         "Print",
    "Enter",         "Exit",           "NextIteration",
    "Bitcast",       "GuaranteeConst", "EnsureShape",
    "Merge",         "IdentityN",      "PlaceholderWithDefault"};

constexpr std::array<std::string_view, 14> kIgnoreValue{"Shape",
                                                        "ShapeN",
                                                        "Size",
                                                        "Rank",
                                                        "DisableCopyOnRead",
                                                        "IsVariableInitialized",
                                                        "VarIsInitializedOp",
                                                        "VariableShape",
                                                        "NoOp",
                                                        "ControlTrigger",
                                                        "_Send",
                                                        "_HostSend",
                                                        "_Retval",
                                                        "ZerosLike"};

// The ops of optimizers, by what comes behind "Apply": how many inputs are variables, and which one
// lists the rows where it is sparse.
struct Optimizer {
  std::string_view name;
  int variables = 0;
  int rows = -1;
};
constexpr std::array<Optimizer, 18> kOptimizers{{{"GradientDescent", 1, -1},
                                                 {"ProximalGradientDescent", 1, 5},
                                                 {"Momentum", 2, 4},
                                                 {"KerasMomentum", 2, 4},
                                                 {"Adagrad", 2, 4},
                                                 {"AdagradV2", 2, 5},
                                                 {"ProximalAdagrad", 2, 6},
                                                 {"AddSign", 2, -1},
                                                 {"PowerSign", 2, -1},
                                                 {"Adadelta", 3, 7},
                                                 {"AdagradDA", 3, 4},
                                                 {"Adam", 3, -1},
                                                 {"AdaMax", 3, -1},
                                                 {"Ftrl", 3, 4},
                                                 {"FtrlV2", 3, 4},
                                                 {"RMSProp", 3, 8},
                                                 {"CenteredRMSProp", 4, 9},
                                                 {"AdamWithAmsgrad", 4, -1}}};

// What comes behind "Apply" in the op's name; empty for other ops.
std::string_view OptimizerOf(std::string_view op) {
  for (std::string_view prefix : {"ResourceSparseApply", "ResourceApply", "SparseApply", "Apply"}) {
    if (op.starts_with(prefix)) return op.substr(prefix.size());
  }
  return {};
}

OpAccess Added(Accumulation accumulation) { return {AccessKind::kAccumulate, accumulation}; }

OpAccess Rows(OpAccess access, bool one_axis) {
  access.part = true;
  access.rows = 1;
  access.tuples = !one_axis;
  return access;
}

OpAccess Slice() { return {.kind = AccessKind::kWrite, .slice = 1, .part = true}; }
OpAccess InTurn() { return {.kind = AccessKind::kUpdate, .in_turn = true}; }

// Scatters of both versions, without "Resource" and "Scatter".
std::optional<OpAccess> Scattered(std::string_view op) {
  if (op.starts_with("Resource")) op.remove_prefix(8);
  if (!op.starts_with("Scatter")) return std::nullopt;
  op.remove_prefix(7);
  const bool one_axis = !op.starts_with("Nd");
  if (!one_axis) op.remove_prefix(2);
  if (op == "Update") return Rows({AccessKind::kWrite}, one_axis);
  if (op == "Add" || op == "Sub") return Rows(Added(Accumulation::kAddition), one_axis);
  if (op == "Mul") return Rows(Added(Accumulation::kMultiplication), one_axis);
  if (op == "Div") return Rows(Added(Accumulation::kDivision), one_axis);
  if (op == "Min") return Rows(Added(Accumulation::kMinimum), one_axis);
  if (op == "Max") return Rows(Added(Accumulation::kMaximum), one_axis);
  return std::nullopt;
}

std::optional<OpAccess> OptimizerAccess(std::string_view op, int input) {
  const std::string_view optimizer = OptimizerOf(op);
  if (optimizer.empty()) return std::nullopt;
  for (const auto& [name, variables, rows] : kOptimizers) {
    if (name != optimizer) continue;
    if (input >= variables) return OpAccess{AccessKind::kRead};
    const bool sparse = op.find("Sparse") != std::string_view::npos;
    if (name == "GradientDescent" && !sparse) return Added(Accumulation::kAddition);
    if (sparse && rows >= 0) {
      return OpAccess{.kind = AccessKind::kUpdate, .rows = rows, .part = true};
    }
  }
  return OpAccess{AccessKind::kUpdate};
}

// Ops that only Lockstep has say themselves what they read and write.
const ops::OpSpec* OwnOp(const std::string& op) {
  for (const ops::OpSpec* spec : ops::OpRegistry::Global().All()) {
    if (spec->name == op) return spec;
  }
  return nullptr;
}

std::optional<OpAccess> OwnAccess(const std::string& op, int input) {
  const ops::OpSpec* spec = OwnOp(op);
  if (spec == nullptr) return std::nullopt;
  const auto place = static_cast<size_t>(input);
  if (ops::HasBit(spec->effects.writes, place)) return OpAccess{AccessKind::kUpdate};
  if (ops::HasBit(spec->effects.reads, place)) return OpAccess{AccessKind::kRead};
  return std::nullopt;
}

bool Batched(const graph_def::NodeDef& node) {
  const auto place = node.attr().find("batch_dims");
  return place != node.attr().end() && place->second.i() != 0;
}

std::optional<OpAccess> ReferenceAccess(const graph_def::NodeDef& node, int input) {
  const std::string& op = node.op();
  if (input == 0 && op == "Assign") return OpAccess{.kind = AccessKind::kWrite, .value = 1};
  if (input == 0 && (op == "AssignAdd" || op == "AssignSub")) return Added(Accumulation::kAddition);
  if (input == 0) {
    if (const auto scattered = Scattered(op)) return scattered;
  }
  if (input == 0 && op == "StridedSliceAssign") return Slice();
  if (input == 0 && op == "CountUpTo") return InTurn();
  if (input == 0 && OneOf(op, kWritesReference)) {
    const bool destroys = op == "DestroyTemporaryVariable";
    return OpAccess{destroys ? AccessKind::kWrite : AccessKind::kUpdate};
  }
  if (const auto optimizer = OptimizerAccess(op, input)) return optimizer;
  return OpAccess{AccessKind::kRead};
}

// Ops that keep a handle for later, or send it, and leave alone what is behind it; and those whose
// handle is no variable's.
bool CarriesHandles(std::string_view op) {
  constexpr std::string_view kCarriers[] = {
      "Queue",   "TensorList", "TensorArray", "Stack",  "Optional", "_Send",   "_HostSend",
      "_Retval", "_Arg",       "Barrier",     "Reader", "Delete",   "Iterator"};
  if (op.find("Summary") != std::string_view::npos || op == "ImportEvent") return true;
  if (op.find("Accumulator") != std::string_view::npos) return true;
  return std::any_of(std::begin(kCarriers), std::end(kCarriers),
                     [&](std::string_view carrier) { return op.starts_with(carrier); });
}

std::optional<OpAccess> ResourceAccess(const graph_def::NodeDef& node, int input) {
  const std::string& op = node.op();
  if (op == "ReadVariableOp" || op == "_ReadVariablesOp" || op == "ReadVariableXlaSplitND") {
    return OpAccess{AccessKind::kRead};
  }
  if (op == "ResourceGather" && !Batched(node)) return Rows({AccessKind::kRead}, true);
  if (op == "ResourceGather") return OpAccess{AccessKind::kRead};
  if (op == "ResourceGatherNd") return Rows({AccessKind::kRead}, false);
  if (op == "AssignVariableOp") return OpAccess{.kind = AccessKind::kWrite, .value = 1};
  if (op == "AssignAddVariableOp" || op == "AssignSubVariableOp")
    return Added(Accumulation::kAddition);
  if (op == "RngSkip") return Added(Accumulation::kAddition);
  if (op == "DestroyResourceOp") return OpAccess{AccessKind::kWrite};
  if (op == "ResourceStridedSliceAssign") return Slice();
  if (op == "ResourceCountUpTo" || op == "RngReadAndSkip") return InTurn();
  if (op.starts_with("Stateful") && op != "StatefulPartitionedCall") return InTurn();
  if (const auto scattered = Scattered(op)) return scattered;
  if (const auto optimizer = OptimizerAccess(op, input)) return optimizer;
  if (OwnOp(op) != nullptr) return OwnAccess(op, input);
  if (op == "AssignVariableXlaConcatND") return OpAccess{AccessKind::kWrite};
  if (CarriesHandles(op)) return std::nullopt;
  // Others carry out their functions when somebody takes elements.
  const bool dataset = op.ends_with("Dataset") || op.find("DatasetV") != std::string::npos;
  if (dataset && op != "ReduceDataset") return std::nullopt;
  return OpAccess{AccessKind::kUpdate};
}

}  // namespace

Pass PassOf(std::string_view op) {
  if (OneOf(op, kHandOnFirst)) return Pass::kFirst;
  if (OneOf(op, kWritesReference) && op != "CountUpTo") return Pass::kFirst;
  if (op == "IdentityN") return Pass::kSame;
  if (op == "Merge" || op == "RefMerge") return Pass::kAny;
  if (OneOf(op, kArranges)) return Pass::kMixes;
  if (op == "RefSelect") return Pass::kLater;
  if (!OptimizerOf(op).empty() && !op.starts_with("Resource")) return Pass::kFirst;
  return Pass::kNone;
}

std::string TextOf(const graph_def::NodeDef& node, const char* name) {
  const auto place = node.attr().find(name);
  return place == node.attr().end() ? std::string() : place->second.s();
}

bool KeepsReference(std::string_view op) {
  return op.starts_with("Ref") || OneOf(op, kWritesReference) ||
         (!OptimizerOf(op).empty() && !op.starts_with("Resource"));
}

bool KeepsBuffer(std::string_view op) { return OneOf(op, kKeepBuffer); }
bool KeepsBufferOf(std::string_view op, int input) {
  return KeepsBuffer(op) && (input == 0 || op == "Merge" || op == "IdentityN");
}
bool IgnoresValue(std::string_view op) { return OneOf(op, kIgnoreValue); }

// Of TensorFlow's kernels for resources all but optimizers lock the variable; scatters along the
// first axis do so together.
Lock LockWithoutAsking(std::string_view op, bool reference) {
  if (reference || !OptimizerOf(op).empty()) return Lock::kNone;
  const bool shared = op.starts_with("ResourceScatter") && !op.starts_with("ResourceScatterNd");
  return shared ? Lock::kShared : Lock::kOwn;
}

bool Assigns(std::string_view op) { return op == "Assign" || op == "AssignVariableOp"; }

bool InitializesObject(std::string_view op) {
  return op == "MakeIterator" || op.starts_with("InitializeTable") ||
         op.starts_with("LookupTableImport");
}

bool TakesVariable(std::string_view op, int input) {
  if (input != 0) return false;
  if (op.starts_with("Resource") && !OptimizerOf(op).empty()) return true;
  return op == "ReadVariableOp" || op == "ResourceGather" || op == "ResourceGatherNd" ||
         op == "ResourceStridedSliceAssign" || op == "ResourceCountUpTo" ||
         (op.starts_with("Assign") && op.ends_with("VariableOp")) ||
         op.starts_with("ResourceScatter");
}

std::optional<OpAccess> AccessOfVariable(const graph_def::NodeDef& node, int input,
                                         bool reference) {
  const std::string& op = node.op();
  if (input == 0 && (op == "IsVariableInitialized" || op == "VarIsInitializedOp")) {
    return OpAccess{.kind = AccessKind::kRead, .existence = true};
  }
  if (IgnoresValue(op)) return std::nullopt;
  if (reference) {
    const bool hands_on = op.starts_with("Ref");
    return hands_on ? std::nullopt : ReferenceAccess(node, input);
  }
  if (PassOf(op) != Pass::kNone) return std::nullopt;
  return ResourceAccess(node, input);
}

bool MakesElementsAhead(std::string_view op) {
  return op.starts_with("Prefetch") || op.starts_with("Parallel") ||
         op.starts_with("LegacyParallel") || op.find("MapAndBatch") != std::string_view::npos;
}

bool TakesElement(std::string_view op) {
  return op == "IteratorGetNext" || op == "IteratorGetNextSync" ||
         op == "IteratorGetNextAsOptional" || op == "MultiDeviceIteratorGetNextFromShard";
}

std::optional<OpAccess> AccessOfIterator(std::string_view op) {
  if (TakesElement(op) || op == "MakeIterator" || op == "DeserializeIterator") {
    return OpAccess{AccessKind::kUpdate};
  }
  return std::nullopt;
}

std::optional<OpAccess> AccessOfTable(std::string_view op) {
  if (op.starts_with("LookupTableFind") || op.starts_with("LookupTableSize") ||
      op.starts_with("LookupTableExport")) {
    return OpAccess{AccessKind::kRead};
  }
  if (op.starts_with("LookupTable") || op.starts_with("InitializeTable")) {
    return OpAccess{AccessKind::kUpdate};
  }
  return std::nullopt;
}

}  // namespace lockstep::check
