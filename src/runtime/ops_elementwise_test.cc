// Arithmetic, comparisons and broadcasting, carried out eagerly.

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "kernels/division_test.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;
using runtime::ExpectGradients;
using runtime::ExpectSecondGradients;
using runtime::RandomDoubles;
using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor RandomFloats(const Shape& shape, uint32_t seed) {
  return Cast(RandomDoubles(shape, seed), DType::kFloat32);
}

std::string MessageOf(const std::function<void()>& call, Code code) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return std::string(error.status().message());
  }
  ADD_FAILURE() << "no error";
  return "";
}

// Element by element, with index arithmetic that knows nothing of runs.
TEST(Broadcasting, AgreesWithIndexArithmetic) {
  const std::vector<std::pair<Shape, Shape>> cases = {{{}, {}},
                                                      {{5}, {}},
                                                      {{}, {5}},
                                                      {{7}, {7}},
                                                      {{3, 5}, {5}},
                                                      {{3, 5}, {3, 1}},
                                                      {{3, 1}, {1, 5}},
                                                      {{1, 1, 4}, {4}},
                                                      {{2, 3, 4}, {3, 1}},
                                                      {{2, 1, 4}, {3, 1}},
                                                      {{0, 3}, {3}},
                                                      {{3, 0}, {1, 1}},
                                                      {{2, 3, 1, 5}, {4, 1}},
                                                      {{1, 6, 1}, {5, 1, 7}},
                                                      {{2, 2, 2, 2, 2}, {2, 1, 2, 1, 2}}};
  for (const auto& [sa, sb] : cases) {
    SCOPED_TRACE(sa.ToString() + sb.ToString());
    const Tensor a = RandomFloats(sa, 1), b = RandomFloats(sb, 2);
    const Tensor c = a - b;
    const Shape shape = BroadcastShapes(sa, sb, "test");
    ASSERT_EQ(c.shape(), shape);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      int64_t ia = 0, ib = 0, stride_a = 1, stride_b = 1, rest = i;
      for (int axis = shape.rank() - 1, back = 1; axis >= 0; --axis, ++back) {
        const int64_t at = rest % shape[axis];
        rest /= shape[axis];
        const int64_t size_a = back <= sa.rank() ? sa[sa.rank() - back] : 1;
        const int64_t size_b = back <= sb.rank() ? sb[sb.rank() - back] : 1;
        ia += size_a == 1 ? 0 : at * stride_a;
        ib += size_b == 1 ? 0 : at * stride_b;
        stride_a *= size_a;
        stride_b *= size_b;
      }
      ASSERT_EQ(c.data<float>()[i], a.data<float>()[ia] - b.data<float>()[ib]) << i;
    }
    ExpectDivisionKeepsBits({"Sub", {a, b}});
    ExpectDivisionKeepsBits({"SelectV2", {Less(a, b), a, b}});
    ExpectGradients([](const auto& x) { return x[0] * x[1]; },
                    {RandomDoubles(sa, 3), RandomDoubles(sb, 4)});
  }
}

TEST(Broadcasting, LongRowsAndHalves) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16}) {
    const Tensor a = Cast(RandomDoubles({5, 2049}, 1), dtype);
    const Tensor b = Cast(RandomDoubles({2049}, 2), dtype);
    ExpectDivisionKeepsBits({"Mul", {a, b}});
    ExpectDivisionKeepsBits({"Relu", {a}});
    ExpectDivisionKeepsBits({"Less", {b, a}});
  }
  const Tensor x = Constant<bfloat16>({bfloat16(1.0f), bfloat16(3.0f)});
  const Tensor third = x / Constant<bfloat16>({bfloat16(3.0f)});
  EXPECT_EQ(float(third.data<bfloat16>()[0]), float(bfloat16(1.0f / 3.0f)));
  EXPECT_EQ(Less(x, 2).ToVector<bool>(), (std::vector<bool>{true, false}));
}

