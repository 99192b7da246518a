#include "data/rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/dataset_node.h"
#include "tensor/buffer.h"

namespace lockstep {

std::string TensorSpec::ToString() const {
  return std::string(DTypeName(dtype)) + " " + shape.ToString();
}

namespace data {

namespace {

Shape RowShape(const Shape& shape) { return Shape(shape.sizes().subspan(1)); }

Shape StackedShape(int64_t count, const Shape& row) {
  Shape shape{count};
  for (const int64_t size : row.sizes()) shape.Append(size);
  return shape;
}

// Row `from` of `source`, whose rows have `elements` elements, as row `to` of `target`.
void CopyRow(DType dtype, int64_t elements, const void* source, int64_t from, void* target,
             int64_t to) {
  if (dtype == DType::kString) {
    const auto* in = static_cast<const std::string*>(source) + from * elements;
    auto* out = static_cast<std::string*>(target) + to * elements;
    for (int64_t i = 0; i < elements; ++i) out[i] = in[i];
    return;
  }
  const size_t bytes = elements * DTypeSize(dtype);
  if (bytes == 0) return;
  std::memcpy(static_cast<char*>(target) + to * bytes,
              static_cast<const char*>(source) + from * bytes, bytes);
}

Tensor StackComponent(const std::vector<Element>& elements, size_t component, const char* where) {
  const Tensor& first = elements[0][component];
  const int64_t count = static_cast<int64_t>(elements.size());
  const int64_t size = first.num_elements();
  auto buffer = tensor::Buffer::Allocate(first.dtype(), count * size);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor& tensor = elements[i][component];
    if (tensor.dtype() != first.dtype() || !(tensor.shape() == first.shape())) {
      Refuse(where, "the elements of a batch must agree in dtype and shape",
             TensorSpec{first.dtype(), first.shape()}.ToString() + " and " +
                 TensorSpec{tensor.dtype(), tensor.shape()}.ToString() + " (component " +
                 std::to_string(component) + ", elements 0 and " + std::to_string(i) +
                 " of the batch)",
             "bring them to one shape by Map");
    }
    CopyRow(first.dtype(), size, tensor.raw_data(), 0, buffer->data(), i);
  }
  return Tensor::FromBuffer(std::move(buffer), first.dtype(), StackedShape(count, first.shape()));
}

}  // namespace

Tensor RowOf(const Tensor& tensor, int64_t index) {
  const Shape shape = RowShape(tensor.shape());
  const int64_t size = shape.num_elements();
  auto buffer = tensor::Buffer::Allocate(tensor.dtype(), size);
  CopyRow(tensor.dtype(), size, tensor.raw_data(), index, buffer->data(), 0);
  return Tensor::FromBuffer(std::move(buffer), tensor.dtype(), shape);
}

Tensor GatherRows(const Tensor& tensor, std::span<const int64_t> rows) {
  const Shape row = RowShape(tensor.shape());
  const int64_t size = row.num_elements();
  const int64_t count = static_cast<int64_t>(rows.size());
  auto buffer = tensor::Buffer::Allocate(tensor.dtype(), count * size);
  for (int64_t i = 0; i < count; ++i) {
    CopyRow(tensor.dtype(), size, tensor.raw_data(), rows[i], buffer->data(), i);
  }
  return Tensor::FromBuffer(std::move(buffer), tensor.dtype(), StackedShape(count, row));
}

Tensor TensorOfTexts(std::span<std::string> texts, const Shape& shape) {
  auto buffer = tensor::Buffer::Allocate(DType::kString, texts.size());
  std::move(texts.begin(), texts.end(), static_cast<std::string*>(buffer->data()));
  return Tensor::FromBuffer(std::move(buffer), DType::kString, shape);
}

Element StackElements(const std::vector<Element>& elements, const char* where) {
  for (size_t i = 1; i < elements.size(); ++i) {
    if (elements[i].size() == elements[0].size()) continue;
    Refuse(where, "the elements of a batch must have as many components",
           std::to_string(elements[0].size()) + " and " + std::to_string(elements[i].size()) +
               " (elements 0 and " + std::to_string(i) + " of the batch)",
           "return as many tensors for each element");
  }
  Element batch;
  for (size_t c = 0; c < elements[0].size(); ++c)
    batch.push_back(StackComponent(elements, c, where));
  return batch;
}

std::vector<TensorSpec> RowSpecs(const std::vector<Tensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back({tensor.dtype(), RowShape(tensor.shape())});
  return specs;
}

std::vector<TensorSpec> SpecsOf(const Element& element) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : element) specs.push_back({tensor.dtype(), tensor.shape()});
  return specs;
}

std::string Describe(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (const TensorSpec& spec : specs) text += (text.empty() ? "" : ", ") + spec.ToString();
  return text.empty() ? "no components" : text;
}

}  // namespace data
}  // namespace lockstep
