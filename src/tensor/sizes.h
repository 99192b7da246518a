#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "lockstep/tensor/dtype.h"
#include "lockstep/tensor/shape.h"

/// Arithmetic of sizes of axes, counts of elements and counts of bytes. Every rule that computes a
/// size from numbers of a caller uses it, because a sum or product that wraps around would pass the
/// checks that follow and let a kernel read or write outside its tensor.
namespace lockstep::tensor {

/// The sum or product of sizes; unknown where one is `Shape::kUnknown`. InvalidArgument, starting
/// with `[where]`, for a size below -1 and for a result past 2^63 - 1.
int64_t SumOfSizes(std::initializer_list<int64_t> sizes, std::string_view where);
int64_t ProductOfSizes(std::span<const int64_t> sizes, std::string_view where);
inline int64_t ProductOfSizes(std::initializer_list<int64_t> sizes, std::string_view where) {
  return ProductOfSizes(std::span<const int64_t>(sizes.begin(), sizes.size()), where);
}

/// How many bytes the elements of `shape`, all of whose sizes are known, take. ResourceExhausted
/// past 2^63 - 1.
size_t BytesOf(DType dtype, const Shape& shape);
size_t BytesOf(DType dtype, size_t count);

/// "[2,-1,3]": numbers that need not be a shape.
std::string ListText(std::span<const int64_t> numbers);

}  // namespace lockstep::tensor
