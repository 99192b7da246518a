// Elementary functions, activations, division and clipping, carried out eagerly.

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "kernels/division_test.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;
using runtime::ExpectGradients;
using runtime::ExpectSecondGradients;
using runtime::RandomDoubles;
using runtime::TapeGradients;
using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

using Unary = Tensor (*)(const Tensor&);

struct UnaryCase {
  const char* name;
  Unary function;
  double (*reference)(double);
  double low, high;
};

double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
double NormalOf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

const UnaryCase kUnaryCases[] = {
    {"Exp", Exp, std::exp, -3, 3},
    {"Expm1", Expm1, std::expm1, -3, 3},
    {"Log", Log, std::log, 0.1, 5},
    {"Log1p", Log1p, std::log1p, -0.9, 5},
    {"Sin", Sin, std::sin, -7, 7},
    {"Cos", Cos, std::cos, -7, 7},
    {"Tan", Tan, std::tan, -1.3, 1.3},
    {"Asin", Asin, std::asin, -0.9, 0.9},
    {"Acos", Acos, std::acos, -0.9, 0.9},
    {"Atan", Atan, std::atan, -5, 5},
    {"Sinh", Sinh, std::sinh, -3, 3},
    {"Cosh", Cosh, std::cosh, -3, 3},
    {"Tanh", Tanh, std::tanh, -3, 3},
    {"Asinh", Asinh, std::asinh, -5, 5},
    {"Acosh", Acosh, std::acosh, 1.2, 5},
    {"Atanh", Atanh, std::atanh, -0.9, 0.9},
    {"Erf", Erf, std::erf, -3, 3},
    {"Erfc", Erfc, std::erfc, -3, 3},
    {"Sigmoid", Sigmoid, SigmoidOf, -5, 5},
    {"Lgamma", Lgamma, std::lgamma, 0.2, 6},
    {"Softplus", Softplus, [](double x) { return std::log1p(std::exp(x)); }, -5, 5},
    {"LogSigmoid", LogSigmoid, [](double x) { return -std::log1p(std::exp(-x)); }, -5, 5},
    {"Softsign", Softsign, [](double x) { return x / (1 + std::fabs(x)); }, 0.1, 5},
    {"Silu", Silu, [](double x) { return x * SigmoidOf(x); }, -5, 5},
    {"Mish", Mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, -5, 5},
    {"HardSigmoid", HardSigmoid, [](double x) { return (x + 3) / 6; }, -2.9, 2.9},
    {"Selu", Selu,
     [](double x) { return 1.0507009873554805 * (x < 0 ? 1.6732632423543772 * std::expm1(x) : x); },
     -3, -0.1},
    {"Elu", [](const Tensor& x) { return Elu(x, 1.5); },
     [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }, -3, -0.1},
    {"Gelu", [](const Tensor& x) { return Gelu(x); }, [](double x) { return x * NormalOf(x); }, -4,
     4},
    {"GeluTanh", [](const Tensor& x) { return Gelu(x, true); },
     [](double x) {
       return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
     },
     -4, 4}};

TEST(Elementary, AgreesWithTheStandardLibraryToSecondOrder) {
  for (const UnaryCase& c : kUnaryCases) {
    SCOPED_TRACE(c.name);
    const Tensor x = RandomDoubles({2, 5}, 7, c.low, c.high);
    const Tensor y = c.function(x), single = c.function(Cast(x, DType::kFloat32));
    const Tensor half = c.function(Cast(x, DType::kBFloat16));
    EXPECT_EQ(half.dtype(), DType::kBFloat16);
    for (int i = 0; i < 10; ++i) {
      const double want = c.reference(x.data<double>()[i]);
      EXPECT_NEAR(y.data<double>()[i], want, 1e-13 * (1 + std::fabs(want)));
      EXPECT_NEAR(single.data<float>()[i], want, 4e-6 * (1 + std::fabs(want)));
    }
    const auto call = [&](const std::vector<Tensor>& inputs) { return c.function(inputs[0]); };
    ExpectGradients(call, {x}, 1e-6);
    ExpectSecondGradients(call, {x}, 1e-5);
  }
}

