#include "ops/signature.h"

#include <algorithm>
#include <array>
#include <string>

namespace lockstep::ops {

namespace {

// One row for each op. `inputs` has a letter for each input: v for a value, r for a resource, a for
// either; ? after a letter: it may be absent, *: any number of it. `attributes` are NAME:KIND, with
// ? after those that may be absent.
struct Row {
  std::string_view op, inputs, attributes;
};

// clang-format off
constexpr Row kRows[] = {
    {"Abs", "v", ""},
    {"AccumulatorApplyGradient", "rvvv?v?", ""},
    {"AccumulatorNumAccumulated", "r", ""},
    {"AccumulatorSetGlobalStep", "rv", ""},
    {"AccumulatorTakeGradient", "rv", "dtypes:ints shapes:ints"},
    {"Acos", "v", ""},
    {"Acosh", "v", ""},
    {"AddN", "v*", ""},
    {"AddV2", "vv", ""},
    {"All", "v", "axes:ints keep_dims:b"},
    {"Any", "v", "axes:ints keep_dims:b"},
    {"Arg", "", "index:i"},
    {"ArgMax", "v", "axis:i output_type:type"},
    {"ArgMin", "v", "axis:i output_type:type"},
    {"AsString", "v", ""},
    {"Asin", "v", ""},
    {"Asinh", "v", ""},
    {"Assert", "vv*", "summarize:i? outputs:i?"},
    {"AssignAddVariableOp", "rv", ""},
    {"AssignSubVariableOp", "rv", ""},
    {"AssignVariableOp", "rv", ""},
    {"Atan", "v", ""},
    {"Atan2", "vv", ""},
    {"Atanh", "v", ""},
    {"AvgPool", "v", "explicit_paddings:ints? ksize:ints padding:s strides:ints"},
    {"AvgPoolGrad", "vv", "explicit_paddings:ints? ksize:ints padding:s strides:ints"},
    {"BatchMatMulV2", "vv", "adj_x:b? adj_y:b?"},
    {"BiasAdd", "vv", ""},
    {"BiasAddGrad", "v", "leaves:ints?"},
    {"BitwiseAnd", "vv", ""},
    {"BitwiseOr", "vv", ""},
    {"BitwiseXor", "vv", ""},
    {"BroadcastLike", "vv", ""},
    {"BroadcastTo", "v", "shape:ints"},
    {"ByValues", "vv*", "a:f? b:f? begin:ints? begin_mask:i? constant:f? dtype:type? ellipsis_mask:i? end:ints? end_mask:i? high:i? low:i? multiples:ints? new_axis_mask:i? op:s open:i? paddings:ints? shape:ints? shrink_axis_mask:i? size:ints? strides:ints?"},
    {"Cast", "v", "DstT:type"},
    {"Ceil", "v", ""},
    {"CheckNumerics", "v", "of:s? output:i? place:s?"},
    {"ClipByValue", "v", "high:f low:f"},
    {"ClipByValueGrad", "vv", "high:f low:f"},
    {"CompareAndAssignVariableOp", "rvv", ""},
    {"ConcatV2", "vv*", "axis:i"},
    {"Const", "", "value:tensor"},
    {"Conv2D", "vv", "dilations:ints? explicit_paddings:ints? padding:s strides:ints"},
    {"Conv2DBackpropFilter", "vvv", "dilations:ints? explicit_paddings:ints? leaves:ints? padding:s strides:ints"},
    {"Conv2DBackpropInput", "vvv", "dilations:ints? explicit_paddings:ints? input_sizes:ints? padding:s strides:ints"},
    {"Cos", "v", ""},
    {"Cosh", "v", ""},
    {"Cumprod", "v", "axis:i exclusive:b reverse:b"},
    {"Cumsum", "v", "axis:i exclusive:b reverse:b"},
    {"CustomGradient", "aa*", "gradient:object"},
    {"CustomGradientN", "aa*", "gradient:object"},
    {"DecodeRaw", "v", "fixed_length:i little_endian:b out_type:type"},
    {"DepthwiseConv2dNative", "vv", "dilations:ints? explicit_paddings:ints? padding:s strides:ints"},
    {"DepthwiseConv2dNativeBackpropFilter", "vvv", "dilations:ints? explicit_paddings:ints? leaves:ints? padding:s strides:ints"},
    {"DepthwiseConv2dNativeBackpropInput", "vvv", "dilations:ints? explicit_paddings:ints? padding:s strides:ints"},
    {"Digamma", "v", ""},
    {"DivNoNan", "vv", ""},
    {"DivideByReduced", "vv", "axes:ints"},
    {"Elu", "v", "above:f below:f"},
    {"EluGrad", "vv", "above:f below:f"},
    {"EnsureShape", "v", "shape:ints"},
    {"Equal", "vv", ""},
    {"Erf", "v", ""},
    {"Erfc", "v", ""},
    {"Exp", "v", ""},
    {"ExpandDims", "v", "axes:ints"},
    {"Expm1", "v", ""},
    {"FeatureListSteps", "v", "name:s required:b"},
    {"Fill", "v", "shape:ints"},
    {"Floor", "v", ""},
    {"FloorDiv", "vv", ""},
    {"FloorMod", "vv", ""},
    {"FunctionCall", "a*", "call:object graph:object?"},
    {"GatherAdjoint", "vvv", "axis:i batch_dims:i drop_negative:b?"},
    {"GatherNd", "vv", ""},
    {"GatherNdAdjoint", "vvv", ""},
    {"GatherV2", "vv", "axis:i batch_dims:i drop_negative:b?"},
    {"Gelu", "v", "approximate:b"},
    {"GeluGrad", "vv", "approximate:b"},
    {"Greater", "vv", ""},
    {"GreaterEqual", "vv", ""},
    {"Group", "a*", ""},
    {"Identity", "a", ""},
    {"If", "va*", "else:object then:object kept_else:i? kept_then:i?"},
    {"InTopKV2", "vv", "k:i"},
    {"Invert", "v", ""},
    {"IsFinite", "v", ""},
    {"IsInf", "v", ""},
    {"IsNan", "v", ""},
    {"LayerNorm", "vvv", "epsilon:f"},
    {"LayerNormGrad", "vvvvv", ""},
    {"LayerNormScaleGrad", "vvvv", "leaves:ints?"},
    {"LeakyRelu", "v", "alpha:f"},
    {"LeakyReluGrad", "vv", "alpha:f"},
    {"LeftShift", "vv", ""},
    {"Less", "vv", ""},
    {"LessEqual", "vv", ""},
    {"Lgamma", "v", ""},
    {"Log", "v", ""},
    {"Log1p", "v", ""},
    {"LogSigmoid", "v", ""},
    {"LogSoftmax", "v", ""},
    {"LogicalAnd", "vv", ""},
    {"LogicalNot", "v", ""},
    {"LogicalOr", "vv", ""},
    {"LookupTableFind", "vv?", "table:object"},
    {"MatMul", "vv", "leaves:ints? transpose_a:b? transpose_b:b?"},
    {"MatrixBandPart", "v", "lower:i upper:i"},
    {"Max", "v", "axes:ints keep_dims:b"},
    {"MaxPool", "v", "explicit_paddings:ints? ksize:ints padding:s strides:ints"},
    {"MaxPoolGrad", "vvv", "explicit_paddings:ints? ksize:ints padding:s strides:ints"},
    {"MaxPoolGradGrad", "vvv", "ksize:ints padding:s strides:ints"},
    {"Maximum", "vv", ""},
    {"Mean", "v", "axes:ints keep_dims:b leaves:ints?"},
    {"Min", "v", "axes:ints keep_dims:b"},
    {"Minimum", "vv", ""},
    {"MirrorPad", "v", "paddings:ints reflect:b"},
    {"MirrorPadAdjoint", "vv", "paddings:ints reflect:b"},
    {"Mul", "vv", ""},
    {"Neg", "v", ""},
    {"NotEqual", "vv", ""},
    {"OneHot", "v", "axis:i depth:i dtype:type off_value:f on_value:f"},
    {"OnesLike", "v", ""},
    {"OpenVariableAdd", "rv", "dtypes:ints shapes:ints"},
    {"OpenVariableAssign", "rv", "dtypes:ints shapes:ints"},
    {"OpenVariableIsInitialized", "r", "dtypes:ints? shapes:ints?"},
    {"OpenVariableRead", "r", "dtypes:ints shapes:ints"},
    {"OpenVariableSubtract", "rv", "dtypes:ints shapes:ints"},
    {"PadV2", "v", "constant:f paddings:ints"},
    {"ParseExample", "v", "features:object"},
    {"Placeholder", "", "any_rank:b? dtype:type shape:ints"},
    {"PlaceholderWithDefault", "v", "any_rank:b? shape:ints"},
    {"Polygamma", "v", "order:i"},
    {"Pow", "vv", ""},
    {"PrintV2", "v*", "template:s summarize:i? outputs:i?"},
    {"Prod", "v", "axes:ints keep_dims:b"},
    {"QueueClose", "r", "cancel_pending_enqueues:b"},
    {"QueueDequeue", "r", "dtypes:ints shapes:ints"},
    {"QueueDequeueMany", "rv", "dtypes:ints shapes:ints"},
    {"QueueDequeueUpTo", "rv", "dtypes:ints shapes:ints"},
    {"QueueEnqueue", "rv*", ""},
    {"QueueEnqueueMany", "rv*", ""},
    {"QueueIsClosed", "r", ""},
    {"QueueSize", "r", ""},
    {"RandomPermutation", "vv?", "size:i?"},
    {"Range", "vvv", ""},
    {"ReadVariableOp", "r", ""},
    {"RealDiv", "vv", ""},
    {"Reciprocal", "v", ""},
    {"RegexFullMatch", "v", "pattern:s"},
    {"RegexReplace", "v", "pattern:s replace_global:b rewrite:s"},
    {"Relu", "v", ""},
    {"Relu6", "v", ""},
    {"Relu6Grad", "vv", ""},
    {"ReluGrad", "vv", ""},
    {"ReplicaAllGather", "vv*", "axis:i"},
    {"ReplicaAllReduce", "vv*", "reduce_op:i"},
    {"ReplicaId", "", ""},
    {"ReplicaMerge", "a*", "body:object graph:object? results:object"},
    {"ReplicaReduceScatter", "vv*", "axis:i"},
    {"ReplicaRun", "a*", "graph:object? program:object results:object?"},
    {"ReplicaUpdate", "rv*", "combine:b reduce_op:i update:s"},
    {"ReplicaWeights", "v", "replicas:i"},
    {"Reshape", "v", "shape:ints"},
    {"ReshapeLike", "vv", ""},
    {"ResourceApplyAdaMax", "rrrvvv*", "beta_1:f beta_2:f epsilon:f extras:i?"},
    {"ResourceApplyAdadelta", "rrrvvv*", "epsilon:f extras:i? rho:f"},
    {"ResourceApplyAdagrad", "rrvvv*", "epsilon:f extras:i?"},
    {"ResourceApplyAdam", "rrrvvv*", "beta_1:f beta_2:f epsilon:f extras:i?"},
    {"ResourceApplyAdamWithAmsgrad", "rrrrvvv*", "beta_1:f beta_2:f epsilon:f extras:i?"},
    {"ResourceApplyCenteredRMSProp", "rrrvvv*", "epsilon:f momentum:f rho:f"},
    {"ResourceApplyCenteredRMSPropMomentum", "rrrrvvv*", "epsilon:f extras:i? momentum:f rho:f"},
    {"ResourceApplyFtrl", "rrrvvv*", "beta:f extras:i? l1:f l2:f l2_shrinkage:f learning_rate_power:f"},
    {"ResourceApplyGradientDescent", "rvvv*", "extras:i?"},
    {"ResourceApplyLambDirection", "rrrvvvv*", "beta_1:f beta_2:f epsilon:f extras:i?"},
    {"ResourceApplyLion", "rrvvv*", "beta_1:f beta_2:f extras:i?"},
    {"ResourceApplyMomentum", "rrvvv*", "extras:i? momentum:f nesterov:b"},
    {"ResourceApplyNadam", "rrrvvvvv*", "beta_1:f beta_2:f epsilon:f extras:i?"},
    {"ResourceApplyRMSProp", "rrvvv*", "epsilon:f extras:i? momentum:f rho:f"},
    {"ResourceApplyRMSPropMomentum", "rrrvv*", ""},
    {"ResourceScatterAdd", "rvv", ""},
    {"ResourceScatterDiv", "rvv", ""},
    {"ResourceScatterMax", "rvv", ""},
    {"ResourceScatterMin", "rvv", ""},
    {"ResourceScatterMul", "rvv", ""},
    {"ResourceScatterSub", "rvv", ""},
    {"ResourceScatterUpdate", "rvv", ""},
    {"ReverseV2", "v", "axes:ints"},
    {"RightShift", "vv", ""},
    {"Rint", "v", ""},
    {"RngReadAndSkip", "rv", ""},
    {"RngReplicaState", "vv", ""},
    {"Round", "v", ""},
    {"Rsqrt", "v", ""},
    {"ScaledDotProductAttention", "vvv", "causal:b scale:f"},
    {"ScaledDotProductAttentionGrad", "vvvvvv", "causal:b scale:f"},
    {"ScatterNd", "vv", "shape:ints"},
    {"SearchSorted", "vv", "right:b"},
    {"SegmentSum", "vv", ""},
    {"SelectV2", "vvv", ""},
    {"Selu", "v", "above:f below:f"},
    {"SeluGrad", "vv", "above:f below:f"},
    {"Shape", "v", "out_type:type"},
    {"Sigmoid", "v", ""},
    {"SigmoidCrossEntropyWithLogits", "vv", ""},
    {"SigmoidGrad", "vv", ""},
    {"Sign", "v", ""},
    {"Silu", "v", ""},
    {"Sin", "v", ""},
    {"Sinh", "v", ""},
    {"Size", "v", "out_type:type"},
    {"Slice", "v", "begin:ints size:ints"},
    {"SliceAdjoint", "vv", "begin:ints begin_mask:i? ellipsis_mask:i? end:ints? end_mask:i? new_axis_mask:i? shrink_axis_mask:i? size:ints? strides:ints?"},
    {"Softmax", "v", ""},
    {"SoftmaxCrossEntropyWithLogits", "vv", ""},
    {"Softplus", "v", ""},
    {"SoftplusGrad", "vv", ""},
    {"Softsign", "v", ""},
    {"SoftsignGrad", "vv", ""},
    {"SparseSoftmaxCrossEntropyWithLogits", "vv", ""},
    {"SparseToDense", "vvvv", "validate_indices:b"},
    {"Split", "v", "axis:i num:i"},
    {"SplitLike", "vv*", "axis:i"},
    {"SplitV", "v", "axis:i sizes:ints"},
    {"Sqrt", "v", ""},
    {"Square", "v", ""},
    {"SquaredDifference", "vv", ""},
    {"Squeeze", "v", "axes:ints"},
    {"StatelessDropout", "vv", "a:f? b:f? rate:f row_count:i? row_offset:i?"},
    {"StatelessNormalLike", "vv", "a:f b:f rate:f? row_count:i? row_offset:i?"},
    {"StatelessRandomBinomial", "vvv", "samples:i"},
    {"StatelessRandomGamma", "vv", "samples:i"},
    {"StatelessRandomNormal", "v", "a:f b:f dtype:type row_offset:i? shape:ints"},
    {"StatelessRandomPoisson", "vv", "highest:f samples:i"},
    {"StatelessRandomUniform", "v", "a:f b:f dtype:type row_offset:i? shape:ints"},
    {"StatelessRandomUniformFullInt", "v", "dtype:type shape:ints row_offset:i? high:i? low:i?"},
    {"StatelessRandomUniformInt", "v", "dtype:type high:i low:i row_offset:i? shape:ints"},
    {"StatelessTruncatedNormal", "v", "a:f b:f dtype:type row_offset:i? shape:ints"},
    {"StopGradient", "v", ""},
    {"StridedSlice", "v", "begin:ints begin_mask:i ellipsis_mask:i end:ints end_mask:i new_axis_mask:i shrink_axis_mask:i strides:ints"},
    {"StringJoin", "vv*", "separator:s"},
    {"StringJoinRows", "vv", "separator:s"},
    {"StringLength", "v", "unit:i"},
    {"StringLower", "v", ""},
    {"StringNGrams", "vv", "left:s pad_width:i preserve_short:b right:s separator:s widths:ints"},
    {"StringReduceJoin", "v", "separator:s"},
    {"StringSplit", "v", "most:i separator:s"},
    {"StringSplitUnits", "v", "unit:i"},
    {"StringStrip", "v", ""},
    {"StringToHashBucket", "v", "hash:i key:ints num_buckets:i"},
    {"StringToNumber", "v", "out_type:type"},
    {"StringUpper", "v", ""},
    {"StripPunctuation", "v", ""},
    {"Sub", "vv", ""},
    {"Substr", "vvv", ""},
    {"Sum", "v", "axes:ints keep_dims:b leaves:ints?"},
    {"SumLike", "vv", ""},
    {"SumSquares", "v", "axes:ints keep_dims:b"},
    {"Tan", "v", ""},
    {"Tanh", "v", ""},
    {"TanhGrad", "vv", ""},
    {"TensorScatterAdd", "vvv", ""},
    {"TensorScatterUpdate", "vvv", ""},
    {"Tile", "v", "multiples:ints"},
    {"TileAdjoint", "vv", "multiples:ints"},
    {"TileSumSquares", "v", ""},
    {"TopKV2", "v", "ascending:b k:i"},
    {"Transpose", "v", "perm:ints"},
    {"TreeSum", "v", ""},
    {"TruncateDiv", "vv", ""},
    {"TruncateMod", "vv", ""},
    {"UnicodeDecode", "v", ""},
    {"Unique", "v", ""},
    {"UnsortedSegmentSum", "vv", "leaves:ints? num_segments:i"},
    {"VarIsInitializedOp", "r", ""},
    {"Where", "v", ""},
    {"While", "aa*", "body:object condition:object variables:i kept:i? maximum_iterations:i? parallel_iterations:i? record:b?"},
    {"ZerosLike", "v", ""},
    {"_BatchAffine", "vvv?", "replicas:ints"},
    {"_BatchDot", "vv", "leaves:ints? replicas:ints"},
    {"_BatchInverseCounts", "v", "replicas:ints"},
    {"_BatchMoments", "v", "leaves:ints? replicas:ints"},
    {"_BatchSpread", "vv", "replicas:ints"},
    {"_BatchSum", "v", "leaves:ints? replicas:ints"},
    {"_Exchange", "a*", "bucket:i bytes:i fingerprint:i keep:ints outputs:ints? receive:ints send:ints"},
    {"_FusedConv2D", "vvv", "dilations:ints? fused_ops:s? padding:s? strides:ints?"},
    {"_FusedMatMul", "vvv", "fused_ops:s? transpose_a:b? transpose_b:b?"},
    {"_GatherScaled", "vvv", "axis:i batch_dims:i"},
    {"_GatherVariables", "rr*", "borders:ints bucket:i bytes:i fingerprint:i"},
    {"_HeadsAttention", "vvv", "causal:b scale:f"},
    {"_HeadsAttentionGrad", "vvvvvv", "causal:b scale:f"},
    {"_Hold", "a*", ""},
    {"_ProductResourceApplyAdaMax", "rrrvvvv*", "beta_1:f beta_2:f epsilon:f"},
    {"_ProductResourceApplyAdadelta", "rrrvvvv*", "epsilon:f rho:f"},
    {"_ProductResourceApplyAdagrad", "rrvvvv*", "epsilon:f"},
    {"_ProductResourceApplyAdam", "rrrvvvv*", "beta_1:f beta_2:f epsilon:f extras:i? leaves:ints?"},
    {"_ProductResourceApplyAdamWithAmsgrad", "rrrrvvvv*", "beta_1:f beta_2:f epsilon:f extras:i?"},
    {"_ProductResourceApplyCenteredRMSProp", "rrrvvvv*", ""},
    {"_ProductResourceApplyCenteredRMSPropMomentum", "rrrrvvvv*", "epsilon:f momentum:f rho:f"},
    {"_ProductResourceApplyFtrl", "rrrvvvv*", "beta:f l1:f l2:f l2_shrinkage:f learning_rate_power:f"},
    {"_ProductResourceApplyGradientDescent", "rvvvv*", ""},
    {"_ProductResourceApplyLion", "rrvvvv*", "beta_1:f beta_2:f"},
    {"_ProductResourceApplyMomentum", "rrvvvv*", "extras:i? leaves:ints? momentum:f nesterov:b"},
    {"_ProductResourceApplyNadam", "rrrvvvvvv*", "beta_1:f beta_2:f epsilon:f"},
    {"_ProductResourceApplyRMSProp", "rrvvvv*", "epsilon:f momentum:f rho:f"},
    {"_ProductResourceApplyRMSPropMomentum", "rrrvvv*", ""},
    {"_Recv", "", "dtype:type key:s shape:ints unranked:b?"},
    {"_ScaledMatMul", "vvvv?", "fused_ops:s? transpose_a:b? transpose_b:b?"},
    {"_Send", "v", "key:s"},
    {"_VariableRows", "r", "begin:i size:i"},
};
// clang-format on

constexpr std::string_view kKinds[] = {"b",    "i",      "f",      "s",     "type",
                                       "ints", "floats", "tensor", "object"};
constexpr const char* kKindNames[] = {
    "a bool",           "an integer", "a float",
    "a string",         "a dtype",    "a list of integers",
    "a list of floats", "a tensor",   "a graph or another object"};

Signature Parsed(const Row& row) {
  Signature signature;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    const char kind = row.inputs[i];
    const char next = i + 1 < row.inputs.size() ? row.inputs[i + 1] : ' ';
    if (next == '*') {
      signature.rest = kind;
      break;
    }
    signature.inputs += kind;
    if (next == '?') {
      ++i;
    } else {
      ++signature.least;
    }
  }
  std::string_view rest = row.attributes;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const size_t colon = one.find(':');
    std::string_view kind = one.substr(colon + 1);
    const bool optional = kind.ends_with('?');
    if (optional) kind.remove_suffix(1);
    const auto* place = std::find(std::begin(kKinds), std::end(kKinds), kind);
    signature.attributes.push_back({std::string(one.substr(0, colon)),
                                    static_cast<size_t>(place - std::begin(kKinds)), !optional});
  }
  return signature;
}

