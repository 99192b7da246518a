#pragma once

#include <cstddef>
#include <memory>

#include "lockstep/tensor/dtype.h"
#include "tensor/origins.h"

namespace lockstep::tensor {

/// A block of host memory, aligned to 64 bytes. Strings are constructed in it. Whoever holds the
/// only reference may write; everybody else only reads.
class Buffer {
  // Lets `std::make_shared` call what nobody else may.
  struct Own {
    explicit Own() = default;
  };

 public:
  Buffer(Own, DType dtype, size_t count);
  Buffer(Own, DType dtype, size_t count, const void* data, std::shared_ptr<const void> keeper);
  /// Uninitialised memory for `count` elements; strings are empty. ResourceExhausted when there is
  /// none.
  static std::shared_ptr<Buffer> Allocate(DType dtype, size_t count);
  /// Memory of somebody else, which `keeper` keeps alive and nobody may write.
  static std::shared_ptr<Buffer> Borrow(DType dtype, size_t count, const void* data,
                                        std::shared_ptr<const void> keeper);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() { return data_; }
  const void* data() const { return data_; }
  size_t num_bytes() const { return num_bytes_; }
  bool borrowed() const { return keeper_ != nullptr; }

  /// Where the elements come from, as far as it is followed: they are a version of a variable, or
  /// were computed from some. Set by who may write.
  const Origin& origin() const { return origin_; }
  void set_origin(const Origin& origin) { origin_ = origin; }
  const std::shared_ptr<const Origins>& origins() const { return origins_; }
  void set_origins(std::shared_ptr<const Origins> origins) { origins_ = std::move(origins); }

 private:
  DType dtype_;
  size_t count_;
  size_t num_bytes_;
  void* data_ = nullptr;
  std::shared_ptr<const void> keeper_;
  Origin origin_;
  std::shared_ptr<const Origins> origins_;
};

/// Whether nobody else refers to the buffer or its memory. Then everything that others have read
/// from it has happened before, so that the caller may write.
bool IsSoleOwner(const std::shared_ptr<Buffer>& buffer);

}  // namespace lockstep::tensor
