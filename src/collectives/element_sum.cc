#include "collectives/element_sum.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "base/fetch.h"
#include "base/flush_denormals.h"
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
// overwrites, and keeping it, then costs more than it gives. (Sums of 1 and 4 MiB between two
// processes take half as long through the caches, those of 64 MiB a fifth longer.) Not where it
// overwrites what is added: there the first vector would be added twice.
bool BypassesCache(const std::byte* left, const std::byte* right, const std::byte* sum,
                   size_t bytes) {
  constexpr size_t kLarge = size_t{8} << 20;
  const auto is_apart = [&](const std::byte* from) {
    return from + bytes <= sum || sum + bytes <= from;
  };
  return bytes >= kLarge && is_apart(left) && is_apart(right);
}

// Another core has written what is added, or read what is overwritten: lines are asked for so many
// bytes before their turn, where what was asked for comes to be used.
constexpr size_t kAhead = 2048;

void FetchAhead(const void* left, const void* right, const void* sum) {
  const auto ahead = [](const void* at) { return static_cast<const char*>(at) + kAhead; };
  __builtin_prefetch(ahead(left));
  __builtin_prefetch(ahead(right));
  base::FetchToWrite(ahead(sum));
}

template <typename T>
void Add(const std::byte* left_bytes, const std::byte* right_bytes, std::byte* sum_bytes,
         size_t count) {
  const auto* left = reinterpret_cast<const T*>(left_bytes);
  const auto* right = reinterpret_cast<const T*>(right_bytes);
  auto* sum = reinterpret_cast<T*>(sum_bytes);
  const hn::ScalableTag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  size_t i = 0;
  if (BypassesCache(left_bytes, right_bytes, sum_bytes, count * sizeof(T))) {
    // One vector up to the first aligned place, then whole lines past the cache.
    hn::StoreU(AddInOrder(tag, hn::LoadU(tag, left), hn::LoadU(tag, right)), tag, sum);
    const size_t misaligned = reinterpret_cast<uintptr_t>(sum) % (lanes * sizeof(T));
    for (i = lanes - misaligned / sizeof(T); i + lanes <= count; i += lanes)
      hn::Stream(AddInOrder(tag, hn::LoadU(tag, left + i), hn::LoadU(tag, right + i)), tag,
                 sum + i);
    hwy::FlushStream();
  }
  const bool fetches = count * sizeof(T) > 4 * kAhead;
  for (; i + lanes <= count; i += lanes) {
    if (fetches) FetchAhead(left + i, right + i, sum + i);
    hn::StoreU(AddInOrder(tag, hn::LoadU(tag, left + i), hn::LoadU(tag, right + i)), tag, sum + i);
  }
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
                 size_t count) {
  const base::FlushDenormals flush;
  switch (dtype) {
    case DType::kBFloat16:
    case DType::kFloat16:
      return AddHalves(dtype, left, right, sum, count);
    case DType::kInt8:
    case DType::kUInt8:
      return Add<uint8_t>(left, right, sum, count);
    case DType::kInt16:
      return Add<uint16_t>(left, right, sum, count);
    case DType::kFloat32:
      return Add<float>(left, right, sum, count);
    case DType::kFloat64:
      return Add<double>(left, right, sum, count);
    case DType::kInt32:
      return Add<uint32_t>(left, right, sum, count);
    case DType::kInt64:
      return Add<uint64_t>(left, right, sum, count);
    default:
      LOCKSTEP_CHECK(CanAdd(dtype));
  }
}

}  // namespace lockstep::collectives