TEST(Arithmetic, ComputesWhatItSays) {
  const Tensor x = {1, -2, 4}, y = {2, 2, -4};
  EXPECT_THAT((x + y).ToVector<float>(), ElementsAre(3, 0, 0));
  EXPECT_THAT((x - y).ToVector<float>(), ElementsAre(-1, -4, 8));
  EXPECT_THAT((x * y).ToVector<float>(), ElementsAre(2, -4, -16));
  EXPECT_THAT((x / y).ToVector<float>(), ElementsAre(0.5f, -1, -1));
  EXPECT_THAT((-x).ToVector<float>(), ElementsAre(-1, 2, -4));
  EXPECT_THAT(Maximum(x, y).ToVector<float>(), ElementsAre(2, 2, 4));
  EXPECT_THAT(Minimum(x, y).ToVector<float>(), ElementsAre(1, -2, -4));
  EXPECT_THAT(SquaredDifference(x, y).ToVector<float>(), ElementsAre(1, 16, 64));
  EXPECT_THAT(Square(x).ToVector<float>(), ElementsAre(1, 4, 16));
  EXPECT_THAT(Abs(x).ToVector<float>(), ElementsAre(1, 2, 4));
  EXPECT_THAT(Sign(x).ToVector<float>(), ElementsAre(1, -1, 1));
  EXPECT_THAT(Reciprocal(x).ToVector<float>(), ElementsAre(1, -0.5f, 0.25f));
  EXPECT_THAT(Sqrt(Tensor{4, 9, 2}).ToVector<float>(), ElementsAre(2, 3, std::sqrt(2.0f)));
  EXPECT_THAT(Rsqrt(Tensor{4, 16}).ToVector<float>(), ElementsAre(0.5f, 0.25f));
  EXPECT_THAT(DivideNoNan(x, Tensor{0, 2, 0}).ToVector<float>(), ElementsAre(0, -1, 0));
  EXPECT_THAT(AddN({x, y, x}).ToVector<float>(), ElementsAre(4, -2, 4));
}

TEST(Arithmetic, IntegersBecomeRealNumbersWhereAFractionIsDue) {
  const Tensor a = Constant<int32_t>({3, -3, 5}), b = Constant<int32_t>({2, 0, -4});
  EXPECT_THAT(DivideNoNan(a, b).ToVector<double>(), ElementsAre(1.5, 0, -1.25));
  EXPECT_THAT(DivideNoNan(Constant<int8_t>({1}), 4).ToVector<float>(), ElementsAre(0.25f));
  EXPECT_THAT(LeakyRelu(a, 0.5).ToVector<float>(), ElementsAre(3, -1.5f, 5));
}

TEST(Arithmetic, TreatsNanAndInfinityAsTensorFlow) {
  const Tensor a = {kNan, 1, kInf, 0}, b = {1, kNan, kInf, 0};
  for (const Tensor& c : {Maximum(a, b), Minimum(a, b)}) {
    EXPECT_TRUE(std::isnan(c.data<float>()[0]) && std::isnan(c.data<float>()[1]));
    EXPECT_EQ(c.data<float>()[2], kInf);
  }
  EXPECT_THAT(IsNan(a).ToVector<bool>(), ElementsAre(true, false, false, false));
  EXPECT_THAT(IsInf(-a).ToVector<bool>(), ElementsAre(false, false, true, false));
  EXPECT_THAT(IsFinite(a).ToVector<bool>(), ElementsAre(false, true, false, true));
  EXPECT_TRUE(std::isnan(Sign(a).data<float>()[0]));
  EXPECT_TRUE(std::isnan(Relu(a).data<float>()[0]));
  EXPECT_EQ(ReluGrad(OnesLike(a), a).data<float>()[0], 0);
  EXPECT_TRUE(std::signbit(Relu(Tensor{-0.0f}).data<float>()[0]));
}

