#include "ops/array_rules.h"

namespace lockstep::ops {

void Reject(const OpSpec& spec, const std::string& rule, const std::string& got) {
  throw Error(Code::kInvalidArgument, "[" + spec.name + "] " + rule + "; got " + got);
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

void RequireIndices(const OpSpec& spec, const TensorType& type) {
  if (type.dtype != DType::kInt32 && type.dtype != DType::kInt64) {
    Reject(spec, "indices must be int32 or int64", type.ToString());
  }
}

}  // namespace lockstep::ops
