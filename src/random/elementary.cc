#include "random/elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace lockstep::random {
namespace {

// c[0] + c[1] x + ...; multiplies and adds fused, so that nothing hangs on the compiler's choice.
template <int kCount>
double Polynomial(double x, const double (&c)[kCount]) {
  double sum = c[kCount - 1];
  for (int i = kCount - 2; i >= 0; --i) sum = std::fma(sum, x, c[i]);
  return sum;
}

// (2 atanh(s) - 2 s) / s^3 as a polynomial of s^2 for |s| <= 0.1716; relative error 2^-65.
constexpr double kLog[] = {0x1.5555555555555p-1, 0x1.9999999999dfep-2, 0x1.249249242b4a7p-2,
                           0x1.c71c7258f4dc2p-3, 0x1.745cde37f134cp-3, 0x1.3b20ab3806b8fp-3,
                           0x1.0f5ccfc8a2405p-3, 0x1.0f62db36cbbfap-3};
// (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 as polynomials of r^2 for |r| <= pi / 4; 2^-64.
constexpr double kSine[] = {-0x1.5555555555555p-3, 0x1.111111111110bp-7,   -0x1.a01a01a018ae4p-13,
                            0x1.71de3a5339743p-19, -0x1.ae64529847fd9p-26, 0x1.612092b567df3p-33,
                            -0x1.aaa546228684ap-41};
constexpr double kCosine[] = {0x1.555555555554cp-5,  -0x1.6c16c16c1517ep-10,
                              0x1.a01a019cb1c99p-16, -0x1.27e4f809f77f6p-22,
                              0x1.1ee9ebecf7160p-29, -0x1.8fae9e1136e03p-37};

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer

// What follows are the figures of glibc's float functions: which floats they miss by a bit depends
// on them. Parts of [0.7, 1.4), each with 1 / c and log c of a c in its middle.
struct Part {
  double reciprocal;
  double log;
};
constexpr Part kParts[] = {
    {0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2}, {0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2},
    {0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2},  {0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3},
    {0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3}, {0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3},
    {0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4}, {0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4},
    {0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5}, {0x1p+0, 0x0p+0},
    {0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5},  {0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4},
    {0x1.b2036576afce6p-1, 0x1.526e57720db08p-3},  {0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3},
    {0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2},  {0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2}};
// (log(1 + r) - r) / r^2, (sin r - r) / r^3 and cos r, as polynomials of r, r^2 and r^2.
constexpr double kFloatLog[] = {-0x1.ffffef20a4123p-2, 0x1.5575b0be00b6ap-2, -0x1.00ea348b88334p-2};
constexpr double kFloatSine[] = {-0x1.555545995a603p-3, 0x1.1107605230bc4p-7,
                                 -0x1.994eb3774cf24p-13};
constexpr double kFloatCosine[] = {0x1p0, -0x1.ffffffd0c621cp-2, 0x1.55553e1068f19p-5,
                                   -0x1.6c087e89a359dp-10, 0x1.99343027bf8c3p-16};

// Of r = angle - quadrants * pi / 2, when `shifted` is the quadrants + kRound.
SinCos Turned(double shifted, double sine, double cosine) {
  const uint64_t quadrant = std::bit_cast<uint64_t>(shifted);
  const bool swap = (quadrant & 1) != 0;
  const double first = swap ? cosine : sine;
  const double second = swap ? sine : cosine;
  return {(quadrant & 2) != 0 ? -first : first, ((quadrant + 1) & 2) != 0 ? -second : second};
}

}  // namespace

double Log(double x) {
  constexpr double kLn2High = 0x1.62e42fefp-1;  // its product with any exponent is exact
  constexpr double kLn2Low = 0x1.473de6af278edp-34;
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const int64_t exponent = static_cast<int64_t>(bits - kRootHalf) >> 52;
  const double f = std::bit_cast<double>(bits - (static_cast<uint64_t>(exponent) << 52)) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  const double rest = s * (half_square + z * Polynomial(z, kLog));
  const double k = static_cast<double>(exponent);
  return k * kLn2High - ((half_square - (rest + k * kLn2Low)) - f);
}

float Log(float x) {
  constexpr uint32_t kLowest = 0x3f330000;  // of the parts, about 0.7
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t above = bits - kLowest;
  const Part& part = kParts[above >> 19 & 15];
  const int32_t exponent = static_cast<int32_t>(above) >> 23;
  const double z = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23));
  const double r = std::fma(z, part.reciprocal, -1.0);
  const double base = std::fma(static_cast<double>(exponent), kLn2, part.log);
  return static_cast<float>(std::fma(r * r, Polynomial(r, kFloatLog), base + r));
}

SinCos SineCosine(double angle) {
  const double shifted = std::fma(angle, kTwoOverPi, kRound);
  const double quadrants = shifted - kRound;
  const double r = std::fma(-quadrants, kHalfPi[1], std::fma(-quadrants, kHalfPi[0], angle));
  const double z = r * r;
  const double sine = std::fma(r * z, Polynomial(z, kSine), r);
  const double cosine = std::fma(z * z, Polynomial(z, kCosine), std::fma(z, -0.5, 1.0));
  return Turned(shifted, sine, cosine);
}

SinCos SineCosine(float angle) {
  const double shifted = std::fma(static_cast<double>(angle), kTwoOverPi, kRound);
  const double r = std::fma(kRound - shifted, kHalfPi[0], static_cast<double>(angle));
  const double z = r * r;
  return Turned(shifted, std::fma(r * z, Polynomial(z, kFloatSine), r),
                Polynomial(z, kFloatCosine));
}

}  // namespace lockstep::random