TEST(Arithmetic, IntegersWrapAround) {
  const Tensor x = Constant<int8_t>({127, -128, 100});
  EXPECT_THAT((x + x).ToVector<int8_t>(), ElementsAre(-2, 0, -56));
  EXPECT_THAT((x * x).ToVector<int8_t>(), ElementsAre(1, 0, 16));
  EXPECT_THAT((-x).ToVector<int8_t>(), ElementsAre(-127, -128, -100));
  const int32_t least = std::numeric_limits<int32_t>::min();
  EXPECT_EQ((Scalar(least) - 1).scalar<int32_t>(), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Abs(Scalar(least)).scalar<int32_t>(), least);
  EXPECT_EQ((Scalar<uint8_t>(3) - Scalar<uint8_t>(5)).scalar<uint8_t>(), 254);
}

TEST(Arithmetic, NumbersTakeTheTensorsDtype) {
  EXPECT_EQ((Tensor{1, 2} * 2).dtype(), DType::kFloat32);
  EXPECT_EQ((0.5 + Scalar(1.0)).dtype(), DType::kFloat64);
  EXPECT_EQ((1 - Scalar<int64_t>(3)).scalar<int64_t>(), -2);
  EXPECT_EQ((Scalar(bfloat16(2.0f)) * 1.5).dtype(), DType::kBFloat16);
  EXPECT_EQ((Tensor(1) + Tensor(2)).dtype(), DType::kInt32);
  EXPECT_EQ((Tensor(1) + Tensor(2.0)).dtype(), DType::kFloat32);
  EXPECT_EQ(Where(true, Tensor{1}, 0).dtype(), DType::kFloat32);
  EXPECT_EQ((Scalar<int32_t>(7) / Scalar<int32_t>(2)).scalar<double>(), 3.5);
  EXPECT_EQ((Scalar<int8_t>(7) / 2).scalar<float>(), 3.5f);
  EXPECT_EQ(MessageOf([] { Scalar<int32_t>(1) * 0.5; }, Code::kInvalidArgument),
            "[Mul] a real number needs a floating tensor; got a tensor of int32; cast the tensor "
            "first");
}

TEST(Arithmetic, NamesWhatDoesNotFit) {
  EXPECT_EQ(MessageOf(
                [] {
                  Tensor{1, 2} + Constant<int32_t>({1, 2});
                },
                Code::kInvalidArgument),
            "[AddV2] dtypes must agree; got float32[2] and int32[2]; cast one of them");
  EXPECT_EQ(MessageOf(
                [] {
                  Tensor{1, 2} * Tensor{1, 2, 3};
                },
                Code::kInvalidArgument),
            "[Mul] shapes must broadcast; got [2] and [3]");
  EXPECT_EQ(MessageOf([] { Sqrt(Scalar<int32_t>(4)); }, Code::kInvalidArgument),
            "[Sqrt] floating dtypes are needed; got int32[]; cast first");
  EXPECT_EQ(MessageOf([] { Scalar(true) + Scalar(true); }, Code::kInvalidArgument),
            "[AddV2] numeric dtypes are needed; got bool[] and bool[]; cast first");
  EXPECT_EQ(MessageOf(
                [] {
                  Where(Tensor{1, 0}, 1, 2);
                },
                Code::kInvalidArgument),
            "[SelectV2] the condition must be bool; got float32[2]; compare it with 0, or cast it");
  EXPECT_EQ(MessageOf([] { AddN({}); }, Code::kInvalidArgument),
            "[AddN] at least one tensor is needed; got none");
  EXPECT_EQ(MessageOf(
                [] {
                  AddN({Tensor{1, 2}, Tensor{1}});
                },
                Code::kInvalidArgument),
            "[AddN] all types must agree; got float32[2] and float32[1]");
}

