#include "lockstep/ops/array.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferOneHot(const InferenceContext& context) {
  const TensorType& indices = context.inputs[0];
  const int64_t depth = context.attributes.Get<int64_t>("depth");
  const int axis = AxisOf(context, indices.shape.rank() + 1);
  if (!IsInteger(indices.dtype)) {
    Reject(context.spec, "indices must be integers", indices.ToString());
  }
  if (depth < 0) Reject(context.spec, "depth must not be negative", std::to_string(depth));
  Shape shape;
  for (int i = 0; i <= indices.shape.rank(); ++i) {
    if (i == axis) shape.Append(depth);
    if (i < indices.shape.rank()) shape.Append(indices.shape[i]);
  }
  return {{context.attributes.Get<DType>("dtype"), shape}};
}

const RegisterOp kOneHot({.name = "OneHot", .infer = InferOneHot, .rows = RowsUnlessAxis0});

}  // namespace
}  // namespace ops

Tensor OneHot(const Tensor& indices, int64_t depth, const OneHotOptions& options) {
  std::vector<Tensor> operands{indices};
  ops::ResolveWeak(operands, "OneHot");
  const int64_t axis = NormalizeAxis(options.axis, indices.rank() + 1, "OneHot");
  return ops::Emit1("OneHot", operands,
                    {{"depth", depth},
                     {"axis", axis},
                     {"on_value", options.on_value},
                     {"off_value", options.off_value},
                     {"dtype", options.dtype}});
}

}  // namespace lockstep
