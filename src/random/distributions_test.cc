#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "random/elementary.h"
#include "random/normal.h"
#include "random/op_seeds.h"
#include "random/uniform.h"

namespace lockstep::random {
namespace {

template <typename T>
void ExpectUniform(const Stream& stream, const std::vector<T>& expected) {
  std::vector<T> values(expected.size());
  FillUniform(stream, 0, std::span<T>(values));
  EXPECT_EQ(values, expected);
}

template <typename T>
void ExpectNear(const std::vector<T>& values, const std::vector<T>& expected, double ulps) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double ulp = std::nextafter(std::abs(expected[i]), T{100}) - std::abs(expected[i]);
    EXPECT_LE(std::abs(values[i] - expected[i]), ulps * ulp) << i << ": " << values[i];
  }
}

TEST(Uniform, Float32IsTensorFlows) {
  ExpectUniform<float>(StatelessStream(1, 2),
                       {0x1.b028bp-1f, 0x1.894f1p-3f, 0x1.fe10f8p-1f, 0x1.48793p-3f, 0x1.168498p-2f,
                        0x1.4c7714p-1f, 0x1.b60b6p-4f, 0x1.0ae7cp-4f});
  ExpectUniform<float>(StatelessStream(0, 0),
                       {0x1.b028ep-3f, 0x1.697a24p-1f, 0x1.99a1e8p-1f, 0x1.8aa548p-1f});
  ExpectUniform<float>(StatelessStream(-1, -2),
                       {0x1.e2a76cp-1f, 0x1.0ae534p-1f, 0x1.7f405cp-1f, 0x1.76fccp-2f});
  ExpectUniform<float>(PairStream(87654321, 7),
                       {0x1.ef8e38p-2f, 0x1.032d0cp-1f, 0x1.054468p-2f, 0x1.fef1cp-4f});
}

TEST(Uniform, OtherFloatsAreTensorFlows) {
  ExpectUniform<double>(StatelessStream(1, 2), {0x1.81458cf3129e2p-1, 0x1.f087c2c290f26p-1});
  std::vector<uint16_t> bits(9);
  FillUniformFloat16(StatelessStream(1, 2), 0, bits);
  EXPECT_EQ(bits, (std::vector<uint16_t>{0x3858, 0x3388, 0x2fc0 - 0x400, 0x3b26, 0x3098, 0x3714,
                                         0x2db0, 0x3a7c, 0x3158}));
  FillUniformBfloat16(StatelessStream(1, 2), 0, bits);
  EXPECT_EQ(bits, (std::vector<uint16_t>{0x3eb0, 0x3f62, 0x3ef8, 0x3e18, 0x3e18, 0x3f0a, 0x3f36,
                                         0x3ef8, 0x3eac}));
}

TEST(Uniform, SixteenBitZeroAndTop) {
  // Every mantissa appears: compare with the float arithmetic that defines the distribution.
  std::vector<uint16_t> bits(5000);
  std::vector<uint32_t> words(5000);
  const Stream stream = StatelessStream(8, 9);
  FillUniformBfloat16(stream, 0, bits);
  FillFullRange(stream, 0, std::span<uint32_t>(words));
  for (size_t i = 0; i < bits.size(); ++i) {
    const float value = static_cast<float>(words[i] & 0x7f) / 128.0f;
    ASSERT_EQ(bits[i], std::bit_cast<uint32_t>(value) >> 16) << i;
  }
}

TEST(Uniform, ScalesInTheDtype) {
  std::vector<float> unit(5);
  std::vector<float> scaled(5);
  FillUniform(StatelessStream(1, 2), 0, std::span<float>(unit));
  FillUniform(StatelessStream(1, 2), 0, std::span<float>(scaled), -0.3f, 1.7f);
  for (size_t i = 0; i < unit.size(); ++i) EXPECT_EQ(scaled[i], unit[i] * (1.7f - -0.3f) + -0.3f);
}

