// Functions under tapes: compiled forward and backward, to any order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/random.h"
#include "runtime/op_probe.h"

namespace lockstep {
namespace {

using runtime::testing::Random;
using ::testing::ElementsAre;

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw_data(), b.raw_data(), a.num_bytes()) == 0;
}

using Body = std::function<Tensors(const Tensors&)>;

// All derivatives of sum(f), of first and second order, by nested tapes.
Tensors Derivatives(const Body& f, const Tensors& at) {
  GradientTape outer({.persistent = true});
  for (const Tensor& x : at) outer.Watch(x);
  Tensors first;
  {
    GradientTape inner;
    for (const Tensor& x : at) inner.Watch(x);
    const Tensors results = f(at);
    first = inner.Gradient(results, at);
  }
  Tensors all = first;
  for (const Tensor& gradient : first) {
    for (const Tensor& second : outer.Gradient(Tensors{gradient}, at)) {
      if (second.defined()) all.push_back(second);
    }
  }
  return all;
}

TEST(FunctionGradient, HasTheBitsOfTheOps) {
  int calls = 0;
  const Body body = [&](const Tensors& a) {
    ++calls;
    const Tensor hidden = Tanh(MatMul(a[0], a[1]) + a[2]);
    return Tensors{Sigmoid(hidden) * hidden, ReduceSum(hidden, {0})};
  };
  const Function function(body);
  const Tensors at{Random({5, 3}, 1), Random({3, 7}, 2), Random({7}, 3)};
  const Tensors wanted = Derivatives(body, at);
  calls = 0;
  const Tensors got = Derivatives([&](const Tensors& a) { return function.Call(a); }, at);
  EXPECT_EQ(calls, 1);  // traced, and never called again
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_EQ(got.size(), 12u);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(SameBytes(got[i], wanted[i])) << i;
  Derivatives([&](const Tensors& a) { return function.Call(a); }, at);
  EXPECT_EQ(calls, 1);
}

TEST(FunctionGradient, ThirdOrder) {
  const Function f([](const Tensor& x) { return x * x * x * x; });
  const Tensor x = Scalar(3.0f);
  GradientTape a, b, c;
  for (GradientTape* tape : {&a, &b, &c}) tape->Watch(x);
  EXPECT_EQ(a.Gradient(b.Gradient(c.Gradient(f(x), x), x), x).scalar<float>(), 72);
}

TEST(FunctionGradient, FlowsToVariablesAndCapturedTensors) {
  const Variable w(Scalar(3.0f)), fixed(Scalar(5.0f), {.trainable = false});
  const Tensor captured = Scalar(7.0f);
  const Function f([&](const Tensor& x) { return x * w * fixed * captured; });
  {
    GradientTape tape({.persistent = true});
    tape.Watch(captured);
    const Tensor y = f(Scalar(2.0f));
    EXPECT_EQ(tape.Gradient(y, w).scalar<float>(), 70);
    EXPECT_EQ(tape.Gradient(y, captured).scalar<float>(), 30);
    EXPECT_FALSE(tape.Gradient(y, fixed).defined());
  }
  GradientTape tape({.watch_accessed_variables = false});
  tape.Watch(fixed);
  const Tensor y = f(Scalar(2.0f));
  const auto gradients = tape.Gradient(y, std::vector<Variable>{w, fixed});
  EXPECT_FALSE(gradients[0].defined());
  EXPECT_EQ(gradients[1].scalar<float>(), 42);
}

TEST(FunctionGradient, UsesWhatWasReadAndAssignsOnce) {
  const Variable w(Scalar(3.0f)), steps(Scalar(0.0f), {.trainable = false});
  const Function f([&](const Tensor& x) {
    steps.AssignAdd(1);
    const Tensor y = x * w * w;
    w.AssignAdd(1);
    return y * w;
  });
  GradientTape tape;
  const Tensor y = f(Scalar(2.0f));
  w.Assign(Scalar(100.0f));
  EXPECT_EQ(y.scalar<float>(), 72);
  // x w w v with w = 3, v = 4: 2 x w v + x w w.
  EXPECT_EQ(tape.Gradient(y, w).scalar<float>(), 48 + 18);
  EXPECT_EQ(steps.value().scalar<float>(), 1);
}

TEST(FunctionGradient, PersistentTapesAskOften) {
  const Function f([](const Tensor& x) { return x * x * x; });
  const Tensor x = Scalar(2.0f);
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  const Tensor y = f(x);
  const Tensor first = tape.Gradient(y, x);
  EXPECT_EQ(first.scalar<float>(), 12);
  EXPECT_EQ(tape.Gradient(y, x).scalar<float>(), 12);
  EXPECT_EQ(tape.Gradient(first, x).scalar<float>(), 12);  // recorded its own gradient
}

