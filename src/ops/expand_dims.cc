// ExpandDims and Squeeze: axes of size 1 come and go.

#include <algorithm>

#include "lockstep/ops/array.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

bool Contains(const std::vector<int64_t>& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::vector<TensorType> InferExpandDims(const InferenceContext& context) {
  const auto& axes = ListOf(context.attributes, "axes");
  const TensorType& input = context.inputs[0];
  if (axes.size() > Shape::kMaxRank) Reject(context.spec, "at most 8 axes", ListText(axes));
  const int rank = input.shape.rank() + static_cast<int>(axes.size());
  RequireAxes(context.spec, axes, rank);
  Shape shape;
  for (int i = 0, from = 0; i < rank; ++i) {
    shape.Append(Contains(axes, i) ? 1 : input.shape[from++]);
  }
  return {{input.dtype, shape, input.element}};
}

std::vector<Tensor> ExpandDimsGradient(const GradientContext& context) {
  return {Squeeze(context.output_gradients[0], ListOf(context.attributes, "axes"))};
}

const RegisterOp kExpandDims({.name = "ExpandDims",
                              .infer = InferExpandDims,
                              .gradient = ExpandDimsGradient,
                              .rows = ViewRows,
                              .view = true});

std::vector<TensorType> InferSqueeze(const InferenceContext& context) {
  const auto& axes = ListOf(context.attributes, "axes");
  const TensorType& input = context.inputs[0];
  RequireAxes(context.spec, axes, input.shape.rank());
  Shape shape;
  for (int i = 0; i < input.shape.rank(); ++i) {
    if (!Contains(axes, i)) {
      shape.Append(input.shape[i]);
    } else if (input.shape[i] != 1 && input.shape[i] != Shape::kUnknown) {
      Reject(context.spec, "an axis that goes must have size 1",
             input.shape.ToString() + " and axis " + std::to_string(i));
    }
  }
  return {{input.dtype, shape, input.element}};
}

std::vector<Tensor> SqueezeGradient(const GradientContext& context) {
  return {ExpandDims(context.output_gradients[0], ListOf(context.attributes, "axes"))};
}

const RegisterOp kSqueeze({.name = "Squeeze",
                           .infer = InferSqueeze,
                           .gradient = SqueezeGradient,
                           .rows = ViewRows,
                           .view = true});

// Counted from the front, rising, each once.
std::vector<int64_t> Normalized(const std::vector<int64_t>& axes, int rank, const char* where) {
  std::vector<int64_t> result;
  for (int64_t axis : axes) result.push_back(NormalizeAxis(axis, rank, where));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace
}  // namespace ops

Tensor ExpandDims(const Tensor& input, const std::vector<int64_t>& axes) {
  const int rank = input.rank() + static_cast<int>(axes.size());
  const auto places = ops::Normalized(axes, rank, "ExpandDims");
  if (places.size() != axes.size()) {
    throw Error(Code::kInvalidArgument,
                "[ExpandDims] new axes must differ; got " + ops::ListText(axes));
  }
  return ops::Emit1("ExpandDims", {input}, {{"axes", places}});
}

Tensor Squeeze(const Tensor& input, const std::vector<int64_t>& axes) {
  std::vector<int64_t> places = ops::Normalized(axes, input.rank(), "Squeeze");
  if (axes.empty()) {
    for (int i = 0; i < input.rank(); ++i) {
      if (input.shape()[i] == 1) places.push_back(i);
    }
  }
  return ops::Emit1("Squeeze", {input}, {{"axes", places}});
}

}  // namespace lockstep