TEST(Arithmetic, Gradients) {
  const std::vector<Tensor> xs = {RandomDoubles({2, 3}, 1, 0.5, 2), RandomDoubles({3}, 2, 0.5, 2)};
  const std::vector<runtime::TensorFunction> functions = {
      [](const auto& x) { return x[0] + x[1]; },
      [](const auto& x) { return x[1] - x[0]; },
      [](const auto& x) { return x[0] * x[1]; },
      [](const auto& x) { return x[0] / x[1]; },
      [](const auto& x) { return DivideNoNan(x[0], x[1]); },
      [](const auto& x) { return Maximum(x[0], x[1]); },
      [](const auto& x) { return Minimum(x[0], x[1]); },
      [](const auto& x) { return SquaredDifference(x[0], x[1]); },
      [](const auto& x) { return Sqrt(x[0]) * Rsqrt(x[1]); },
      [](const auto& x) { return Square(x[0]) - Reciprocal(x[1]); },
      [](const auto& x) { return Where(Less(x[0], x[1]), x[0] * x[0], x[1]); },
      [](const auto& x) {
        return Square(BroadcastTo(x[1], {4, 2, 3})) + x[0];
      },
      [](const auto& x) { return Square(SumLike(x[0], x[1])) + BroadcastLike(x[1], x[1]); },
      [](const auto& x) {
        return AddN({x[0], x[0] * x[1], x[0]});
      },
      [](const auto& x) { return Abs(1 - x[0]) * Relu(x[1] - 1); },
      [](const auto& x) { return LeakyRelu(1 - x[0], 0.3) + Relu6(6 * (x[1] - 0.5)); }};
  for (size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectGradients(functions[i], xs);
    ExpectSecondGradients(functions[i], xs);
  }
}

Tensor GradientOf(const std::function<Tensor(const Tensor&)>& function, const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = function(x);
  return tape.Gradient(y, x);
}

TEST(Gradients, AtTheEdges) {
  EXPECT_THAT(GradientOf(Relu, Tensor{0, -1, 1}).ToVector<float>(), ElementsAre(0, 0, 1));
  EXPECT_THAT(GradientOf(Relu6, Tensor{0, 6, 3}).ToVector<float>(), ElementsAre(0, 0, 1));
  EXPECT_THAT(GradientOf(Abs, Tensor{0, -2}).ToVector<float>(), ElementsAre(0, -1));
  EXPECT_THAT(GradientOf(Sqrt, Tensor{0, 4}).ToVector<float>(), ElementsAre(kInf, 0.25f));
  EXPECT_THAT(
      GradientOf([](const Tensor& x) { return LeakyRelu(x); }, Tensor{0, -1, 2}).ToVector<float>(),
      ElementsAre(0.2f, 0.2f, 1));
  EXPECT_THAT(GradientOf(Sign, Tensor{0, 3}).ToVector<float>(), ElementsAre(0, 0));
  const Tensor a = {1, 2, 3}, b = {1, 1, 4};
  for (const bool larger : {true, false}) {
    GradientTape tape;
    tape.Watch(a);
    tape.Watch(b);
    const auto gradients = tape.Gradient({larger ? Maximum(a, b) : Minimum(a, b)}, {a, b});
    EXPECT_THAT(gradients[0].ToVector<float>(),
                larger ? ElementsAre(1, 1, 0) : ElementsAre(1, 0, 1));
    EXPECT_THAT(gradients[1].ToVector<float>(),
                larger ? ElementsAre(0, 0, 1) : ElementsAre(0, 1, 0));
  }
}

TEST(Gradients, HaveTheSameBitsTracedAndEager) {
  const auto step = [](const std::vector<Tensor>& in) {
    GradientTape tape;
    for (const Tensor& tensor : in) tape.Watch(tensor);
    const Tensor y = Relu(in[0] * in[1] + 0.5) / Maximum(Abs(in[0]), 1) - Square(in[2]);
    std::vector<Tensor> results = tape.Gradient({y}, in);
    results.push_back(y);
    return results;
  };
  const std::vector<Tensor> in = {RandomFloats({300, 130}, 1), RandomFloats({130}, 2),
                                  RandomFloats({300, 1}, 3)};
  const auto eager = step(in);
  const auto traced = Function(Function::Body(step)).Call(in);
  ASSERT_EQ(traced.size(), eager.size());
  for (size_t i = 0; i < eager.size(); ++i) {
    EXPECT_EQ(traced[i].ToVector<float>(), eager[i].ToVector<float>()) << i;
  }
}