TEST(FunctionGradient, FunctionsCallFunctions) {
  const Variable w(Scalar(3.0f));
  const Function inner([&](const Tensor& x) { return x * w; });
  const Function outer([&](const Tensor& x) { return inner(x) * inner(x); });
  GradientTape tape;
  EXPECT_EQ(tape.Gradient(outer(Scalar(2.0f)), w).scalar<float>(), 24);
  // A chain of two calls, and a tape inside of a function around a function.
  GradientTape chain;
  const Tensor x = Scalar(2.0f);
  chain.Watch(x);
  EXPECT_EQ(chain.Gradient(inner(inner(x)), x).scalar<float>(), 9);
  const Function gradient([&](const Tensor& at) {
    GradientTape tape;
    tape.Watch(at);
    return tape.Gradient(inner(at) * at, at);
  });
  GradientTape second;
  second.Watch(x);
  const Tensor slope = gradient(x);
  EXPECT_EQ(slope.scalar<float>(), 12);
  EXPECT_EQ(second.Gradient(slope, x).scalar<float>(), 6);
}

TEST(FunctionGradient, OnlySomeResultsMatter) {
  const Function f([](const Tensors& a) { return Tensors{a[0] * 2, a[1] * a[1], a[0]}; });
  const Tensor x = Scalar(3.0f), y = Scalar(4.0f);
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  tape.Watch(y);
  const Tensors results = f.Call({x, y});
  EXPECT_FALSE(tape.Gradient(results[0], y).defined());
  EXPECT_EQ(tape.Gradient(results[0], x).scalar<float>(), 2);
  EXPECT_EQ(tape.Gradient(results[2], x).scalar<float>(), 1);  // a result that is a parameter
  EXPECT_EQ(tape.Gradient(results, Tensors{x, y})[1].scalar<float>(), 8);
}

TEST(FunctionGradient, PartsOfASplit) {
  // The gradient of a split asks for zeros in the shape of parts that nobody used.
  const Function f([](const Tensors& a) { return Split(Tanh(a[0]), 2, 0); });
  const Tensor x({0, 0, 0, 0});
  GradientTape tape;
  tape.Watch(x);
  const Tensors parts = f.Call({x});
  EXPECT_THAT(tape.Gradient(parts[1], x).ToVector<float>(), ElementsAre(0, 0, 1, 1));
}

TEST(FunctionGradient, GathersGiveSlices) {
  const Variable table(Tensor({{1, 2}, {3, 4}, {5, 6}}));
  const Function f([&](const Tensor& ids) { return ReduceSum(Square(Gather(table, ids))); });
  GradientTape tape;
  const Tensor gradient = tape.Gradient(f(Constant<int32_t>({2, 0, 2})), table);
  ASSERT_NE(IndexedSlices::Of(gradient), nullptr);
  EXPECT_THAT(IndexedSlices::Of(gradient)->ToDense().ToVector<float>(),
              ElementsAre(2, 4, 0, 0, 20, 24));
}

TEST(FunctionGradient, FlowsThroughControlFlow) {
  const auto body = [](const Tensor& x, const Tensor& n) {
    const Tensor power = WhileLoop([&](const Tensors& v) { return Less(v[0], n); },
                                   [&](const Tensors& v) {
                                     return Tensors{v[0] + 1, v[1] * x};
                                   },
                                   {Scalar<int32_t>(0), x})[1];
    return Cond(
        Greater(power, 0), [&] { return power * 2; }, [&] { return power * x; });
  };
  const Function f(body);
  for (float at : {2.0f, -2.0f}) {
    const Tensor x = Scalar(at), n = Scalar<int32_t>(2);
    GradientTape outer;
    outer.Watch(x);
    GradientTape inner;
    inner.Watch(x);
    const Tensor first = inner.Gradient(f(x, n), x);
    const Tensor second = outer.Gradient(first, x);
    // 2 x^3 where x > 0, else x^4.
    EXPECT_EQ(first.scalar<float>(), at > 0 ? 24 : -32);
    EXPECT_EQ(second.scalar<float>(), at > 0 ? 24 : 48);
  }
  EXPECT_EQ(f.num_traces(), 1);
}

TEST(FunctionGradient, RandomNumbersAreDrawnOnce) {
  SetSeed(7);
  const Function f([](const Tensor& x) { return x * RandomUniform({4}); });
  const Tensor x({1, 1, 1, 1});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = f(x);
  EXPECT_EQ(tape.Gradient(y, x).ToVector<float>(), y.ToVector<float>());
}

TEST(FunctionGradient, NobodyWatchesNobodyPays) {
  const Function f([](const Tensor& x) { return x * x; });
  GradientTape tape;
  const Tensor x = Scalar(3.0f);
  EXPECT_EQ(f(x).scalar<float>(), 9);
  EXPECT_FALSE(tape.Gradient(f(x), x).defined());
}

}  // namespace
}  // namespace lockstep
