#pragma once

#include <span>
#include <string>

#include "lockstep/tensor/tensor.h"

namespace lockstep::checkpoint {

/// A tensor's elements as they stand in a save. Numbers: little-endian, row-major. Strings: for
/// each the length (8 bytes), then, after all lengths, the bytes of all.
class ElementBytes {
 public:
  explicit ElementBytes(const Tensor& tensor);
  std::span<const std::byte> bytes() const;

 private:
  Tensor tensor_;
  std::string strings_;
};

/// The tensor whose elements are `bytes`, nothing when their number does not fit.
Tensor FromElementBytes(DType dtype, const Shape& shape, std::span<const std::byte> bytes);

/// Whether `bytes` can be what a tensor of this dtype and shape takes in a save.
bool BytesFit(DType dtype, const Shape& shape, uint64_t bytes);

}  // namespace lockstep::checkpoint
