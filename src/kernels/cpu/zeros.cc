#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/zeros.cc"
#include "kernels/cpu/zeros.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/nonzero_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

int64_t MapFloats(const float* from, int64_t count, uint64_t* bits) {
  return MapNonzero(from, count, bits);
}
int64_t MapBytes(const uint8_t* from, int64_t count, uint64_t* bits) {
  return MapNonzero(from, count, bits);
}

template <typename A>
int64_t CountNonzero(const A* from, int64_t count) {
  constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(A);
  int64_t nonzero = 0;
  for (; count > 0; count -= kLanes, from += kLanes)
    nonzero += std::popcount(NonzeroBits(from, count));
  return nonzero;
}
int64_t CountFloats(const float* from, int64_t count) { return CountNonzero(from, count); }
int64_t CountBytes(const uint8_t* from, int64_t count) { return CountNonzero(from, count); }

// Zero times a number is a zero if the number is finite, else NaN. Four sums, as one waits for
// itself.
template <typename T>
bool HasOnlyFinite(const T* from, int64_t stride, int64_t rows, int64_t columns) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(T);
  const auto zero = hn::Zero(d);
  const auto rest = hn::FirstN(d, static_cast<size_t>(columns % kLanes));
  auto found = zero, second = zero, third = zero, fourth = zero;
  for (; rows > 0; --rows, from += stride) {
    int64_t n = 0;
    for (; n + 4 * kLanes <= columns; n += 4 * kLanes) {
      found = hn::MulAdd(hn::LoadU(d, from + n), zero, found);
      second = hn::MulAdd(hn::LoadU(d, from + n + kLanes), zero, second);
      third = hn::MulAdd(hn::LoadU(d, from + n + 2 * kLanes), zero, third);
      fourth = hn::MulAdd(hn::LoadU(d, from + n + 3 * kLanes), zero, fourth);
    }
    for (; n + kLanes <= columns; n += kLanes)
      found = hn::MulAdd(hn::LoadU(d, from + n), zero, found);
    if (n < columns) found = hn::MulAdd(hn::MaskedLoad(rest, d, from + n), zero, found);
  }
  const auto all = hn::Add(hn::Add(found, second), hn::Add(third, fourth));
  return hn::AllTrue(d, hn::Eq(all, zero));
}
bool AreFiniteFloats(const float* from, int64_t stride, int64_t rows, int64_t columns) {
  return HasOnlyFinite(from, stride, rows, columns);
}
bool AreFiniteDoubles(const double* from, int64_t stride, int64_t rows, int64_t columns) {
  return HasOnlyFinite(from, stride, rows, columns);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
namespace {

HWY_EXPORT(MapFloats);
HWY_EXPORT(MapBytes);
HWY_EXPORT(CountFloats);
HWY_EXPORT(CountBytes);
HWY_EXPORT(AreFiniteFloats);
HWY_EXPORT(AreFiniteDoubles);

constexpr int64_t kSample = 8;

int64_t Count(const float* from, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(CountFloats)(from, count);
}
int64_t Count(const uint8_t* from, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(CountBytes)(from, count);
}

}  // namespace

template <typename A>
bool SeemsSparse(const A* a, int64_t stride, int64_t rows, int64_t columns, int64_t limit) {
  const int64_t looks = std::min((rows + 3) / 4, kSample);
  int64_t nonzero = 0;
  for (int64_t i = 0; i < looks; ++i) nonzero += Count(a + rows * i / looks * stride, columns);
  return IsSparse(nonzero, looks * columns, limit);
}

template bool SeemsSparse(const float*, int64_t, int64_t, int64_t, int64_t);
template bool SeemsSparse(const uint8_t*, int64_t, int64_t, int64_t, int64_t);

bool AllFinite(const float* b, int64_t stride, int64_t rows, int64_t columns) {
  return HWY_DYNAMIC_DISPATCH(AreFiniteFloats)(b, stride, rows, columns);
}
bool AllFinite(const double* b, int64_t stride, int64_t rows, int64_t columns) {
  return HWY_DYNAMIC_DISPATCH(AreFiniteDoubles)(b, stride, rows, columns);
}

int64_t MapNonzeroElements(const float* from, int64_t count, uint64_t* bits) {
  return HWY_DYNAMIC_DISPATCH(MapFloats)(from, count, bits);
}

int64_t MapNonzeroElements(const uint8_t* from, int64_t count, uint64_t* bits) {
  return HWY_DYNAMIC_DISPATCH(MapBytes)(from, count, bits);
}

}  // namespace lockstep::kernels
#endif
