#include "collectives/element_sum.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "base/fetch.h"
#include "base/flush_denormals.h"
#include "base/memory.h"
#include "kernels/cpu/widen.h"

namespace lockstep::collectives {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// left + right with the operands in this order: a compiler may swap those of an intrinsic, and the
// processor returns the first operand's payload where both are NaN.
template <typename D, typename V = hn::Vec<D>>
V AddInOrder(D tag, V left, V right) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    asm("vaddps %2, %1, %0" : "=x"(left.raw) : "x"(left.raw), "xm"(right.raw));
    return left;
  } else if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
    asm("vaddpd %2, %1, %0" : "=x"(left.raw) : "x"(left.raw), "xm"(right.raw));
    return left;
  } else {
    return hn::Add(left, right);
  }
}

// Whether a sum is so large that it and what is added no longer fit in the caches: fetching what it
// overwrites, and keeping it, then costs more than it gives. Not where it overwrites what is added:
// there the first vector would be added twice.
bool BypassesCache(const std::byte* left, const std::byte* right, const std::byte* sum,
                   size_t bytes) {
  const auto is_apart = [&](const std::byte* from) {
    return from + bytes <= sum || sum + bytes <= from;
  };
  return bytes >= base::BytesPastCaches() && is_apart(left) && is_apart(right);
}

template <typename T>
void Add(const std::byte* left_bytes, const std::byte* right_bytes, std::byte* sum_bytes,
         size_t count, OfOtherCore of_other_core = {}) {
  const auto* left = reinterpret_cast<const T*>(left_bytes);
  const auto* right = reinterpret_cast<const T*>(right_bytes);
  auto* sum = reinterpret_cast<T*>(sum_bytes);
  const hn::ScalableTag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  const auto add = [&](size_t at) {
    hn::StoreU(AddInOrder(tag, hn::LoadU(tag, left + at), hn::LoadU(tag, right + at)), tag,
               sum + at);
  };
  size_t i = 0;
  if (BypassesCache(left_bytes, right_bytes, sum_bytes, count * sizeof(T))) {
    // One vector up to the first aligned place, then whole lines past the cache.
    add(0);
    const size_t misaligned = reinterpret_cast<uintptr_t>(sum) % (lanes * sizeof(T));
    for (i = lanes - misaligned / sizeof(T); i + lanes <= count; i += lanes)
      hn::Stream(AddInOrder(tag, hn::LoadU(tag, left + i), hn::LoadU(tag, right + i)), tag,
                 sum + i);
    hwy::FlushStream();
  }
  if (count * sizeof(T) > base::kFewFetched) {
    constexpr size_t kLine = base::kFetchLine / sizeof(T);
    const size_t first = i;
    const bool asks_left = of_other_core.left && !of_other_core.by_pages;
    const bool asks_right = of_other_core.right && !of_other_core.by_pages;
    const auto add_line = [&](size_t offset) {
      const size_t at = first + offset / sizeof(T);
      if (asks_left) base::FetchToRead(left + at + base::kReadAhead / sizeof(T));
      if (asks_right) base::FetchToRead(right + at + base::kReadAhead / sizeof(T));
      if (of_other_core.sum) base::FetchToWrite(sum + at + base::kWriteAhead / sizeof(T));
      for (size_t k = at; k < at + kLine; k += lanes) add(k);
    };
    i += base::ForEachLine((count - i) * sizeof(T), of_other_core.by_pages, add_line) / sizeof(T);
  }
  for (; i + lanes <= count; i += lanes) add(i);
  if (i == count) return;
  // The tail goes through the same vector addition.
  alignas(64) T a[HWY_MAX_BYTES / sizeof(T)] = {}, b[HWY_MAX_BYTES / sizeof(T)] = {};
  for (size_t k = 0; i + k < count; ++k) a[k] = left[i + k], b[k] = right[i + k];
  hn::Store(AddInOrder(tag, hn::Load(tag, a), hn::Load(tag, b)), tag, a);
  for (size_t k = 0; i + k < count; ++k) sum[i + k] = a[k];
}

// Half precision, tile by tile through float32.
void AddHalves(DType dtype, const std::byte* left, const std::byte* right, std::byte* sum,
               size_t count) {
  constexpr size_t kTile = 512;
  alignas(64) float a[kTile], b[kTile];
  for (size_t i = 0; i < count; i += kTile) {
    const auto size = static_cast<int64_t>(std::min(kTile, count - i));
    kernels::Widen(dtype, left + 2 * i, a, size);
    kernels::Widen(dtype, right + 2 * i, b, size);
    const auto* from = reinterpret_cast<const std::byte*>(a);
    Add<float>(from, reinterpret_cast<const std::byte*>(b), reinterpret_cast<std::byte*>(a),
               static_cast<size_t>(size));
    kernels::Narrow(dtype, a, sum + 2 * i, size);
  }
}

}  // namespace

bool CanAdd(DType dtype) { return IsFloating(dtype) || IsInteger(dtype); }

void AddElements(DType dtype, const std::byte* left, const std::byte* right, std::byte* sum,
                 size_t count, OfOtherCore of_other_core) {
  const base::FlushDenormals flush;
  switch (dtype) {
    case DType::kBFloat16:
    case DType::kFloat16:
      return AddHalves(dtype, left, right, sum, count);
    case DType::kInt8:
    case DType::kUInt8:
      return Add<uint8_t>(left, right, sum, count, of_other_core);
    case DType::kInt16:
      return Add<uint16_t>(left, right, sum, count, of_other_core);
    case DType::kFloat32:
      return Add<float>(left, right, sum, count, of_other_core);
    case DType::kFloat64:
      return Add<double>(left, right, sum, count, of_other_core);
    case DType::kInt32:
      return Add<uint32_t>(left, right, sum, count, of_other_core);
    case DType::kInt64:
      return Add<uint64_t>(left, right, sum, count, of_other_core);
    default:
      LOCKSTEP_CHECK(CanAdd(dtype));
  }
}

}  // namespace lockstep::collectives
