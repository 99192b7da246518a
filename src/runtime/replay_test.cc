#include "runtime/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/gradients.h"
#include "lockstep/runtime/graph.h"
#include "lockstep/runtime/random.h"
#include "lockstep/runtime/session.h"
#include "lockstep/runtime/variable.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

// y is multiplied by v, or v is added, in turn; v grows by one each time it is a factor.
Tensor Grows(const Tensor& x, const Tensor& n, const Variable& v) {
  return WhileLoop([&](const Tensors& now) { return Less(now[0], n); },
                   [&](const Tensors& now) {
                     const Tensor y = Cond(
                         Equal(FloorMod(now[0], 2), 0),
                         [&] {
                           const Tensor product = now[1] * v;
                           v.AssignAdd(1.0);
                           return product;
                         },
                         [&] { return now[1] + v.value(); });
                     return Tensors{now[0] + 1, y};
                   },
                   {Scalar<int32_t>(0), x})[1];
}

TEST(Replay, GradientsFlowToVariablesThatTheBodyAssigns) {
  const Variable v(Scalar(2.0f));
  const auto slopes = [&](const Tensor& x, const Tensor& n) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = Grows(x, n, v);
    const auto gradients = tape.Gradient({y}, {x, v.handle()}, {.zero_unconnected = true});
    return Tensors{y, gradients[0], gradients[1]};
  };
  const Function traced([&](const Tensors& given) { return slopes(given[0], given[1]); });
  for (int n : {0, 1, 2, 3, 6}) {
    std::vector<std::vector<float>> seen;
    for (bool is_traced : {false, true}) {
      v.Assign(Scalar(2.0f));
      const Tensors arguments{Scalar(3.0f), Scalar<int32_t>(n)};
      const Tensors got = is_traced ? traced.Call(arguments) : slopes(arguments[0], arguments[1]);
      seen.emplace_back();
      for (const Tensor& one : got) seen.back().push_back(one.scalar<float>());
      EXPECT_EQ(v.value().scalar<float>(), float(2 + (n + 1) / 2));
    }
    EXPECT_EQ(seen[0], seen[1]) << n << " iterations";
  }
  v.Assign(Scalar(2.0f));
  const Tensors of_three = traced.Call({Scalar(3.0f), Scalar<int32_t>(3)});  // (2 x + 3) * 3
  EXPECT_EQ(of_three[0].scalar<float>(), 27);
  EXPECT_EQ(of_three[1].scalar<float>(), 6);
  EXPECT_EQ(of_three[2].scalar<float>(), 21);
}

TEST(Replay, AFunctionThatIsCalledUnderATapeHasThemToo) {
  const Variable v(Scalar(2.0f));
  const Function traced(
      [&](const Tensors& given) { return Tensors{Grows(given[0], given[1], v)}; });
  GradientTape tape({.persistent = true});
  const Tensor x = Scalar(3.0f);
  tape.Watch(x);
  const Tensor y = traced.Call({x, Scalar<int32_t>(3)})[0];
  const Tensor slope = tape.Gradient(y, v);
  EXPECT_EQ(y.scalar<float>(), 27);
  EXPECT_EQ(slope.scalar<float>(), 21);  // of x v (v + 1) + (v + 1)^2: x (2 v + 1) + 2 (v + 1)
  EXPECT_EQ(tape.Gradient(slope, x).scalar<float>(), 5);
  EXPECT_EQ(tape.Gradient(slope, v).scalar<float>(), 8);
  EXPECT_EQ(v.value().scalar<float>(), 4);  // the gradient assigns nothing
}

TEST(Replay, ALoopInALoopIsReplayed) {
  const Variable v(Constant<float>({1, 2}));
  const auto slopes = [&](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    const auto inner = [&](const Tensor& y, const Tensor& n) {
      return WhileLoop([&](const Tensors& now) { return Less(now[0], n); },
                       [&](const Tensors& now) {
                         const Tensor next = now[1] * v + now[1];
                         v.Assign(v.value() * 0.5);
                         return Tensors{now[0] + 1, next};
                       },
                       {Scalar<int32_t>(0), y})[1];
    };
    const Tensor y = WhileLoop([](const Tensors& now) { return Less(now[0], 4); },
                               [&](const Tensors& now) {
                                 return Tensors{now[0] + 1, inner(now[1], now[0])};
                               },
                               {Scalar<int32_t>(0), x})[1];
    return tape.Gradient({ReduceSum(y)}, {x, v.handle()});
  };
  const Function traced([&](const Tensors& given) { return slopes(given[0]); });
  const Tensor x = Constant<float>({0.5, -2});
  const Tensors eager = slopes(x);
  v.Assign(Constant<float>({1, 2}));
  const Tensors got = traced.Call({x});
  EXPECT_EQ(got[0].ToVector<float>(), eager[0].ToVector<float>());
  EXPECT_EQ(got[1].ToVector<float>(), eager[1].ToVector<float>());
  EXPECT_THAT(v.value().ToVector<float>(), ElementsAre(1 / 64.f, 2 / 64.f));
}

TEST(Replay, RandomNumbersAreThoseOfTheFirstTime) {
  const Function traced([](const Tensors& given) {
    GradientTape tape;
    tape.Watch(given[0]);
    const Tensor y = WhileLoop([](const Tensors& now) { return Less(now[0], 5); },
                               [](const Tensors& now) {
                                 return Tensors{now[0] + 1, now[1] * (RandomUniform({3}) + 0.5)};
                               },
                               {Scalar<int32_t>(0), given[0]})[1];
    return Tensors{y, tape.Gradient(y, given[0])};
  });
  const Tensors got = traced.Call({Constant<float>({1, 1, 1})});
  const auto y = got[0].ToVector<float>(), slope = got[1].ToVector<float>();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(y[i], slope[i], 1e-5);
  EXPECT_NE(y[0], y[1]);
}

TEST(Replay, GradientsOfGraphsKeepWhatTheyNeed) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(Scalar(2.0f));
  const Tensor x = Identity(Tensor(Scalar(3.0f)));
  const Tensor y = Grows(x, Scalar<int32_t>(3), v);
  const Tensors slopes = Gradients(std::vector<Tensor>{y}, {x, v.handle()});
  Session session(graph);
  session.Run({}, {}, {graph.GlobalVariablesInitializer()});
  const Tensors got = session.Run({y, slopes[0], slopes[1]});
  EXPECT_EQ(got[0].scalar<float>(), 27);
  EXPECT_EQ(got[1].scalar<float>(), 6);
  EXPECT_EQ(got[2].scalar<float>(), 21);
}

}  // namespace
}  // namespace lockstep
