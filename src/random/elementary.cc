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

SinCos SineCosine(double angle) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer
  const double shifted = std::fma(angle, kTwoOverPi, kRound);
  const double quadrants = shifted - kRound;
  const double r = std::fma(-quadrants, kHalfPi[1], std::fma(-quadrants, kHalfPi[0], angle));
  const double z = r * r;
  const double sine = std::fma(r * z, Polynomial(z, kSine), r);
  const double cosine = std::fma(z * z, Polynomial(z, kCosine), std::fma(z, -0.5, 1.0));
  const uint64_t quadrant = std::bit_cast<uint64_t>(shifted);
  const bool swap = (quadrant & 1) != 0;
  const double first = swap ? cosine : sine;
  const double second = swap ? sine : cosine;
  return {(quadrant & 2) != 0 ? -first : first, ((quadrant + 1) & 2) != 0 ? -second : second};
}

}  // namespace lockstep::random
