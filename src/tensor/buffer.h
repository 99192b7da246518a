#pragma once

#include <cstddef>
#include <memory>

#include "lockstep/tensor/dtype.h"

namespace lockstep::tensor {

/// A block of host memory, aligned to 64 bytes. Strings are constructed in it. Whoever holds the
/// only reference may write; everybody else only reads.
class Buffer {
 public:
  /// Uninitialised memory for `count` elements; strings are empty. ResourceExhausted when there is
  /// none.
  static std::shared_ptr<Buffer> Allocate(DType dtype, size_t count);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() { return data_; }
  const void* data() const { return data_; }
  size_t num_bytes() const { return num_bytes_; }

 private:
  Buffer(DType dtype, size_t count);
  DType dtype_;
  size_t count_;
  size_t num_bytes_;
  void* data_ = nullptr;
};

/// Whether nobody else refers to the buffer. Then everything that others have read from it has
/// happened before, so that the caller may write.
bool IsSoleOwner(const std::shared_ptr<Buffer>& buffer);

}  // namespace lockstep::tensor
