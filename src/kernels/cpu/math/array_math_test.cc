#include "kernels/cpu/math/array_math.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/cpu/math/array_math_reference.h"

namespace lockstep::kernels {
namespace {

void Apply(UnaryFunction f, const std::vector<float>& x, std::vector<float>& y) {
  UnaryF32(f, x.data(), y.data(), x.size());
}
void Apply(UnaryFunction f, const std::vector<double>& x, std::vector<double>& y) {
  UnaryF64(f, x.data(), y.data(), x.size());
}
void Apply(BinaryFunction f, const std::vector<float>& x, const std::vector<float>& y,
           std::vector<float>& z) {
  BinaryF32(f, x.data(), y.data(), z.data(), z.size());
}
void Apply(BinaryFunction f, const std::vector<double>& x, const std::vector<double>& y,
           std::vector<double>& z) {
  BinaryF64(f, x.data(), y.data(), z.data(), z.size());
}

template <typename T>
std::vector<T> Edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> edges;
  for (T size : {T{0},
                 Limits::denorm_min(),
                 3 * Limits::denorm_min(),
                 Limits::min(),
                 Limits::epsilon(),
                 T{0.5},
                 T{1},
                 1 + Limits::epsilon(),
                 1 - Limits::epsilon() / 2,
                 T{2},
                 T{3},
                 T{8},
                 T{88.72284},
                 T{89.5},
                 T{104},
                 T{709.7827},
                 T{710.4},
                 T{745.2},
                 T{1e8},
                 T{1073741824},
                 Limits::max(),
                 Limits::infinity(),
                 Limits::quiet_NaN()}) {
    edges.push_back(size);
    edges.push_back(-size);
  }
  return edges;
}

// Edges, all exponents, and the ranges where the functions change their ways.
template <typename T>
std::vector<T> Arguments(size_t count) {
  std::vector<T> x = Edges<T>();
  std::mt19937_64 random(20);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (size_t i = 0; i < count; ++i) {
    if constexpr (sizeof(T) == 4) {
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
    } else {
      x.push_back(std::bit_cast<double>(random()));
    }
    x.push_back(static_cast<T>(20 * unit() - 10));
    x.push_back(static_cast<T>(2 * unit() - 1));
    x.push_back(static_cast<T>(1600 * unit() - 800));
    x.push_back(static_cast<T>(1 + 0.01 * (2 * unit() - 1)));
  }
  return x;
}

template <typename T>
void ExpectErrorsAsStated(size_t count, double FunctionCase::*limit) {
  const std::vector<T> x = Arguments<T>(count);
  std::vector<T> y(x.size());
  for (const FunctionCase& function : kFunctionCases) {
    Apply(function.function, x, y);
    double worst = 0;
    size_t place = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = ErrorInUnits(function, x[i], y[i], function.exact(x[i]));
      if (error > worst) worst = error, place = i;
    }
    // Half a unit is exact rounding; the reference itself has 64 bits.
    EXPECT_LE(worst, function.*limit * (1 + 1e-3))
        << function.name << " at " << x[place] << ": " << y[place];
  }
}

TEST(ArrayMath, FunctionsOfFloat32ErrAsStated) {
  ExpectErrorsAsStated<float>(20000, &FunctionCase::max_float_error);
}
TEST(ArrayMath, FunctionsOfFloat64ErrAsStated) {
  ExpectErrorsAsStated<double>(10000, &FunctionCase::max_double_error);
}
TEST(ArrayMath, EveryFunctionHasItsCase) {
  EXPECT_EQ(std::size(kFunctionCases), static_cast<size_t>(kUnaryFunctions));
  for (int i = 0; i < kUnaryFunctions; ++i) {
    EXPECT_EQ(kFunctionCases[i].function, static_cast<UnaryFunction>(i)) << i;
  }
}

