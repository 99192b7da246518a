#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/scaled_bytes.cc"
#include "kernels/cpu/scaled_bytes.h"

#include <cmath>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Scale(const uint8_t* from, float scale, int64_t count, float* out) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<uint8_t, decltype(d)> db;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, scale);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto numbers = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(db, from + i)));
    hn::StoreU(hn::Mul(numbers, by), d, out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<float>(from[i]) * scale;
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/scratch.h"

namespace lockstep::kernels {
namespace {

HWY_EXPORT(Scale);

}  // namespace

ByteNumbers::ByteNumbers(float scale) : finite_(std::isfinite(255.0f * scale)) {
  for (int i = 0; i < 256; ++i) numbers_[i] = static_cast<float>(i) * scale;
}

void ScaleBytes(const uint8_t* from, float scale, int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(Scale)(from, scale, count, out);
}

const float* ScaledRows(const Factor<uint8_t>& a, int64_t rows, int64_t columns) {
  float* const numbers = ThreadScratch<float>(ScratchUse::kByteNumbers, rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    ScaleBytes(a.elements + row * a.stride, a.numbers->scale(), columns, numbers + row * columns);
  return numbers;
}

}  // namespace lockstep::kernels
#endif
