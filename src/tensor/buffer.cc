#include "tensor/buffer.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "base/memory.h"
#include "tensor/sizes.h"

namespace lockstep::tensor {

std::shared_ptr<Buffer> Buffer::Allocate(DType dtype, size_t count) {
  return std::make_shared<Buffer>(Own{}, dtype, count);
}

std::shared_ptr<Buffer> Buffer::Borrow(DType dtype, size_t count, const void* data,
                                       std::shared_ptr<const void> keeper) {
  return std::make_shared<Buffer>(Own{}, dtype, count, data, std::move(keeper));
}

Buffer::Buffer(Own, DType dtype, size_t count, const void* data, std::shared_ptr<const void> keeper)
    : dtype_(dtype),
      count_(count),
      num_bytes_(BytesOf(dtype, count)),
      data_(const_cast<void*>(data)),
      keeper_(std::move(keeper)) {}

Buffer::Buffer(Own, DType dtype, size_t count)
    : dtype_(dtype),
      count_(count),
      num_bytes_(BytesOf(dtype, count)),
      data_(base::AllocateMemory(num_bytes_, "tensor")) {
  if (dtype_ == DType::kString) {
    std::uninitialized_default_construct_n(static_cast<std::string*>(data_), count_);
  }
}

Buffer::~Buffer() {
  if (keeper_ != nullptr) return;
  if (dtype_ == DType::kString) std::destroy_n(static_cast<std::string*>(data_), count_);
  std::free(data_);
}

bool IsSoleOwner(const std::shared_ptr<Buffer>& buffer) {
  if (buffer.use_count() > 1 || buffer->borrowed()) return false;
  // The count alone orders nothing; giving a reference back does, after those who did so before.
  std::shared_ptr<Buffer>(buffer).reset();
  return true;
}

}  // namespace lockstep::tensor
