#include "lockstep/tensor/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "tensor/buffer.h"
#include "tensor/sizes.h"

namespace lockstep {

namespace {

uint64_t NextId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

struct Tensor::Rep {
  DType dtype = DType::kInvalid;
  DType element = DType::kInvalid;
  bool weak = false;
  Shape shape;
  std::shared_ptr<tensor::Buffer> buffer;
  std::shared_ptr<TensorObject> object;
  uint64_t id = NextId();
};

Tensor::Tensor(std::initializer_list<float> values)
    : Tensor(FromHost(std::span<const float>(values.begin(), values.size()),
                      Shape{static_cast<int64_t>(values.size())})) {}

Tensor::Tensor(std::initializer_list<std::initializer_list<float>> rows) {
  std::vector<float> values;
  const size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  for (const auto& row : rows) {
    if (row.size() != columns) {
      throw Error(Code::kInvalidArgument, "[tensor] rows must have equal lengths; got " +
                                              std::to_string(columns) + " and " +
                                              std::to_string(row.size()));
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  *this = FromVector<float>(
      values, Shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)});
}

Tensor Tensor::Weak(DType dtype, const void* value) {
  auto rep = std::make_shared<Rep>();
  rep->dtype = dtype;
  rep->element = dtype;
  rep->weak = true;
  rep->buffer = tensor::Buffer::Allocate(dtype, 1);
  std::memcpy(rep->buffer->data(), value, DTypeSize(dtype));
  return Tensor(std::move(rep));
}

Tensor Tensor::CopyFrom(DType dtype, const void* values, size_t count, const Shape& shape) {
  if (static_cast<int64_t>(count) != shape.num_elements()) {
    throw Error(Code::kInvalidArgument,
                "[tensor] the shape must hold as many elements as given; got " +
                    std::to_string(count) + " elements for " + shape.ToString());
  }
  auto buffer = tensor::Buffer::Allocate(dtype, count);
  if (count > 0) std::memcpy(buffer->data(), values, count * DTypeSize(dtype));
  return FromBuffer(std::move(buffer), dtype, shape);
}

Tensor Tensor::FromBools(const std::vector<bool>& values, const Shape& shape) {
  const std::unique_ptr<bool[]> bytes(new bool[values.size()]);
  std::copy(values.begin(), values.end(), bytes.get());
  return CopyFrom(DType::kBool, bytes.get(), values.size(), shape);
}

Tensor Tensor::FromStrings(const std::vector<std::string>& values, const Shape& shape) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) {
    throw Error(Code::kInvalidArgument,
                "[tensor] the shape must hold as many elements as given; got " +
                    std::to_string(values.size()) + " strings for " + shape.ToString());
  }
  auto buffer = tensor::Buffer::Allocate(DType::kString, values.size());
  std::copy(values.begin(), values.end(), static_cast<std::string*>(buffer->data()));
  return FromBuffer(std::move(buffer), DType::kString, shape);
}

Tensor Tensor::FromBuffer(std::shared_ptr<tensor::Buffer> buffer, DType dtype, const Shape& shape) {
  auto rep = std::make_shared<Rep>();
  rep->dtype = dtype;
  rep->element = dtype;
  rep->shape = shape;
  rep->buffer = std::move(buffer);
  return Tensor(std::move(rep));
}

Tensor Tensor::FromObject(std::shared_ptr<TensorObject> object, DType dtype, const Shape& shape,
                          DType element) {
  auto rep = std::make_shared<Rep>();
  rep->dtype = dtype;
  rep->element = element == DType::kInvalid ? dtype : element;
  rep->shape = shape;
  rep->object = std::move(object);
  return Tensor(std::move(rep));
}

const Tensor::Rep& Tensor::rep() const {
  if (rep_ == nullptr) {
    throw Error(Code::kInvalidArgument, "[tensor] a tensor is needed; got an empty handle");
  }
  return *rep_;
}

DType Tensor::dtype() const { return rep().dtype; }
DType Tensor::element_dtype() const { return rep().element; }
const Shape& Tensor::shape() const { return rep().shape; }
bool Tensor::is_weak() const { return rep().weak; }
uint64_t Tensor::id() const { return rep().id; }
const std::shared_ptr<TensorObject>& Tensor::object() const { return rep().object; }
const std::shared_ptr<tensor::Buffer>& Tensor::buffer() const { return rep().buffer; }
bool Tensor::is_symbolic() const {
  return rep().buffer == nullptr && rep().dtype != DType::kResource;
}

size_t Tensor::num_bytes() const { return tensor::BytesOf(dtype(), shape()); }

const void* Tensor::raw_data() const {
  if (rep().buffer == nullptr) {
    throw Error(Code::kFailedPrecondition,
                "[tensor] elements exist only when the traced function runs; got a symbolic " +
                    std::string(DTypeName(dtype())) + shape().ToString() +
                    "; return the tensor from the function and read it there");
  }
  return rep().buffer->data();
}

Tensor Tensor::WithShape(const Shape& shape) const {
  if (shape.num_elements() != num_elements()) {
    throw Error(Code::kInvalidArgument, "[reshape] the number of elements must stay; got " +
                                            this->shape().ToString() + " and " + shape.ToString());
  }
  return FromBuffer(buffer(), dtype(), shape);
}

void Tensor::RequireElements(DType wanted) const {
  raw_data();
  if (dtype() != wanted) {
    throw Error(Code::kInvalidArgument, "[tensor] the element type must be the tensor's; got " +
                                            std::string(DTypeName(wanted)) + " for a tensor of " +
                                            std::string(DTypeName(dtype())));
  }
}

void Tensor::RequireScalar() const {
  raw_data();
  if (num_elements() != 1) {
    throw Error(Code::kInvalidArgument,
                "[tensor] exactly one element is needed; got shape " + shape().ToString());
  }
}

}  // namespace lockstep
