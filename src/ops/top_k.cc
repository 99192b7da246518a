// TopK, Sort and ArgSort.

#include "lockstep/ops/array.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

// "k" -1: all.
std::vector<TensorType> InferTopK(const InferenceContext& context) {
  TensorType values = context.inputs[0];
  const int64_t k = context.attributes.Get<int64_t>("k");
  const int last = values.shape.rank() - 1;
  if (last < 0 || k < -1 || (values.shape[last] >= 0 && k > values.shape[last])) {
    Reject(context.spec, "k must be between 0 and the size of the last axis",
           "k " + std::to_string(k) + " of " + values.ToString());
  }
  if (k >= 0) values.shape.set_dim(last, k);
  return {values, {DType::kInt32, values.shape}};
}

RowEffect TopKRows(const RowContext& context) {
  return context.inputs[0].shape.rank() > 1 ? RowEffect::kRows : RowEffect::kMixes;
}

std::vector<Tensor> TopKGradient(const GradientContext& context) {
  if (!context.output_gradients[0].defined()) return {Tensor()};
  const int64_t last = context.inputs[0].rank() - 1;
  return {Emit1("GatherAdjoint",
                {context.output_gradients[0], context.outputs[1], context.inputs[0]},
                {{"axis", last}, {"batch_dims", last}})};
}

const RegisterOp kTopK(
    {.name = "TopKV2", .infer = InferTopK, .gradient = TopKGradient, .rows = TopKRows});

// All elements along `axis` in order: values and places.
std::vector<Tensor> Sorted(const Tensor& values, int axis, SortDirection direction,
                           const char* where) {
  const int place = NormalizeAxis(axis, values.rank(), where);
  const int last = values.rank() - 1;
  std::vector<int64_t> perm;
  for (int i = 0; i <= last; ++i) perm.push_back(i);
  std::swap(perm[place], perm[last]);
  const Tensor rows = place == last ? values : Transpose(values, perm);
  std::vector<Tensor> sorted =
      Emit("TopKV2", {rows},
           {{"k", int64_t{-1}}, {"ascending", direction == SortDirection::kAscending}});
  if (place != last) {
    for (Tensor& tensor : sorted) tensor = Transpose(tensor, perm);
  }
  return sorted;
}

}  // namespace
}  // namespace ops

TopKResult TopK(const Tensor& input, int64_t k) {
  if (k < 0) {
    throw Error(Code::kInvalidArgument,
                "[TopKV2] k must not be negative; got " + std::to_string(k));
  }
  const auto outputs = ops::Emit("TopKV2", {input}, {{"k", k}, {"ascending", false}});
  return {outputs[0], outputs[1]};
}
Tensor Sort(const Tensor& values, int axis, SortDirection direction) {
  return ops::Sorted(values, axis, direction, "Sort")[0];
}
Tensor ArgSort(const Tensor& values, int axis, SortDirection direction) {
  return ops::Sorted(values, axis, direction, "ArgSort")[1];
}

}  // namespace lockstep