[[noreturn]] void Refuse(const OpSpec& spec, const std::string& text) {
  throw Error(Code::kInvalidArgument, "[" + spec.name + "] " + text);
}

std::string Counted(size_t count) {
  return std::to_string(count) + (count == 1 ? " input" : " inputs");
}

}  // namespace

const Signature* FindSignature(std::string_view op) {
  static const std::vector<Signature> signatures = [] {
    std::vector<Signature> all;
    for (const Row& row : kRows) all.push_back(Parsed(row));
    return all;
  }();
  const auto* place =
      std::lower_bound(std::begin(kRows), std::end(kRows), op,
                       [](const Row& row, std::string_view name) { return row.op < name; });
  if (place == std::end(kRows) || place->op != op) return nullptr;
  return &signatures[static_cast<size_t>(place - std::begin(kRows))];
}

void CheckInputs(const OpSpec& spec, std::span<const TensorType> inputs) {
  const Signature* signature = spec.signature;
  if (signature == nullptr) return;
  const size_t most = signature->inputs.size();
  if (inputs.size() < signature->least || (inputs.size() > most && signature->rest == 0)) {
    const std::string wanted = signature->rest != 0 ? "at least " + Counted(signature->least)
                               : most == signature->least
                                   ? Counted(most)
                                   : std::to_string(signature->least) + " to " + Counted(most);
    Refuse(spec, "takes " + wanted + "; got " + std::to_string(inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const char kind = i < most ? signature->inputs[i] : signature->rest;
    const bool resource = inputs[i].dtype == DType::kResource;
    if (kind == 'a' || resource == (kind == 'r')) continue;
    Refuse(spec, "input " + std::to_string(i) + " must be a " + (resource ? "value" : "resource") +
                     "; got " + inputs[i].ToString());
  }
}

void CheckAttributes(const OpSpec& spec, const Attributes& attributes) {
  if (spec.signature == nullptr) return;
  for (const AttributeRule& rule : spec.signature->attributes) {
    const AttributeValue* value = attributes.Find(rule.name);
    if (value == nullptr && !rule.required) continue;
    if (value != nullptr && value->index() == rule.kind) continue;
    Refuse(spec, "the attribute '" + rule.name + "' must be " + kKindNames[rule.kind] + "; got " +
                     (value == nullptr ? "none" : kKindNames[value->index()]));
  }
}

void CheckImported(const OpSpec& spec, const Attributes& attributes,
                   std::span<const TensorType> inputs) {
  if (spec.signature == nullptr)
    Refuse(spec, "an op of a graph that is read must declare its inputs; got none");
  CheckInputs(spec, inputs);
  CheckAttributes(spec, attributes);
}

}  // namespace lockstep::ops
