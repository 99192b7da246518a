#include "runtime/variable_cell.h"

#include <cstring>
#include <mutex>

#include "runtime/variable_hold.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

std::shared_ptr<tensor::Buffer> CopyOf(DType dtype, const Shape& shape, const void* data) {
  auto copy = tensor::Buffer::Allocate(dtype, shape.num_elements());
  if (dtype == DType::kString) {
    const auto* from = static_cast<const std::string*>(data);
    std::copy(from, from + shape.num_elements(), static_cast<std::string*>(copy->data()));
  } else {
    std::memcpy(copy->data(), data, shape.num_elements() * DTypeSize(dtype));
  }
  return copy;
}

}  // namespace

VariableCell::VariableCell(std::string name, const Tensor& initial, bool trainable)
    : name_(std::move(name)),
      dtype_(initial.dtype()),
      shape_(initial.shape()),
      trainable_(trainable),
      buffer_(CopyOf(dtype_, shape_, initial.raw_data())) {}

Tensor VariableCell::Read() {
  std::shared_ptr<tensor::Buffer> buffer;
  {
    const CellLock lock(*this, false);
    buffer = buffer_;
  }
  return Tensor::FromBuffer(std::move(buffer), dtype_, shape_);
}

void VariableCell::Assign(const Tensor& value) {
  if (value.dtype() != dtype_ || !(value.shape() == shape_)) {
    throw Error(Code::kInvalidArgument,
                "[assign] the value must have the variable's dtype and shape; got " +
                    std::string(DTypeName(value.dtype())) + value.shape().ToString() + " for " +
                    name_ + " of " + std::string(DTypeName(dtype_)) + shape_.ToString());
  }
  auto copy = CopyOf(dtype_, shape_, value.raw_data());
  const CellLock lock(*this, true);
  buffer_ = std::move(copy);
  CommitWrite();
}

const void* VariableCell::data() const { return buffer_->data(); }

void* VariableCell::PrepareWrite() {
  if (!tensor::IsSoleOwner(buffer_)) buffer_ = CopyOf(dtype_, shape_, buffer_->data());
  return buffer_->data();
}

VariableCell& CellOf(const Tensor& handle) {
  auto* cell = dynamic_cast<VariableCell*>(handle.object().get());
  if (cell == nullptr) {
    throw Error(Code::kInvalidArgument, "[variable] a variable is needed; got a tensor of " +
                                            std::string(DTypeName(handle.dtype())));
  }
  return *cell;
}

}  // namespace lockstep::runtime