TEST(SumLike, AddsRowsByLeavesAndTree) {
  const Tensor g = RandomFloats({7, 5}, 1);
  const Tensor like = Zeros({5});
  const auto summed =
      kernels::DividedKernel({"SumLike", {g, like}, {}, {0, 3, 3, 5, 7}}).RunWhole()[0];
  const auto at = [&](int row, int column) { return g.data<float>()[row * 5 + column]; };
  for (int c = 0; c < 5; ++c) {
    const float first = (at(0, c) + at(1, c)) + at(2, c);
    const float rest = (at(3, c) + at(4, c)) + (at(5, c) + at(6, c));
    EXPECT_EQ(summed.data<float>()[c], first + rest);
  }
}

TEST(SumLike, AgreesWithAPlainSum) {
  const std::vector<std::pair<Shape, Shape>> cases = {{{6, 5}, {}},
                                                      {{6, 5}, {6, 1}},
                                                      {{6, 3, 5}, {3, 1}},
                                                      {{6, 3, 5}, {5}},
                                                      {{6, 3, 5}, {6, 1, 5}},
                                                      {{6, 3, 4, 5}, {3, 1, 5}},
                                                      {{1, 6, 5}, {1, 1, 5}},
                                                      {{0, 5}, {5}},
                                                      {{6, 0}, {6, 1}},
                                                      {{9000}, {}},
                                                      {{4, 2, 3, 2}, {4, 1, 3, 1}}};
  for (const auto& [from, to] : cases) {
    SCOPED_TRACE(from.ToString() + to.ToString());
    const Tensor g = RandomDoubles(from, 1), like = Zeros(to, DType::kFloat64);
    const Tensor sum = SumLike(g, like);
    ASSERT_EQ(sum.shape(), to);
    // The sum of gradients is the gradient of broadcasting: <g, broadcast e_i>.
    std::vector<double> want(static_cast<size_t>(to.num_elements()), 0.0);
    std::vector<double> numbers(want.size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
    const Tensor places = BroadcastTo(Tensor::FromVector(numbers, to), from);
    for (int64_t i = 0; i < g.num_elements(); ++i) {
      want[static_cast<size_t>(places.data<double>()[i])] += g.data<double>()[i];
    }
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(sum.data<double>()[i], want[i], 1e-11) << i;
    }
    for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16}) {
      const int64_t rows = from[0];
      ExpectDivisionKeepsBits(
          {"SumLike", {Cast(g, dtype), Zeros(to, dtype)}, {}, {0, rows / 2, rows}});
    }
  }
}

TEST(Cast, ConvertsAsTensorFlowOnACpu) {
  const Tensor x = {1e10f, -1e10f, kNan, 3e9f, kInf, 300, -300, 2.9f, -2.9f};
  const int32_t least = std::numeric_limits<int32_t>::min();
  EXPECT_THAT(Cast(x, DType::kInt32).ToVector<int32_t>(),
              ElementsAre(least, least, least, least, least, 300, -300, 2, -2));
  EXPECT_THAT(Cast(x, DType::kUInt8).ToVector<uint8_t>(),
              ElementsAre(0, 0, 0, 0, 0, 44, 212, 2, 254));
  EXPECT_THAT(Cast(x, DType::kInt8).ToVector<int8_t>(), ElementsAre(0, 0, 0, 0, 0, 44, -44, 2, -2));
  EXPECT_EQ(Cast(x, DType::kInt64).data<int64_t>()[3], 3000000000);
  EXPECT_EQ(Cast(x, DType::kInt64).data<int64_t>()[2], std::numeric_limits<int64_t>::min());
  EXPECT_THAT(Cast(Tensor{0, -0.0f, kNan, 0.1f}, DType::kBool).ToVector<bool>(),
              ElementsAre(false, false, true, true));
  EXPECT_THAT(Cast(Constant<int32_t>({-1, 300, 70000}), DType::kInt16).ToVector<int16_t>(),
              ElementsAre(-1, 300, 4464));
  EXPECT_THAT(Cast(Constant<bool>({true, false}), DType::kFloat32).ToVector<float>(),
              ElementsAre(1, 0));
  const Tensor half = Cast(Tensor{1.00390625f, 70000}, DType::kFloat16);
  EXPECT_EQ(float(half.data<float16>()[0]), 1.00390625f);
  EXPECT_EQ(float(half.data<float16>()[1]), kInf);
  EXPECT_EQ(float(Cast(half, DType::kBFloat16).data<bfloat16>()[0]), 1.0f);
  EXPECT_EQ(Cast(3, DType::kFloat64).scalar<double>(), 3);
  EXPECT_EQ(GradientOf([](const Tensor& t) { return Square(Cast(t, DType::kFloat64)); }, Tensor{3})
                .data<float>()[0],
            6);
  for (const DType to : {DType::kInt8, DType::kFloat16, DType::kBool}) {
    ExpectDivisionKeepsBits({"Cast", {RandomFloats({3, 1500}, 1)}, {{"DstT", to}}});
  }
}

