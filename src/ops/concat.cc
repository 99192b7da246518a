// Concat and Split: parts along an axis become one, and one becomes parts.

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/structure.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferConcat(const InferenceContext& context) {
  TensorType result = context.inputs[0];
  const int axis = AxisOf(context, result.shape.rank());
  for (size_t k = 1; k < context.inputs.size(); ++k) {
    const TensorType& input = context.inputs[k];
    bool fits = input.dtype == result.dtype && input.shape.rank() == result.shape.rank();
    for (int i = 0; i < result.shape.rank() && fits; ++i) {
      const int64_t a = result.shape[i];
      const int64_t b = input.shape[i];
      if (i == axis) {
        result.shape.set_dim(i, SumOfSizes({a, b}, context.spec.name));
      } else if (a < 0) {
        result.shape.set_dim(i, b);
      } else {
        fits = b < 0 || a == b;
      }
    }
    if (!fits) {
      Reject(context.spec, "dtypes, and shapes but along the axis, must agree",
             context.inputs[0].ToString() + " and " + input.ToString() + " (value " +
                 std::to_string(k) + ", axis " + std::to_string(axis) + ")");
    }
  }
  return {result};
}

// The sizes of the parts are taken from inputs 1, 2, ..., of which only the shapes count.
constexpr uint32_t kAllButFirst = ~1u;
constexpr size_t kMostParts = 31;

std::vector<TensorType> InferSplitLike(const InferenceContext& context) {
  const Shape& whole = context.inputs[0].shape;
  const int axis = AxisOf(context, whole.rank());
  int64_t total = 0;
  std::vector<TensorType> result;
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    TensorType part = context.inputs[i];
    part.dtype = context.inputs[0].dtype;
    Shape shape = part.shape;
    if (shape.rank() == whole.rank()) {
      total = SumOfSizes({total, shape[axis]}, context.spec.name);
      shape.set_dim(axis, whole[axis]);
    }
    if (!shape.CompatibleWith(whole)) {
      Reject(context.spec, "a part must have the shape of the whole but along the axis",
             part.ToString() + " of " + context.inputs[0].ToString());
    }
    result.push_back(part);
  }
  if (total >= 0 && whole[axis] >= 0 && total != whole[axis]) {
    Reject(context.spec, "the parts must add up to the axis",
           std::to_string(total) + " of " + whole.ToString());
  }
  return result;
}

// The parts' gradients in one piece; zeros for parts that nothing depends on.
std::vector<Tensor> JoinedGradients(const GradientContext& context) {
  std::vector<Tensor> parts;
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    const Tensor& gradient = context.output_gradients[i];
    parts.push_back(gradient.defined() ? gradient : ZerosLike(context.outputs[i]));
  }
  std::vector<Tensor> result(context.inputs.size());
  result[0] = Concat(parts, IntOf(context.attributes, "axis"));
  return result;
}

RowEffect SplitRows(const RowContext& context) {
  return IntOf(context.attributes, "axis") == 0 ? RowEffect::kMixes : RowEffect::kRows;
}

const RegisterOp kSplitLike({.name = "SplitLike",
                             .infer = InferSplitLike,
                             .gradient = JoinedGradients,
                             .rows = SplitRows,
                             .shape_only = kAllButFirst});

std::vector<TensorType> InferSplitV(const InferenceContext& context) {
  const auto& sizes = ListOf(context.attributes, "sizes");
  const TensorType& input = context.inputs[0];
  const int axis = AxisOf(context, input.shape.rank());
  int64_t known = 0;
  int open = 0;
  bool valid = true;
  for (int64_t size : sizes) {
    valid &= size >= -1;
    if (size == -1) {
      ++open;
    } else {
      known = valid ? SumOfSizes({known, size}, context.spec.name) : known;
    }
  }
  const int64_t total = input.shape[axis];
  if (!valid || open > 1 || (total >= 0 && (open == 1 ? known > total : known != total))) {
    Reject(context.spec, "sizes must add up to the axis' size, at most one may be -1",
           input.shape.ToString() + ", sizes " + ListText(sizes) + " along axis " +
               std::to_string(axis));
  }
  std::vector<TensorType> result(sizes.size(), input);
  for (size_t i = 0; i < sizes.size(); ++i) {
    result[i].shape.set_dim(axis, sizes[i] >= 0 ? sizes[i] : total < 0 ? -1 : total - known);
  }
  return result;
}

const RegisterOp kSplitV(
    {.name = "SplitV", .infer = InferSplitV, .gradient = JoinedGradients, .rows = SplitRows});

