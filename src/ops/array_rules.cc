#include "ops/array_rules.h"

#include <utility>

namespace lockstep::ops {

void Reject(const OpSpec& spec, const std::string& rule, const std::string& got) {
  throw Error(Code::kInvalidArgument, "[" + spec.name + "] " + rule + "; got " + got);
}

int IntOf(const Attributes& attributes, std::string_view name) {
  const int64_t number = attributes.Get<int64_t>(name);
  if (std::in_range<int>(number)) return static_cast<int>(number);
  throw Error(Code::kInvalidArgument, "[ops] the attribute " + std::string(name) +
                                          " must fit into 32 bits; got " + std::to_string(number));
}

int AxisOf(const InferenceContext& context, int rank, std::string_view name) {
  const int64_t axis = context.attributes.Get<int64_t>(name);
  if (axis >= 0 && axis < rank) return static_cast<int>(axis);
  Reject(context.spec, std::string(name) + " must be an axis",
         std::to_string(axis) + " for " + std::to_string(rank) + " axes");
}

RowEffect ViewRows(const RowContext& context) {
  const Shape& shape = context.outputs[0].shape;
  const bool fits = shape.rank() > 0 && context.examples > 0 && shape[0] % context.examples == 0;
  return fits ? RowEffect::kRows : RowEffect::kMixes;
}

RowEffect RowsUnlessAxis0(const RowContext& context) {
  if (IntOf(context.attributes, "axis") == 0) return RowEffect::kMixes;
  for (char rows : context.has_rows) {
    if (!rows) return RowEffect::kMixes;
  }
  return RowEffect::kRows;
}

void RequireForwardShape(const InferenceContext& context, InferFunction infer) {
  TensorType forward = context.inputs[1];
  forward.dtype = context.inputs[0].dtype;
  const TensorType inputs[] = {forward};
  const TensorType wanted = infer({context.spec, context.attributes, inputs})[0];
  if (!context.inputs[0].shape.CompatibleWith(wanted.shape)) {
    Reject(context.spec, "the gradient must have the shape of the forward result",
           context.inputs[0].ToString() + " instead of " + wanted.ToString());
  }
}

void RequireAxes(const OpSpec& spec, const std::vector<int64_t>& axes, int rank) {
  uint32_t seen = 0;
  bool fits = true;
  for (const int64_t axis : axes) {
    fits = fits && axis >= 0 && axis < rank && (seen >> axis & 1) == 0;
    if (fits) seen |= 1u << axis;
  }
  if (!fits) {
    Reject(spec, "axes must be axes of the input, each given once",
           ListText(axes) + " for " + std::to_string(rank) + " axes");
  }
}

void RequireIndices(const OpSpec& spec, const TensorType& type) {
  if (type.dtype != DType::kInt32 && type.dtype != DType::kInt64) {
    Reject(spec, "indices must be int32 or int64", type.ToString());
  }
}

}  // namespace lockstep::ops