TEST(Elementary, KernelsKeepTheirBits) {
  const Tensor x = RandomDoubles({7, 333}, 1, 0.1, 0.9);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
    const Tensor a = Cast(x, dtype);
    for (const char* op : {"Exp", "Tanh", "Sigmoid", "Silu", "Softsign", "Digamma"}) {
      ExpectDivisionKeepsBits({op, {a}});
    }
    ExpectDivisionKeepsBits({"Gelu", {a}, {{"approximate", false}}});
    ExpectDivisionKeepsBits({"GeluGrad", {a, a}, {{"approximate", true}}});
    ExpectDivisionKeepsBits({"Elu", {a}, {{"above", 1.0}, {"below", 1.0}}});
    ExpectDivisionKeepsBits({"Pow", {a, Cast(RandomDoubles({333}, 2), dtype)}});
    ExpectDivisionKeepsBits({"Atan2", {Cast(RandomDoubles({7, 1}, 2), dtype), a}});
    ExpectDivisionKeepsBits({"FloorMod", {a, Cast(RandomDoubles({333}, 2), dtype)}});
  }
}

TEST(Elementary, Limits) {
  const Tensor x = {kNan, -kInf, kInf, -100, 100, 0};
  EXPECT_THAT(Softplus(x).ToVector<float>(),
              ElementsAre(::testing::IsNan(), 0, kInf, ::testing::Lt(1e-30f), 100, std::log(2.0f)));
  EXPECT_EQ(LogSigmoid(x).data<float>()[3], -100);
  EXPECT_THAT(Elu(x).ToVector<float>(), ElementsAre(::testing::IsNan(), -1, kInf, -1, 100, 0));
  EXPECT_THAT(Log(Tensor{0, -1}).ToVector<float>(), ElementsAre(-kInf, ::testing::IsNan()));
  EXPECT_EQ(Gelu(x).data<float>()[4], 100);
  EXPECT_THAT(TapeGradients([](const auto& t) { return ReduceSum(Softplus(t[0]) / 1.0); },
                            {Constant<double>({0, 100})})[0]
                  .shape(),
              (Shape{2}));
}

TEST(Polygamma, HasKnownValues) {
  const Tensor x = Constant<double>({0.5, -1.5, 1, 30});
  const double pi2 = M_PI * M_PI;
  const auto trigamma = Polygamma(1, x).ToVector<double>();
  EXPECT_NEAR(trigamma[0], pi2 / 2, 1e-13);
  EXPECT_NEAR(trigamma[1], pi2 / 2 + 4 + 4.0 / 9, 1e-12);
  EXPECT_NEAR(trigamma[2], pi2 / 6, 1e-13);
  EXPECT_NEAR(Polygamma(3, x).data<double>()[0], pi2 * pi2, 1e-10);
  EXPECT_NEAR(Polygamma(2, x).data<double>()[2], -2 * 1.2020569031595942854, 1e-13);
  EXPECT_NEAR(Polygamma(1, Scalar(-1e9 - 0.5)).scalar<double>(), pi2, 1e-6);
  EXPECT_EQ(Polygamma(1, Scalar(-2.0)).scalar<double>(), std::numeric_limits<double>::infinity());
  ExpectSecondGradients([](const auto& t) { return Digamma(t[0]) + Polygamma(2, t[0]); },
                        {RandomDoubles({3}, 1, 1, 4)}, 1e-5);
  EXPECT_THROW(Polygamma(0, x), Error);
}

TEST(Pow, HasTensorFlowsEdges) {
  const Tensor y =
      Pow(Tensor{-2, -2, 0, 0, kNan, 1, -1, 0}, Tensor{3, 0.5f, 0, -1, 0, kNan, kInf, -3});
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(-8, ::testing::IsNan(), 1, kInf, 1, 1, 1, kInf));
  EXPECT_THAT(
      Pow(Constant<int32_t>({2, -2, 3, 0}), Constant<int32_t>({3, 3, 0, 0})).ToVector<int32_t>(),
      ElementsAre(8, -8, 1, 1));
  EXPECT_EQ(Pow(Scalar<int8_t>(3), 7).scalar<int8_t>(), static_cast<int8_t>(2187));
  const Tensor a = {0, -2, -2, 2, 0}, b = {2, 3, 2, 0, 0.5f};
  GradientTape tape;
  tape.Watch(a);
  tape.Watch(b);
  const auto gradients = tape.Gradient({Pow(a, b)}, {a, b});
  EXPECT_THAT(gradients[0].ToVector<float>(), ElementsAre(0, 12, -4, 0, kInf));
  EXPECT_THAT(gradients[1].ToVector<float>(), ElementsAre(0, 0, 0, std::log(2.0f), 0));
  for (const auto& function :
       {runtime::TensorFunction([](const auto& x) { return Pow(x[0], x[1]); }),
        runtime::TensorFunction([](const auto& x) { return Atan2(x[0], x[1]); }),
        runtime::TensorFunction([](const auto& x) { return FloorMod(5 * x[0], x[1]); }),
        runtime::TensorFunction([](const auto& x) { return TruncateMod(-5 * x[0], x[1]); })}) {
    const std::vector<Tensor> xs = {RandomDoubles({2, 3}, 1, 0.5, 2),
                                    RandomDoubles({3}, 2, 0.5, 2)};
    ExpectGradients(function, xs);
    ExpectSecondGradients(function, xs);
  }
}