TEST(Uniform, IntegersAreTensorFlows) {
  const Stream stream = StatelessStream(1, 2);
  std::vector<int32_t> narrow(9);
  FillUniformInteger(stream, 0, std::span<int32_t>(narrow), -3, 10);
  EXPECT_EQ(narrow, (std::vector<int32_t>{7, -3, -2, -2, 6, 9, 0, 4, -3}));
  FillUniformInteger(stream, 0, std::span<int32_t>(narrow.data(), 2), INT32_MIN, INT32_MAX);
  EXPECT_EQ(narrow[0], -1041495508);
  EXPECT_EQ(narrow[1], -409430799);
  std::vector<int64_t> wide(5);
  FillUniformInteger(stream, 0, std::span<int64_t>(wide), 0, 1000000000000);
  EXPECT_EQ(wide, (std::vector<int64_t>{146280614444, 637757961278, 318164050067, 516007002203,
                                        327646026923}));
  FillUniformInteger(stream, 0, std::span<int64_t>(wide), -5, int64_t{1} << 62);
  EXPECT_EQ(wide[2], 3554217262881886335);
  FillFullRange(stream, 0, std::span<int32_t>(narrow));
  EXPECT_EQ(narrow, (std::vector<int32_t>{1105988140, 1738052849, -335576002, 370444179, 10670227,
                                          -246211131, 1066250331, 587749182, 1614298283}));
  FillFullRange(stream, 0, std::span<int64_t>(wide));
  EXPECT_EQ(wide[2], -1057468755545501549);
  EXPECT_EQ(FullRangeInt64(stream), wide[0]);
}

TEST(Normal, IsTensorFlows) {
  std::vector<float> values(8);
  FillNormal(StatelessStream(1, 2), 0, std::span<float>(values));
  EXPECT_EQ(values,
            (std::vector<float>{0x1.16959ap-1f, 0x1.a8b702p-3f, 0x1.2d51c8p-4f, 0x1.7c645p-5f,
                                -0x1.4d34fep+0f, -0x1.e85fe2p-1f, 0x1.aef70cp-1f, 0x1.f08f5p+0f}));
  // The sum of a million elements' bits, of tf.random.stateless_normal([1000003], [0, 77]).
  std::vector<float> many(1000003);
  FillNormal(StatelessStream(0, 77), 0, std::span<float>(many));
  uint64_t sum = 0;
  for (const float value : many) sum += std::bit_cast<uint32_t>(value);
  EXPECT_EQ(sum, 2129959305015575u);
  std::vector<double> doubles(3);
  FillNormal(StatelessStream(1, 2), 0, std::span<double>(doubles));
  ExpectNear<double>(doubles, {-0x1.23745fceed393p-3, 0x1.7b30df7adce2ep-1, -0x1.7813821086c87p+0},
                     4);
}

TEST(Normal, TruncatedRestartsInEachGroup) {
  std::vector<float> values(8);
  FillTruncatedNormal(StatelessStream(1, 2), 0, std::span<float>(values));
  EXPECT_EQ(values,
            (std::vector<float>{0x1.16959ap-1f, 0x1.a8b702p-3f, 0x1.2d51c8p-4f, 0x1.7c645p-5f,
                                0x1.587c58p-3f, -0x1.af5e58p+0f, 0x1.efacaep-3f, 0x1.b41552p+0f}));
  std::vector<double> doubles(6);
  FillTruncatedNormal(StatelessStream(1, 2), 0, std::span<double>(doubles));
  ExpectNear<double>(doubles,
                     {-0x1.23745fceed393p-3, 0x1.7b30df7adce2ep-1, -0x1.1ad29167909a9p-1,
                      -0x1.7809d7af7e4adp-1, -0x1.97fb79abfff44p-2, 0x1.850c94ed98bcbp-3},
                     4);
}