template <typename T>
void ExpectPowAsStated(double limit) {
  const FunctionCase pow{UnaryFunction::kExp, "pow", nullptr, 0, 0};
  std::vector<T> x;
  std::vector<T> y;
  for (T a : Edges<T>()) {
    for (T b : Edges<T>()) x.push_back(a), y.push_back(b);
  }
  for (T a : {T{-8}, T{-1.5}, T{2}, T{10}, T{0.1}}) {
    for (int b = -350; b <= 350; ++b) x.push_back(a), y.push_back(static_cast<T>(b) / 2);
  }
  std::mt19937_64 random(3);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int i = 0; i < 30000; ++i) {
    x.push_back(static_cast<T>(std::exp(100 * unit() - 50)));
    y.push_back(static_cast<T>(20 * unit() - 10));
    x.push_back(static_cast<T>(1 + (unit() - 0.5) * 1e-3));
    y.push_back(static_cast<T>(1e5 * (unit() - 0.5)));
  }
  std::vector<T> z(x.size());
  Apply(BinaryFunction::kPow, x, y, z);
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact =
        std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i]));
    ASSERT_LE(ErrorInUnits(pow, x[i], z[i], exact), limit)
        << x[i] << " ^ " << y[i] << " = " << z[i] << ", not " << exact;
    ASSERT_TRUE(std::isnan(z[i]) || std::signbit(z[i]) == std::signbit(exact))
        << x[i] << " " << y[i];
  }
}

TEST(ArrayMath, PowErrsAsStatedWithItsSpecialValues) {
  ExpectPowAsStated<float>(1);
  ExpectPowAsStated<double>(1.1);
}

// Between 1 and 2 and at its zeros lgamma keeps its relative accuracy.
TEST(ArrayMath, LgammaIsRelativelyExactAtItsZeros) {
  FunctionCase lgamma = kFunctionCases[static_cast<int>(UnaryFunction::kLgamma)];
  lgamma.unit = ErrorUnit::kResult;
  std::vector<double> x;
  std::mt19937_64 random(5);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  for (int i = 0; i < 5000; ++i) {
    x.push_back(2.5 + 2 * unit());
    x.push_back(1 + unit() * std::exp(10 * unit() - 12));
    x.push_back(2 + unit() * std::exp(10 * unit() - 12));
  }
  std::vector<double> y(x.size());
  Apply(UnaryFunction::kLgamma, x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_LE(ErrorInUnits(lgamma, x[i], y[i], lgamma.exact(x[i])), 5) << x[i];
  }
}

template <typename T>
void ExpectAtan2AsStated(double limit) {
  const FunctionCase atan2{UnaryFunction::kAtan, "atan2", nullptr, 0, 0};
  std::vector<T> y;
  std::vector<T> x;
  for (T a : Edges<T>()) {
    for (T b : Edges<T>()) y.push_back(a), x.push_back(b);
  }
  std::mt19937_64 random(4);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  for (int i = 0; i < 30000; ++i) {
    y.push_back(static_cast<T>(unit())), x.push_back(static_cast<T>(unit()));
    y.push_back(static_cast<T>(unit() * 1e-20)), x.push_back(static_cast<T>(unit() * 1e10));
  }
  std::vector<T> z(x.size());
  Apply(BinaryFunction::kAtan2, y, x, z);
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact =
        std::atan2(static_cast<long double>(y[i]), static_cast<long double>(x[i]));
    ASSERT_LE(ErrorInUnits(atan2, y[i], z[i], exact), limit)
        << y[i] << ", " << x[i] << ": " << z[i] << ", not " << exact;
    ASSERT_TRUE(std::isnan(z[i]) || std::signbit(z[i]) == std::signbit(exact))
        << y[i] << " " << x[i];
  }
}

TEST(ArrayMath, Atan2ErrsAsStatedWithItsSpecialValues) {
  ExpectAtan2AsStated<float>(1);
  ExpectAtan2AsStated<double>(2);
}

