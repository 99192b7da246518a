#include "lockstep/runtime/gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "runtime/op_probe.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

float Traced(const std::function<Tensor(const Tensor&)>& body, float x) {
  return Function(body)(Scalar(x)).scalar<float>();
}

TEST(Gradients, OfAGraphFollowTheChain) {
  EXPECT_EQ(Traced([](const Tensor& x) { return Gradients(x * x * x, x); }, 2), 12);
  const Function two([](const Tensors& a) {
    return Gradients({a[0] * a[1], a[0]}, {a[0], a[1]}, {.grad_ys = {Tensor(), Scalar(10.0f)}});
  });
  const auto gradients = two.Call({Scalar(2.0f), Scalar(3.0f)});
  EXPECT_EQ(gradients[0].scalar<float>(), 13);
  EXPECT_EQ(gradients[1].scalar<float>(), 2);
}

TEST(Gradients, CanBeDifferentiatedAgain) {
  const auto third = [](const Tensor& x) {
    return Gradients(Gradients(Gradients(x * x * x * x, x), x), x);
  };
  EXPECT_EQ(Traced(third, 3), 72);
  // And by a tape that was there all the time.
  const auto mixed = [](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    return tape.Gradient(Gradients(x * x * x, x), x);
  };
  EXPECT_EQ(Traced(mixed, 3), 18);
}

TEST(Gradients, StopWhereAskedTo) {
  const auto total = [](const Tensor& a) {
    const Tensor b = a * 2;
    const auto gradients = Gradients({a + b}, {a, b});
    return gradients[0] * 10 + gradients[1];
  };
  EXPECT_EQ(Traced(total, 1), 31);
  const auto partial = [](const Tensor& a) {
    const Tensor b = a * 2;
    const auto gradients = Gradients({a + b}, {a, b}, {.stop_gradients = {a, b}});
    return gradients[0] * 10 + gradients[1];
  };
  EXPECT_EQ(Traced(partial, 1), 11);
}

TEST(Gradients, UnconnectedAreEmptyOrZeros) {
  bool empty = false;
  const Function traced([&](const Tensor& x, const Tensor& y) {
    empty = !Gradients(x * 2, y).defined();
    return Gradients(x * 2, y, {.zero_unconnected = true});
  });
  EXPECT_THAT(traced(Scalar(1.0f), Tensor({5, 6})).ToVector<float>(), ElementsAre(0, 0));
  EXPECT_TRUE(empty);
}

TEST(Gradients, ReachVariablesThroughEveryRead) {
  const Variable v(Scalar(3.0f)), other(Scalar(1.0f));
  const Function traced([&](const Tensor& x) {
    const Tensor before = x * v;
    v.Assign(Scalar(10.0f));
    return Gradients(before * v, std::vector<Variable>{v, other}, {.zero_unconnected = true})[0];
  });
  // x v v' with v = 3 and v' = 10: x v' + x v.
  EXPECT_EQ(traced(Scalar(2.0f)).scalar<float>(), 26);
}

TEST(Gradients, OfAGatherAreSlices) {
  const Variable table(Tensor({{1, 2}, {3, 4}, {5, 6}}));
  const Function traced([&](const Tensor& indices) {
    const Tensor gradient = Gradients(ReduceSum(Gather(table, indices)), table);
    EXPECT_NE(IndexedSlices::Of(gradient), nullptr);
    return gradient;
  });
  const Tensor gradient = traced(Constant<int32_t>({2, 0, 2}));
  const IndexedSlices* slices = IndexedSlices::Of(gradient);
  ASSERT_NE(slices, nullptr);
  EXPECT_THAT(slices->indices.ToVector<int32_t>(), ElementsAre(2, 0, 2));
  EXPECT_EQ(slices->dense_shape, (Shape{3, 2}));
  EXPECT_THAT(slices->ToDense().ToVector<float>(), ElementsAre(1, 1, 0, 0, 2, 2));
}

Tensor Power(const Tensor& x, int n) {
  return WhileLoop([&](const Tensors& v) { return Less(v[0], n); },
                   [&](const Tensors& v) {
                     return Tensors{v[0] + 1, v[1] * x};
                   },
                   {Scalar<int32_t>(0), x})[1];
}

TEST(Gradients, FlowThroughControlFlow) {
  const auto power = [](const Tensor& x) { return Gradients(Power(x, 3), x); };
  EXPECT_EQ(Traced(power, 2), 32);  // a loop that nobody had meant to differentiate
  const auto twice = [](const Tensor& x) { return Gradients(Gradients(Power(x, 3), x), x); };
  EXPECT_EQ(Traced(twice, 2), 48);
  const auto branch = [](const Tensor& x) {
    return Gradients(Cond(
                         Greater(x, 0), [&] { return x * x; }, [&] { return Power(x, 2); }),
                     x);
  };
  EXPECT_EQ(Traced(branch, 5), 10);
  EXPECT_EQ(Traced(branch, -2), 12);
}

TEST(Gradients, InABodyReachWhatIsOutsideOfIt) {
  const Variable v(Scalar(3.0f));
  const auto body = [&](const Tensor& x) {
    const Tensor y = x * x;
    return Cond(
        Greater(x, 0), [&] { return Gradients(y * v, x); },
        [&] { return Gradients(y * Tensor(v), v); });
  };
  EXPECT_EQ(Traced(body, 2), 12);
  EXPECT_EQ(Traced(body, -2), 4);
  const auto loop = [](const Tensor& x) {
    // Newton's method for x^2 = 2.
    return WhileLoop([](const Tensors& v) { return Less(v[0], 6); },
                     [](const Tensors& v) {
                       const Tensor f = v[1] * v[1] - 2;
                       return Tensors{v[0] + 1, v[1] - f / Gradients(f, v[1])};
                     },
                     {Scalar<int32_t>(0), x})[1];
  };
  EXPECT_NEAR(Traced(loop, 1), 1.41421356f, 1e-6);
}

TEST(Gradients, NeedAGraph) {
  const auto eagerly = [] { Gradients(Scalar(1.0f), Scalar(1.0f)); };
  EXPECT_EQ(runtime::testing::CodeOf(eagerly), Code::kFailedPrecondition);
  EXPECT_THAT(runtime::testing::MessageOf(eagerly), HasSubstr("GradientTape"));
  const auto surplus = [] {
    Traced(
        [](const Tensor& x) {
          return Gradients(Tensors{x}, Tensors{x}, {.grad_ys = {x, x}})[0];
        },
        1);
  };
  EXPECT_EQ(runtime::testing::CodeOf(surplus), Code::kInvalidArgument);
  EXPECT_THAT(runtime::testing::MessageOf(surplus), HasSubstr("got 2 and 1"));
}

}  // namespace
}  // namespace lockstep