// A slice equals the same elements of the whole, whatever its borders.
template <typename T, typename Fill>
void ExpectSlices(const Fill& fill) {
  const Stream stream = StatelessStream(11, -5);
  std::vector<T> whole(2000);
  fill(stream, 0, std::span<T>(whole));
  for (size_t first : {0, 1, 2, 3, 4, 5, 511, 512, 997}) {
    for (size_t count : {0, 1, 2, 3, 4, 7, 509, 1000}) {
      std::vector<T> slice(count + 1, T{99});
      fill(stream, first, std::span<T>(slice).first(count));
      ASSERT_TRUE(std::equal(slice.begin(), slice.end() - 1, whole.begin() + first))
          << first << " " << count;
      ASSERT_EQ(slice.back(), T{99});
    }
  }
}

TEST(Slices, EveryDistributionIsAddressedByElement) {
  using S = Stream;
  ExpectSlices<float>([](const S& s, uint64_t i, auto out) { FillUniform(s, i, out, -2, 3); });
  ExpectSlices<double>([](const S& s, uint64_t i, auto out) { FillUniform(s, i, out); });
  ExpectSlices<uint16_t>([](const S& s, uint64_t i, auto out) { FillUniformFloat16(s, i, out); });
  ExpectSlices<uint16_t>([](const S& s, uint64_t i, auto out) { FillUniformBfloat16(s, i, out); });
  ExpectSlices<int32_t>([](const S& s, uint64_t i, auto o) { FillUniformInteger(s, i, o, -9, 9); });
  ExpectSlices<int64_t>([](const S& s, uint64_t i, auto o) { FillUniformInteger(s, i, o, -9, 9); });
  ExpectSlices<uint32_t>([](const S& s, uint64_t i, auto out) { FillFullRange(s, i, out); });
  ExpectSlices<int64_t>([](const S& s, uint64_t i, auto out) { FillFullRange(s, i, out); });
  ExpectSlices<float>([](const S& s, uint64_t i, auto out) { FillNormal(s, i, out, 1, 2); });
  ExpectSlices<double>([](const S& s, uint64_t i, auto out) { FillNormal(s, i, out); });
  ExpectSlices<float>([](const S& s, uint64_t i, auto out) { FillTruncatedNormal(s, i, out); });
  ExpectSlices<double>([](const S& s, uint64_t i, auto out) { FillTruncatedNormal(s, i, out); });
}

double UlpsBetween(double value, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  return static_cast<double>(std::abs(value - exact) / (std::nextafter(rounded, 1e300) - rounded));
}

TEST(Elementary, ErrsByAtMostTheStatedUlps) {
  std::vector<double> uniform(20000);
  FillUniform(StatelessStream(5, 6), 0, std::span<double>(uniform));
  double log_error = 0;
  double sine_error = 0;
  for (double u : uniform) {
    const double angle = 6.283185307179586 * u;
    const SinCos turn = SineCosine(angle);
    const SinCos large = SineCosine(1e5 * (u - 0.5));
    log_error =
        std::max({log_error, UlpsBetween(Log(u), std::log(static_cast<long double>(u))),
                  UlpsBetween(Log(1e-7 * u), std::log(static_cast<long double>(1e-7 * u)))});
    sine_error =
        std::max({sine_error, UlpsBetween(turn.sine, std::sin(static_cast<long double>(angle))),
                  UlpsBetween(turn.cosine, std::cos(static_cast<long double>(angle))),
                  UlpsBetween(large.sine, std::sin(static_cast<long double>(1e5 * (u - 0.5)))),
                  UlpsBetween(large.cosine, std::cos(static_cast<long double>(1e5 * (u - 0.5))))});
  }
  EXPECT_LE(log_error, 1);
  EXPECT_LE(sine_error, 2);
  EXPECT_EQ(Log(1.0), 0.0);
  EXPECT_EQ(SineCosine(0.0).cosine, 1.0);
}

}  // namespace
}  // namespace lockstep::random
