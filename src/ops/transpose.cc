#include "lockstep/ops/array.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferTranspose(const InferenceContext& context) {
  const auto& perm = ListOf(context.attributes, "perm");
  const TensorType& input = context.inputs[0];
  std::vector<bool> seen(input.shape.rank());
  Shape shape;
  bool fits = static_cast<int>(perm.size()) == input.shape.rank();
  for (size_t i = 0; i < perm.size() && fits; ++i) {
    fits = perm[i] >= 0 && perm[i] < input.shape.rank() && !seen[perm[i]];
    if (!fits) break;
    seen[perm[i]] = true;
    shape.Append(input.shape[static_cast<int>(perm[i])]);
  }
  if (!fits) {
    Reject(context.spec, "perm must be a permutation of the axes",
           input.shape.ToString() + " and perm " + ListText(perm));
  }
  return {{input.dtype, shape, input.element}};
}

std::vector<Tensor> TransposeGradient(const GradientContext& context) {
  const auto& perm = ListOf(context.attributes, "perm");
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) inverse[perm[i]] = static_cast<int64_t>(i);
  return {Transpose(context.output_gradients[0], inverse)};
}

RowEffect TransposeRows(const RowContext& context) {
  return ListOf(context.attributes, "perm")[0] == 0 ? RowEffect::kRows : RowEffect::kMixes;
}

const RegisterOp kTranspose({.name = "Transpose",
                             .infer = InferTranspose,
                             .gradient = TransposeGradient,
                             .rows = TransposeRows});

}  // namespace
}  // namespace ops

Tensor Transpose(const Tensor& input, const std::vector<int64_t>& perm) {
  std::vector<int64_t> places;
  for (int i = 0; i < input.rank() && perm.empty(); ++i) places.push_back(input.rank() - 1 - i);
  for (int64_t axis : perm) places.push_back(NormalizeAxis(axis, input.rank(), "Transpose"));
  return ops::Emit1("Transpose", {input}, {{"perm", places}});
}

}  // namespace lockstep