TEST(Division, OfIntegersIsTensorFlows) {
  const Tensor a = Constant<int32_t>({7, -7, 7, -7, 6}), b = Constant<int32_t>({3, 3, -3, -3, -3});
  EXPECT_THAT(FloorDiv(a, b).ToVector<int32_t>(), ElementsAre(2, -3, -3, 2, -2));
  EXPECT_THAT(FloorMod(a, b).ToVector<int32_t>(), ElementsAre(1, 2, -2, -1, 0));
  EXPECT_THAT(TruncateDiv(a, b).ToVector<int32_t>(), ElementsAre(2, -2, -2, 2, -2));
  EXPECT_THAT(TruncateMod(a, b).ToVector<int32_t>(), ElementsAre(1, -1, 1, -1, 0));
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(FloorDiv(Scalar(least), -1).scalar<int64_t>(), least);
  EXPECT_EQ(FloorMod(Scalar(least), -1).scalar<int64_t>(), 0);
  EXPECT_EQ(FloorDiv(Scalar<int8_t>(-128), -1).scalar<int8_t>(), -128);
  EXPECT_EQ(TruncateMod(Scalar<uint8_t>(200), 255).scalar<uint8_t>(), 200);
  try {
    FloorMod(Constant<int32_t>({4, 5}), Constant<int32_t>({2, 0}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_EQ(error.status().message(),
              "[FloorMod] an integer cannot be divided by zero; got 5 and 0");
  }
  EXPECT_THROW(FloorDiv(a, 0), Error);
  EXPECT_THROW(TruncateDiv(a, 0), Error);
}

// Kernels run with subnormal operands taken for zero.
template <typename T>
void ExpectExactRemainders() {
  const std::vector<T> values = {T(5),
                                 T(-5),
                                 T(3),
                                 T(0.1),
                                 T(-0.0),
                                 T(1e30),
                                 T(7e-30),
                                 std::numeric_limits<T>::max(),
                                 std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::infinity(),
                                 std::numeric_limits<T>::quiet_NaN(),
                                 T(0)};
  for (const T a : values) {
    for (const T b : values) {
      const T want = std::fmod(a, b);
      const T got = TruncateMod(Scalar(a), Scalar(b)).template scalar<T>();
      ASSERT_TRUE(std::isnan(want) ? std::isnan(got)
                                   : want == got && std::signbit(want) == std::signbit(got))
          << a << " mod " << b << ": " << got << ", not " << want;
    }
  }
}

TEST(Division, OfRealsLeavesExactRemainders) {
  ExpectExactRemainders<float>();
  ExpectExactRemainders<double>();
  const Tensor a = {5, -5, 5, -5, -5}, b = {3, 3, -3, -3, kInf};
  EXPECT_THAT(FloorMod(a, b).ToVector<float>(), ElementsAre(2, 1, -1, -2, kInf));
  EXPECT_THAT(FloorDiv(a, b).ToVector<float>(), ElementsAre(1, -2, -2, 1, 0));
  EXPECT_THAT(TruncateDiv(a, b).ToVector<float>(), ElementsAre(1, -1, -1, 1, 0));
}

TEST(Rounding, SendsHalvesToTheEvenNeighbour) {
  const Tensor x = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f};
  EXPECT_THAT(Round(x).ToVector<float>(), ElementsAre(-2, -2, 0, 0, 2, 2));
  EXPECT_THAT(Rint(x).ToVector<float>(), ElementsAre(-2, -2, 0, 0, 2, 2));
  EXPECT_THAT(Floor(x).ToVector<float>(), ElementsAre(-3, -2, -1, 0, 1, 2));
  EXPECT_THAT(Ceil(x).ToVector<float>(), ElementsAre(-2, -1, 0, 1, 2, 3));
  EXPECT_EQ(Round(Scalar<int32_t>(7)).scalar<int32_t>(), 7);
  GradientTape tape;
  tape.Watch(x);
  EXPECT_FALSE(tape.Gradient(Floor(x), x).defined());
}

TEST(ClipByValue, PassesGradientsAtTheBounds) {
  const Tensor x = {-1, 0, 0.5f, 1, 2}, low = Scalar(0.0f), high = Scalar(1.0f);
  for (const bool numbers : {true, false}) {
    GradientTape tape;
    tape.Watch(x);
    tape.Watch(low);
    tape.Watch(high);
    const Tensor y = numbers ? ClipByValue(x, 0, 1.0) : ClipByValue(x, low, high);
    EXPECT_THAT(y.ToVector<float>(), ElementsAre(0, 0, 0.5f, 1, 1));
    const auto gradients = tape.Gradient({y}, {x, low, high});
    EXPECT_THAT(gradients[0].ToVector<float>(), ElementsAre(0, 1, 1, 1, 0));
    if (numbers) continue;
    EXPECT_EQ(gradients[1].scalar<float>(), 1);
    EXPECT_EQ(gradients[2].scalar<float>(), 1);
  }
  const int64_t large = (int64_t{1} << 53) + 1;
  EXPECT_EQ(ClipByValue(Scalar(large), 0, large).scalar<int64_t>(), large);
  EXPECT_EQ(ClipByValue(Scalar<int32_t>(7), 1, 5).scalar<int32_t>(), 5);
  EXPECT_THROW(ClipByValue(Scalar<int32_t>(7), 0.5, 5), Error);
  EXPECT_THROW(ClipByValue(Tensor{1}, Tensor{1, 2}, 5), Error);
}

TEST(ClipByNorm, ScalesWhatIsLonger) {
  EXPECT_THAT(ClipByNorm(Tensor{3, 4}, 1).ToVector<float>(), ElementsAre(0.6f, 0.8f));
  EXPECT_THAT(ClipByNorm(Tensor{3, 4}, 6).ToVector<float>(), ElementsAre(3, 4));
  const Tensor rows = {{3, 4}, {0, 0.5f}};
  EXPECT_THAT(ClipByNorm(rows, 1, 1).ToVector<float>(), ElementsAre(0.6f, 0.8f, 0, 0.5f));
  GradientTape tape;
  const Tensor zero = {0, 0};
  tape.Watch(zero);
  EXPECT_THAT(tape.Gradient(ClipByNorm(zero, 1), zero).ToVector<float>(), ElementsAre(1, 1));
  ExpectSecondGradients([](const auto& x) { return ClipByNorm(x[0], 0.5); },
                        {RandomDoubles({4}, 1)}, 1e-5);
}

TEST(ClipByGlobalNorm, KeepsEmptyOnesAndSlices) {
  const Tensor slices = IndexedSlices{{{3, 0}}, Constant<int32_t>({1}), {2, 2}}.ToTensor();
  const auto [clipped, norm] = ClipByGlobalNorm({Tensor{4}, Tensor(), slices}, 1);
  EXPECT_EQ(norm.scalar<float>(), 5);
  EXPECT_FLOAT_EQ(clipped[0].data<float>()[0], 0.8f);
  EXPECT_FALSE(clipped[1].defined());
  ASSERT_NE(IndexedSlices::Of(clipped[2]), nullptr);
  EXPECT_FLOAT_EQ(IndexedSlices::Of(clipped[2])->values.data<float>()[0], 0.6f);
  EXPECT_TRUE(std::isnan(ClipByGlobalNorm({Tensor{kInf, 1}}, 1).first[0].data<float>()[1]));
  EXPECT_THAT(ClipByGlobalNorm({Tensor{0, 0}}, 1).first[0].ToVector<float>(), ElementsAre(0, 0));
  EXPECT_THAT(ClipByGlobalNorm({Tensor{0.5f}}, 1).first[0].ToVector<float>(), ElementsAre(0.5f));
  EXPECT_THROW(ClipByGlobalNorm({Tensor()}, 1), Error);
}

}  // namespace
}  // namespace lockstep
