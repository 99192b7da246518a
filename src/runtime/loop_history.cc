#include "runtime/loop_history.h"

#include <utility>

#include "lockstep/ops/array.h"
#include "lockstep/ops/by_values.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "runtime/program_items.h"
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

Tensor ValuesOf(const ops::TensorType& type, const Shape& shape, const std::vector<Tensor>& past) {
  if (past.empty()) {
    return Tensor::FromBuffer(tensor::Buffer::Allocate(type.dtype, 0), type.dtype,
                              IsFlat(type) ? Shape{0} : StackedShape(shape, 0));
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

HistoryEntries EntriesOf(const ops::Attributes& loop) {
  const graph::Graph& body = BodyOf(loop, "body");
  const int64_t variables = loop.Get<int64_t>("variables");
  const int64_t kept = loop.GetOr<int64_t>("kept", 0);
  const auto results = static_cast<int64_t>(body.results().size());
  if (variables < 0 || kept != results - variables ||
      variables > static_cast<int64_t>(body.parameters().size())) {
    throw Error(Code::kInvalidArgument,
                "[while_loop] a body takes the variables and gives them and what is kept; got " +
                    std::to_string(variables) + " variables and " + std::to_string(kept) +
                    " kept values for a body of " + std::to_string(body.parameters().size()) +
                    " parameters and " + std::to_string(results) + " results");
  }
  HistoryEntries entries{{}, static_cast<size_t>(variables)};
  for (size_t i = 0; i < body.results().size(); ++i) {
    entries.types.push_back(
        body.type(i < entries.variables ? body.parameters()[i] : body.results()[i]));
  }
  return entries;
}

std::vector<ops::TensorType> HistoryTypes(const std::vector<ops::TensorType>& entries) {
  std::vector<ops::TensorType> types{{DType::kInt64, Shape{}, DType::kInt64}};
  for (const ops::TensorType& type : entries) {
    const Shape values =
        IsFlat(type) ? Shape{Shape::kUnknown} : StackedShape(type.shape, Shape::kUnknown);
    types.push_back({type.dtype, values, type.element});
  }
  for (const ops::TensorType& type : entries) {
    const int64_t rank = type.shape.ranked() ? type.shape.rank() : Shape::kUnknown;
    types.push_back({DType::kInt64, Shape{Shape::kUnknown, rank}, DType::kInt64});
  }
  return types;
}

std::vector<Tensor> HistoryOf(const std::vector<ops::TensorType>& entries,
                              const std::vector<Tensor>& results, int64_t iterations,
                              const std::vector<std::vector<Tensor>>& past,
                              const std::vector<KeptHistory>& kept) {
  std::vector<Tensor> history{Scalar<int64_t>(iterations)};
  for (size_t i = 0; i < entries.size(); ++i) {
    const Shape shape = i < results.size()          ? results[i].shape()
                        : entries[i].shape.ranked() ? entries[i].shape
                                                    : Shape{};
    history.push_back(kept[i].values ? ValuesOf(entries[i], shape, past[i]) : Tensor());
  }
  for (size_t i = 0; i < entries.size(); ++i)
    history.push_back(kept[i].sizes ? SizesOf(entries[i], past[i]) : Tensor());
  return history;
}

IterationValues::IterationValues(ops::TensorType type, Tensor values, Tensor sizes)
    : type_(std::move(type)), values_(std::move(values)), sizes_(std::move(sizes)) {
  if (IsFlat(type_)) ends_ = Cumsum(ReduceProd(sizes_, {1}));
}

Tensor IterationValues::RowOf(const Tensor& values, const Tensor& iteration) const {
  if (!type_.shape.ranked()) {
    return ops::Emit1("GatherV2", {values, iteration},
                      {{"axis", int64_t{0}}, {"batch_dims", int64_t{0}}});
  }
  if (!IsFlat(type_)) return Gather(values, iteration);
  const Tensor shape = Gather(sizes_, iteration);
  const Tensor count = ReduceProd(shape, {0});
  const Tensor begin = Gather(ends_, iteration) - count;
  const Tensor flat =
      SliceBy(values, ExpandDims(begin, 0), ExpandDims(count, 0), {Shape::kUnknown});
  return ReshapeBy(flat, shape, type_.shape.vector());
}

LoopHistory::LoopHistory(const ops::GradientContext& context)
    : context_(context), entries_(EntriesOf(context.attributes)) {
  const size_t count = entries_.types.size(), first = entries_.variables + 1;
  for (size_t i = 0; i < count; ++i)
    values_.emplace_back(entries_.types[i], context.outputs[first + i],
                         context.outputs[first + count + i]);
}

Tensor LoopHistory::Value(size_t entry, const Tensor& iteration) const {
  return values_[entry].At(iteration);
}

Tensor LoopHistory::Gradient(size_t entry, const Tensor& iteration) const {
  const Tensor& given = context_.output_gradients[entries_.variables + 1 + entry];
  return given.defined() ? values_[entry].RowOf(given, iteration) : Tensor();
}

}  // namespace lockstep::runtime
