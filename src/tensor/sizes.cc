#include "tensor/sizes.h"

#include <algorithm>

#include "lockstep/base/status.h"

namespace lockstep::tensor {

namespace {

bool Multiply(std::span<const int64_t> sizes, int64_t* product) {
  bool fits = true;
  *product = 1;
  for (const int64_t size : sizes) fits &= !__builtin_mul_overflow(*product, size, product);
  return fits;
}

// Whether all are known; InvalidArgument for a negative size that does not mean "unknown".
bool AreKnown(std::span<const int64_t> sizes, std::string_view where) {
  bool known = true;
  for (const int64_t size : sizes) {
    if (size < Shape::kUnknown) {
      throw Error(
          Code::kInvalidArgument,
          "[" + std::string(where) + "] a size must not be negative; got " + ListText(sizes));
    }
    known &= size != Shape::kUnknown;
  }
  return known;
}

[[noreturn]] void ThrowTooLarge(std::string_view where, const char* what,
                                std::span<const int64_t> sizes) {
  throw Error(Code::kInvalidArgument, "[" + std::string(where) + "] the " + what +
                                          " of sizes must be at most 2^63 - 1; got " +
                                          ListText(sizes));
}

}  // namespace

int64_t SumOfSizes(std::initializer_list<int64_t> list, std::string_view where) {
  const std::span<const int64_t> sizes(list.begin(), list.size());
  if (!AreKnown(sizes, where)) return Shape::kUnknown;
  int64_t sum = 0;
  for (const int64_t size : sizes) {
    if (__builtin_add_overflow(sum, size, &sum)) ThrowTooLarge(where, "sum", sizes);
  }
  return sum;
}

int64_t ProductOfSizes(std::span<const int64_t> sizes, std::string_view where) {
  if (!AreKnown(sizes, where)) return Shape::kUnknown;
  int64_t product = 0;
  if (Multiply(sizes, &product)) return product;
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  ThrowTooLarge(where, "product", sizes);
}

size_t BytesOf(DType dtype, size_t count) {
  size_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(count, DTypeSize(dtype), &bytes);
  if (fits && bytes <= static_cast<size_t>(PTRDIFF_MAX)) return bytes;
  throw Error(Code::kResourceExhausted, "[tensor] the elements must fit into memory; got " +
                                            std::to_string(count) + " elements of " +
                                            std::string(DTypeName(dtype)));
}

size_t BytesOf(DType dtype, const Shape& shape) {
  return BytesOf(dtype, static_cast<size_t>(shape.num_elements()));
}

std::string ListText(std::span<const int64_t> numbers) {
  constexpr size_t kMost = 16;
  std::string text = "[";
  for (size_t i = 0; i < numbers.size() && i < kMost; ++i) {
    text += (i > 0 ? "," : "") + std::to_string(numbers[i]);
  }
  return text + (numbers.size() > kMost ? ",...]" : "]");
}

}  // namespace lockstep::tensor
