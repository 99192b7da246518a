#include "lockstep/runtime/custom_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradients.h"
#include "runtime/op_probe.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// log(1 + exp(x)), whose gradient is finite for large x.
Tensor Log1pExp(const Tensor& x) {
  return CustomGradient(
      [](const Tensors& a) {
        const Tensor e = Exp(a[0]);
        return WithGradient{{Log(e + 1)}, [e](const Tensors& upstream) {
                              return Tensors{upstream[0] * (1 - 1 / (1 + e))};
                            }};
      },
      {x})[0];
}

Tensor Slope(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  return tape.Gradient(f(x), x);
}

TEST(CustomGradient, ReplacesTheGradientEverywhere) {
  const Tensor x = Scalar(100.0f);
  EXPECT_EQ(Slope(Log1pExp, x).scalar<float>(), 1);
  const Function traced([](const Tensor& x) { return Slope(Log1pExp, x); });
  EXPECT_EQ(traced(x).scalar<float>(), 1);
  const Function by_graph([](const Tensor& x) { return Gradients(Log1pExp(x), x); });
  EXPECT_EQ(by_graph(x).scalar<float>(), 1);
  const Function called(Log1pExp);
  EXPECT_EQ(Slope([&](const Tensor& x) { return called(x); }, x).scalar<float>(), 1);
}

TEST(CustomGradient, InsideOfControlFlow) {
  const auto body = [](const Tensor& x) {
    const Tensor looped = WhileLoop([](const Tensors& v) { return Less(v[0], 2); },
                                    [](const Tensors& v) {
                                      return Tensors{v[0] + 1, Log1pExp(v[1])};
                                    },
                                    {Scalar<int32_t>(0), x})[1];
    return Cond(
        Greater(x, 0), [&] { return Log1pExp(looped); }, [&] { return looped; });
  };
  const Function traced([&](const Tensor& x) { return Slope(body, x); });
  EXPECT_EQ(traced(Scalar(60.0f)).scalar<float>(), 1);
  EXPECT_EQ(Slope(body, Scalar(60.0f)).scalar<float>(), 1);
}

TEST(CustomGradient, CanBeDifferentiatedAgain) {
  const auto second = [](const Tensor& x) {
    return Slope([](const Tensor& at) { return Slope(Log1pExp, at); }, x);
  };
  EXPECT_NEAR(second(Scalar(1.0f)).scalar<float>(), 0.19661193f, 1e-6);
  EXPECT_NEAR(Function(second)(Scalar(1.0f)).scalar<float>(), 0.19661193f, 1e-6);
  const auto cube = [](const Tensor& x) {
    return CustomGradient(
        [](const Tensors& a) {
          return WithGradient{{a[0] * a[0] * a[0]}, [x = a[0]](const Tensors& upstream) {
                                return Tensors{upstream[0] * 3 * x * x};
                              }};
        },
        {x})[0];
  };
  for (const bool traced : {false, true}) {
    const auto twice = [&](const Tensor& x) {
      return Slope([&](const Tensor& at) { return Slope(cube, at); }, x);
    };
    EXPECT_EQ((traced ? Function(twice)(Scalar(2.0f)) : twice(Scalar(2.0f))).scalar<float>(), 12);
  }
}

TEST(CustomGradient, OfSeveralResultsArgumentsAndVariables) {
  const Variable w(Tensor({1, 2}));
  const auto f = [&](const Tensor& x, const Tensor& y) {
    return CustomGradient(
        [&](const Tensors& a) {
          return WithGradient{{a[0] * w, a[1] + 1, a[0]}, [](const Tensors& up) {
                                return Tensors{up[0] * 10, Tensor(), up[1] + up[2]};
                              }};
        },
        {x, y}, {w});
  };
  const auto gradients = [&](const Tensors& a) {
    GradientTape tape;
    tape.Watch(a[0]);
    tape.Watch(a[1]);
    const Tensors results = f(a[0], a[1]);
    Tensors all = tape.Gradient({results[0], results[1]}, {a[0], a[1], w.handle()},
                                {.zero_unconnected = true});
    all.push_back(results[0]);
    return all;
  };
  const Tensors at{Tensor({3, 4}), Tensor({5, 6})};
  for (const Tensors& got : {gradients(at), Function(gradients).Call(at)}) {
    EXPECT_THAT(got[0].ToVector<float>(), ElementsAre(10, 10));
    EXPECT_THAT(got[1].ToVector<float>(), ElementsAre(0, 0));
    EXPECT_THAT(got[2].ToVector<float>(), ElementsAre(1, 1));  // nothing flows into result 2
    EXPECT_THAT(got[3].ToVector<float>(), ElementsAre(3, 8));
  }
}

TEST(CustomGradient, RefusesAnotherNumberOfGradients) {
  const auto wrong = [](const Tensor& x) {
    return CustomGradient(
        [](const Tensors& a) {
          return WithGradient{{a[0]}, [](const Tensors&) { return Tensors{}; }};
        },
        {x})[0];
  };
  for (const bool traced : {false, true}) {
    const auto call = [&] {
      const auto slope = [&](const Tensor& x) { return Slope(wrong, x); };
      traced ? Function(slope)(Scalar(1.0f)) : slope(Scalar(1.0f));
    };
    EXPECT_EQ(runtime::testing::CodeOf(call), Code::kInvalidArgument);
    EXPECT_THAT(runtime::testing::MessageOf(call), HasSubstr("got 0 for 1"));
  }
}

}  // namespace
}  // namespace lockstep
