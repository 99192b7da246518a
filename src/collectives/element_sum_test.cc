#include "collectives/element_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/randomness.h"

namespace lockstep::collectives {
namespace {

template <typename T>
std::vector<T> Sum(DType dtype, const std::vector<T>& left, const std::vector<T>& right) {
  std::vector<T> sum(left.size());
  AddElements(dtype, reinterpret_cast<const std::byte*>(left.data()),
              reinterpret_cast<const std::byte*>(right.data()),
              reinterpret_cast<std::byte*>(sum.data()), left.size());
  return sum;
}

// All halves with each of some others, in float32 and rounded once.
template <typename T>
void ExpectHalves(DType dtype) {
  base::SeededRandomness randomness(1);
  std::vector<T> left(65536), right(65536);
  for (int bits = 0; bits < 65536; ++bits) {
    left[bits].bits = static_cast<uint16_t>(bits);
    right[bits].bits = static_cast<uint16_t>(randomness.Below(65536));
  }
  const auto sum = Sum(dtype, left, right);
  for (int i = 0; i < 65536; ++i) {
    const float a = float(left[i]), b = float(right[i]);
    if (std::isnan(a + b)) {
      EXPECT_TRUE(std::isnan(float(sum[i])));
      continue;
    }
    const bool has_denormal = std::fpclassify(a) == FP_SUBNORMAL ||
                              std::fpclassify(b) == FP_SUBNORMAL ||
                              std::fpclassify(a + b) == FP_SUBNORMAL;
    if (has_denormal) continue;  // of float32: zero, below
    ASSERT_EQ(sum[i].bits, T(a + b).bits) << a << " + " << b;
  }
}

TEST(AddElements, RoundsHalvesOnceToNearestEven) {
  ExpectHalves<bfloat16>(DType::kBFloat16);
  ExpectHalves<float16>(DType::kFloat16);
  // 1 + 2^-9 lies between two bfloat16 and goes to the even one; 1 + 3 * 2^-9 too.
  EXPECT_EQ(float(Sum<bfloat16>(DType::kBFloat16, {bfloat16(1)}, {bfloat16(0x1p-8f)})[0]), 1.0f);
  EXPECT_EQ(float(Sum<bfloat16>(DType::kBFloat16, {bfloat16(1)}, {bfloat16(0x3p-8f)})[0]),
            1.0f + 0x4p-8f);
}

TEST(AddElements, TakesDenormalsForZeroButThoseOfFloat16) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(Sum<float>(DType::kFloat32, {tiny}, {tiny})[0], 0.0f);
  bfloat16 small;
  small.bits = 1;
  EXPECT_EQ(Sum<bfloat16>(DType::kBFloat16, {small}, {small})[0].bits, 0);
  float16 half;
  half.bits = 1;
  EXPECT_EQ(Sum<float16>(DType::kFloat16, {half}, {half})[0].bits, 2);
}

TEST(AddElements, WrapsEveryInteger) {
  for (const size_t count : {1, 31, 32, 33, 100}) {
    const std::vector<int8_t> a(count, 127);
    EXPECT_EQ(Sum<int8_t>(DType::kInt8, a, a), std::vector<int8_t>(count, -2));
    const std::vector<uint8_t> b(count, 200);
    EXPECT_EQ(Sum<uint8_t>(DType::kUInt8, b, b), std::vector<uint8_t>(count, 144));
    const std::vector<int16_t> c(count, -32768);
    EXPECT_EQ(Sum<int16_t>(DType::kInt16, c, c), std::vector<int16_t>(count, 0));
    const std::vector<int64_t> d(count, int64_t{1} << 62);
    EXPECT_EQ(Sum<int64_t>(DType::kInt64, d, d),
              std::vector<int64_t>(count, std::numeric_limits<int64_t>::min()));
  }
}

TEST(AddElements, KnowsNumbersOnly) {
  EXPECT_TRUE(CanAdd(DType::kBFloat16));
  EXPECT_FALSE(CanAdd(DType::kBool));
  EXPECT_FALSE(CanAdd(DType::kString));
  EXPECT_FALSE(CanAdd(DType::kInvalid));
}

}  // namespace
}  // namespace lockstep::collectives