TEST(Elementwise, NothingFlowsWhereNothingComesAlsoAtSteepPlaces) {
  const Tensor x{0, 4, 0};
  for (const auto function : {&Sqrt, &Rsqrt, &Reciprocal}) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = Where(Greater(x, 0), function(x), x);
    const Tensor gradient = tape.Gradient(y, x);
    EXPECT_EQ(gradient.data<float>()[0], 1);
    EXPECT_EQ(gradient.data<float>()[2], 1);
    EXPECT_NE(gradient.data<float>()[1], 1);
  }
}

TEST(Fills, HaveOneValue) {
  EXPECT_EQ(Fill({2, 2}, 7).ToVector<int32_t>(), (std::vector<int32_t>{7, 7, 7, 7}));
  EXPECT_EQ(Zeros({3}, DType::kInt64).ToVector<int64_t>(), (std::vector<int64_t>{0, 0, 0}));
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16,
                            DType::kInt8, DType::kInt64, DType::kBool}) {
    const Tensor ones = OnesLike(Zeros({3, 2}, dtype));
    EXPECT_THAT(Cast(ones, DType::kInt32).ToVector<int32_t>(), ElementsAre(1, 1, 1, 1, 1, 1));
    EXPECT_EQ(Ones({1}, dtype).dtype(), dtype);
    ExpectDivisionKeepsBits({"OnesLike", {ones}});
  }
  EXPECT_EQ(MessageOf(
                [] {
                  BroadcastTo(Tensor{1, 2}, {2, 3});
                },
                Code::kInvalidArgument),
            "[BroadcastTo] the smaller shape must broadcast to the larger; got [2] and [2,3]");
}

TEST(Variables, AreAssignedInPlace) {
  const Variable v(Tensor{1, 2, 3}, {.name = "v"});
  const Tensor before = v.value();
  EXPECT_THAT(v.AssignAdd({1, 1, 1}).ToVector<float>(), ElementsAre(2, 3, 4));
  EXPECT_THAT(v.AssignSub({0, 1, 0}).ToVector<float>(), ElementsAre(2, 2, 4));
  EXPECT_THAT(v.Assign({5, 6, 7}).ToVector<float>(), ElementsAre(5, 6, 7));
  EXPECT_THAT(before.ToVector<float>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(v.version(), 3U);
  EXPECT_THAT((v * v + 1).ToVector<float>(), ElementsAre(26, 37, 50));
  EXPECT_EQ(MessageOf(
                [&] {
                  v.Assign({1, 2});
                },
                Code::kInvalidArgument),
            "[AssignVariableOp] the value must have the variable's type; got float32[2] for a "
            "variable of float32[3]; reshape the value");
  EXPECT_EQ(MessageOf([&] { v.AssignAdd(Scalar<int32_t>(1)); }, Code::kInvalidArgument),
            "[AssignAddVariableOp] the value must have the variable's type; got int32[] for a "
            "variable of float32[3]; cast the value");
  const Variable half(Constant<bfloat16>({bfloat16(1.0f)}));
  EXPECT_EQ(float(half.AssignSub(Constant<bfloat16>({bfloat16(0.25f)})).data<bfloat16>()[0]),
            0.75f);
}

}  // namespace
}  // namespace lockstep