TEST(ArrayMath, KeepsTheSignOfZero) {
  const std::vector<float> x{-0.0f, 0.0f};
  std::vector<float> y(2);
  for (UnaryFunction f :
       {UnaryFunction::kExpm1, UnaryFunction::kLog1p, UnaryFunction::kSin, UnaryFunction::kTan,
        UnaryFunction::kAsin, UnaryFunction::kAtan, UnaryFunction::kSinh, UnaryFunction::kTanh,
        UnaryFunction::kAsinh, UnaryFunction::kAtanh, UnaryFunction::kErf, UnaryFunction::kSqrt}) {
    Apply(f, x, y);
    EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]) && y[1] == 0 && !std::signbit(y[1]))
        << kFunctionCases[static_cast<int>(f)].name << " " << y[0] << " " << y[1];
  }
}

// Runs `body` with one instruction set after another; returns how many there were.
template <typename Body>
int OnEachTarget(const Body& body) {
  int targets = 0;
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(targets++);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return targets;
}

template <typename T>
void ExpectEqualBits(const std::vector<T>& got, const std::vector<T>& expected, const char* name) {
  ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)), 0) << name;
}

template <typename T>
void ExpectTheSameBitsOnAllTargets() {
  const std::vector<T> x = Arguments<T>(5000);
  std::vector<T> other(x.rbegin(), x.rend());
  std::vector<std::vector<T>> first(kUnaryFunctions + kBinaryFunctions);
  const int targets = OnEachTarget([&](int target) {
    for (int f = 0; f < kUnaryFunctions + kBinaryFunctions; ++f) {
      std::vector<T> y(x.size());
      if (f < kUnaryFunctions) {
        Apply(static_cast<UnaryFunction>(f), x, y);
      } else {
        Apply(static_cast<BinaryFunction>(f - kUnaryFunctions), x, other, y);
      }
      if (target == 0) first[f] = y;
      ExpectEqualBits(y, first[f], f < kUnaryFunctions ? kFunctionCases[f].name : "binary");
    }
  });
  if (targets < 2) GTEST_SKIP() << "this processor has one instruction set";
}

TEST(ArrayMath, GivesTheSameBitsOnAllTargetsF32) { ExpectTheSameBitsOnAllTargets<float>(); }
TEST(ArrayMath, GivesTheSameBitsOnAllTargetsF64) { ExpectTheSameBitsOnAllTargets<double>(); }

// An element's bits do not depend on its place, nor on the length; in place works.
template <typename T>
void ExpectElementsAlone() {
  std::vector<T> x = Arguments<T>(8);
  for (int f = 0; f < kUnaryFunctions; ++f) {
    const auto function = static_cast<UnaryFunction>(f);
    std::vector<T> whole(x.size());
    Apply(function, x, whole);
    for (size_t i = 0; i < x.size(); ++i) {
      std::vector<T> one{x[i]};
      Apply(function, one, one);
      ASSERT_EQ(std::memcmp(one.data(), &whole[i], sizeof(T)), 0)
          << kFunctionCases[f].name << " of " << x[i];
    }
    for (size_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 33}) {
      std::vector<T> part(x.begin(), x.begin() + n);
      part.reserve(n + 1);
      Apply(function, part, part);
      ASSERT_EQ(std::memcmp(part.data(), whole.data(), n * sizeof(T)), 0) << kFunctionCases[f].name;
    }
  }
}

TEST(ArrayMath, ElementsDoNotKnowOfTheirArray) {
  ExpectElementsAlone<float>();
  ExpectElementsAlone<double>();
}

TEST(ArrayMath, DoesNotWritePastTheEnd) {
  std::vector<float> x(5, 1.0f);
  std::vector<float> y(6, 77.0f);
  UnaryF32(UnaryFunction::kExp, x.data(), y.data(), 5);
  EXPECT_EQ(y[5], 77.0f);
  UnaryF32(UnaryFunction::kExp, nullptr, nullptr, 0);
  BinaryF32(BinaryFunction::kPow, x.data(), x.data(), y.data(), 4);
  EXPECT_EQ(y[3], 1.0f);
  EXPECT_NE(y[4], 1.0f);
}

}  // namespace
}  // namespace lockstep::kernels
