#include "runtime/loop_history.h"

#include <utility>

#include "lockstep/ops/array.h"
#include "lockstep/ops/by_values.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

// One of unknown rank is taken to keep its shape.
bool IsFlat(const ops::TensorType& type) {
  return type.shape.ranked() && !type.shape.fully_known();
}

// [iterations, S]
Shape StackedShape(const Shape& shape, int64_t iterations) {
  if (!shape.ranked()) return shape;
  Shape stacked{iterations};
  for (int64_t size : shape.sizes()) stacked.Append(size);
  return stacked;
}

Tensor Joined(std::vector<Tensor> parts) { return parts.size() == 1 ? parts[0] : Concat(parts, 0); }

Tensor ValuesOf(const ops::TensorType& type, const Tensor& last, const std::vector<Tensor>& past) {
  if (past.empty()) {
    return Tensor::FromBuffer(tensor::Buffer::Allocate(type.dtype, 0), type.dtype,
                              IsFlat(type) ? Shape{0} : StackedShape(last.shape(), 0));
  }
  std::vector<Tensor> parts;
  for (const Tensor& value : past)
    parts.push_back(IsFlat(type) ? Reshape(value, {-1}) : ExpandDims(value, 0));
  return Joined(std::move(parts));
}

Tensor SizesOf(const ops::TensorType& type, const std::vector<Tensor>& past) {
  std::vector<int64_t> sizes;
  for (const Tensor& value : past)
    sizes.insert(sizes.end(), value.shape().sizes().begin(), value.shape().sizes().end());
  return Tensor::FromVector(sizes, {static_cast<int64_t>(past.size()), type.shape.rank()});
}

}  // namespace

std::vector<ops::TensorType> HistoryTypes(const std::vector<ops::TensorType>& variables) {
  std::vector<ops::TensorType> types{{DType::kInt64, Shape{}, DType::kInt64}};
  for (const ops::TensorType& type : variables) {
    const Shape values =
        IsFlat(type) ? Shape{Shape::kUnknown} : StackedShape(type.shape, Shape::kUnknown);
    types.push_back({type.dtype, values, type.element});
  }
  for (const ops::TensorType& type : variables) {
    const int64_t rank = type.shape.ranked() ? type.shape.rank() : Shape::kUnknown;
    types.push_back({DType::kInt64, Shape{Shape::kUnknown, rank}, DType::kInt64});
  }
  return types;
}

std::vector<Tensor> HistoryOf(const std::vector<ops::TensorType>& variables,
                              const std::vector<Tensor>& results, int64_t iterations,
                              const std::vector<std::vector<Tensor>>& past,
                              const std::vector<KeptHistory>& kept) {
  std::vector<Tensor> history{Scalar<int64_t>(iterations)};
  for (size_t i = 0; i < variables.size(); ++i)
    history.push_back(kept[i].values ? ValuesOf(variables[i], results[i], past[i]) : Tensor());
  for (size_t i = 0; i < variables.size(); ++i)
    history.push_back(kept[i].sizes ? SizesOf(variables[i], past[i]) : Tensor());
  return history;
}

LoopHistory::LoopHistory(const ops::GradientContext& context,
                         std::vector<ops::TensorType> variables)
    : context_(context), variables_(std::move(variables)), ends_(variables_.size()) {
  for (size_t i = 0; i < variables_.size(); ++i)
    if (IsFlat(variables_[i])) ends_[i] = Cumsum(ReduceProd(sizes(i), {1}));
}

Tensor LoopHistory::Value(size_t variable, const Tensor& iteration) const {
  return RowOf(values(variable), variable, iteration);
}

Tensor LoopHistory::Gradient(size_t variable, const Tensor& iteration) const {
  const Tensor& given = context_.output_gradients[variables_.size() + 1 + variable];
  return given.defined() ? RowOf(given, variable, iteration) : Tensor();
}

Tensor LoopHistory::RowOf(const Tensor& history, size_t variable, const Tensor& iteration) const {
  const ops::TensorType& type = variables_[variable];
  if (!IsFlat(type)) return Gather(history, iteration);
  const Tensor shape = Gather(sizes(variable), iteration);
  const Tensor count = ReduceProd(shape, {0});
  const Tensor begin = Gather(ends_[variable], iteration) - count;
  const Tensor flat =
      SliceBy(history, ExpandDims(begin, 0), ExpandDims(count, 0), {Shape::kUnknown});
  return ReshapeBy(flat, shape, type.shape.vector());
}

}  // namespace lockstep::runtime