std::vector<TensorType> InferSplit(const InferenceContext& context) {
  const int64_t num = context.attributes.Get<int64_t>("num");
  TensorType part = context.inputs[0];
  const int axis = AxisOf(context, part.shape.rank());
  const int64_t size = part.shape[axis];
  if (num < 1 || (size >= 0 && size % num != 0)) {
    Reject(context.spec, "the number of parts must divide the axis",
           std::to_string(num) + " parts of " + part.ToString() + " along axis " +
               std::to_string(axis));
  }
  constexpr int64_t kMostOutputs = int64_t{1} << 20;
  if (num > kMostOutputs) {
    throw Error(Code::kResourceExhausted, "[Split] there may be at most 2^20 parts; got " +
                                              std::to_string(num) + " of " + part.ToString());
  }
  if (size >= 0) part.shape.set_dim(axis, size / num);
  return std::vector<TensorType>(num, part);
}

const RegisterOp kSplit(
    {.name = "Split", .infer = InferSplit, .gradient = JoinedGradients, .rows = SplitRows});

std::vector<Tensor> ConcatGradient(const GradientContext& context) {
  const int axis = IntOf(context.attributes, "axis");
  const Tensor& gradient = context.output_gradients[0];
  std::vector<int64_t> sizes;
  bool known = true;
  for (const Tensor& input : context.inputs) {
    sizes.push_back(input.shape()[axis]);
    known &= sizes.back() >= 0;
  }
  if (known) return SplitV(gradient, sizes, axis);
  if (sizes.size() > kMostParts) {
    Reject(context.spec, "a gradient for more than 31 values needs known sizes",
           std::to_string(sizes.size()) + " values");
  }
  std::vector<Tensor> operands{gradient};
  operands.insert(operands.end(), context.inputs.begin(), context.inputs.end());
  return Emit("SplitLike", operands, {{"axis", int64_t{axis}}});
}

const RegisterOp kConcat({.name = "ConcatV2",
                          .infer = InferConcat,
                          .gradient = ConcatGradient,
                          .rows = RowsUnlessAxis0});

}  // namespace
}  // namespace ops

Tensor Concat(const std::vector<Tensor>& values, int axis) {
  if (values.empty()) {
    throw Error(Code::kInvalidArgument, "[ConcatV2] values are needed; got none");
  }
  std::vector<Tensor> operands = values;
  ops::ResolveWeak(operands, "ConcatV2");
  if (operands.size() == 1 && operands[0].rank() > 0) return Identity(operands[0]);
  const int64_t place = NormalizeAxis(axis, operands[0].rank(), "ConcatV2");
  return ops::Emit1("ConcatV2", operands, {{"axis", place}});
}

std::vector<Tensor> SplitV(const Tensor& value, const std::vector<int64_t>& sizes, int axis) {
  const int64_t place = NormalizeAxis(axis, value.rank(), "SplitV");
  return ops::Emit("SplitV", {value}, {{"sizes", sizes}, {"axis", place}});
}

std::vector<Tensor> Split(const Tensor& value, int64_t num, int axis) {
  const int64_t place = NormalizeAxis(axis, value.rank(), "Split");
  return ops::Emit("Split", {value}, {{"num", num}, {"axis", place}});
}

Tensor Stack(const std::vector<Tensor>& values, int axis) {
  if (values.empty()) throw Error(Code::kInvalidArgument, "[Pack] values are needed; got none");
  std::vector<Tensor> operands = values;
  ops::ResolveWeak(operands, "Pack");
  const int place = NormalizeAxis(axis, operands[0].rank() + 1, "Pack");
  for (Tensor& operand : operands) {
    if (!operand.shape().CompatibleWith(operands[0].shape())) {
      throw Error(Code::kInvalidArgument, "[Pack] shapes must agree; got " +
                                              values[0].shape().ToString() + " and " +
                                              operand.shape().ToString());
    }
  }
  for (Tensor& operand : operands) operand = ExpandDims(operand, {place});
  return Concat(operands, place);
}

std::vector<Tensor> Unstack(const Tensor& value, int axis) {
  const int place = NormalizeAxis(axis, value.rank(), "Unpack");
  const int64_t size = value.shape()[place];
  if (size < 0) {
    throw Error(Code::kInvalidArgument, "[Unpack] the axis must have a known size; got " +
                                            value.shape().ToString() + " and axis " +
                                            std::to_string(place));
  }
  if (size == 0) return {};
  std::vector<Tensor> parts = Split(value, size, place);
  for (Tensor& part : parts) part = Squeeze(part, {place});
  return parts;
}

}  // namespace lockstep
