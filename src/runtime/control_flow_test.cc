#include "lockstep/runtime/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/variable.h"
#include "runtime/loop.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Power(const Tensor& x, const Tensor& n) {
  return WhileLoop([&](const Tensors& v) { return Less(v[0], n); },
                   [&](const Tensors& v) {
                     return Tensors{v[0] + 1, v[1] * x};
                   },
                   {Scalar<int32_t>(0), x})[1];
}

TEST(Cond, TakesTheBranchEagerlyAndTraced) {
  const auto body = [](const Tensor& x) {
    return Cond(
        Greater(x, 0), [&] { return x * 2; }, [&] { return x - 1; });
  };
  const Function traced(body);
  for (float x : {3.0f, -3.0f}) {
    EXPECT_EQ(traced(Scalar(x)).scalar<float>(), x > 0 ? 6 : -4);
    EXPECT_EQ(body(Scalar(x)).scalar<float>(), x > 0 ? 6 : -4);
  }
  EXPECT_EQ(traced.num_traces(), 1);
}

TEST(Cond, AssignsInTheBranchTakenOnly) {
  const Variable yes(Scalar(0.0f)), no(Scalar(0.0f));
  const Function traced([&](const Tensor& p) {
    return Cond(
        p,
        [&] {
          yes.AssignAdd(1.0);
          return yes.value();
        },
        [&] { return no.AssignAdd(2.0); });
  });
  EXPECT_EQ(traced(Tensor::FromBools({true}, {})).scalar<float>(), 1);
  EXPECT_EQ(traced(Tensor::FromBools({false}, {})).scalar<float>(), 2);
  EXPECT_EQ(traced(Tensor::FromBools({true}, {})).scalar<float>(), 2);
  EXPECT_EQ(no.value().scalar<float>(), 2);
}

TEST(Cond, RefusesBranchesThatDoNotFit) {
  const Function traced([](const Tensor& p) {
    return Cond(
        p, [] { return Scalar(1.0f); }, [] { return Scalar<int32_t>(1); });
  });
  const Error error = ErrorOf([&] { traced(Tensor::FromBools({true}, {})); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("got float32[] and int32[]"));
  const Error predicate = ErrorOf([&] { traced(Scalar(1.0f)); });
  EXPECT_EQ(predicate.code(), Code::kInvalidArgument);
  EXPECT_THAT(predicate.what(), HasSubstr("must be a bool scalar; got float32[]"));
}

TEST(Cond, HasTheGradientOfTheBranchTaken) {
  const Variable w(Scalar(5.0f));
  const Function traced([&](const Tensor& x) {
    return Function::Body([&](const Tensors& a) {
      GradientTape tape({.persistent = true});
      tape.Watch(a[0]);
      const Tensor y = Cond(
          Greater(a[0], 0), [&] { return a[0] * a[0] * w; }, [&] { return -a[0]; });
      const Tensor dx = tape.Gradient(y, a[0]);
      return Tensors{dx, tape.Gradient(y, w)};
    })({x})[0];
  });
  EXPECT_EQ(traced(Scalar(3.0f)).scalar<float>(), 30);
  EXPECT_EQ(traced(Scalar(-3.0f)).scalar<float>(), -1);
  const Function weight([&](const Tensor& x) {
    GradientTape tape;
    const Tensor y = Cond(
        Greater(x, 0), [&] { return x * x * w; }, [&] { return -x; });
    return tape.Gradient(y, w);
  });
  EXPECT_EQ(weight(Scalar(3.0f)).scalar<float>(), 9);
  EXPECT_EQ(weight(Scalar(-3.0f)).scalar<float>(), 0);
}

TEST(WhileLoop, MultipliesAsOftenAsAsked) {
  const Function traced([](const Tensor& x, const Tensor& n) { return Power(x, n); });
  for (int n : {0, 1, 3, 7}) {
    const Tensor count = Scalar<int32_t>(n);
    EXPECT_EQ(traced(Scalar(2.0f), count).scalar<float>(), float(2 << n));
    EXPECT_EQ(Power(Scalar(2.0f), count).scalar<float>(), float(2 << n));
  }
  EXPECT_EQ(traced.num_traces(), 1);
}

// semantics.md 7.4: x * x^n with n = 3 at x = 2 has value 16 and derivative 32.
TEST(WhileLoop, HasAGradientOfAnyOrder) {
  const auto derivatives = [](const Tensor& x, const Tensor& n) {
    GradientTape outer;
    outer.Watch(x);
    Tensor first;
    {
      GradientTape inner;
      inner.Watch(x);
      const Tensor y = Power(x, n);
      first = inner.Gradient(y, x);
    }
    return first + 1000 * outer.Gradient(first, x);
  };
  const Function traced(derivatives);
  EXPECT_EQ(derivatives(Scalar(2.0f), Scalar<int32_t>(3)).scalar<float>(), 32 + 48000);
  EXPECT_EQ(traced(Scalar(2.0f), Scalar<int32_t>(3)).scalar<float>(), 32 + 48000);
  EXPECT_EQ(traced(Scalar(2.0f), Scalar<int32_t>(0)).scalar<float>(), 1);
}

// a = [[x^2]], and three times a = concat(a, first(a) * x); the sum of squares.
Tensor SumOfGrown(const Tensor& x, const Shape& invariant) {
  const Tensors last = WhileLoop(
      [](const Tensors& v) { return Less(v[0], 3); },
      [&](const Tensors& v) {
        return Tensors{v[0] + 1, Concat({v[1], Slice(v[1], {0, 0}, {-1, 1}) * x}, 1)};
      },
      {Scalar<int32_t>(0), Reshape(x, {1, 1}) * x}, {.shape_invariants = {Shape{}, invariant}});
  return ReduceSum(last[1] * last[1]);
}

TEST(WhileLoop, HasAGradientThroughVariablesThatGrow) {
  // [x^2, x^3, x^3, x^3]: x^4 + 3 x^6.
  for (const Shape& invariant : {Shape{1, -1}, Shape{-1, -1}}) {
    const auto f = [&](const Tensor& x) { return SumOfGrown(x, invariant); };
    for (bool traced : {false, true}) {
      const auto value = [&](const Tensor& x) { return traced ? Function(f)(x) : f(x); };
      const Tensor x = Scalar(2.0);
      GradientTape outer;
      outer.Watch(x);
      GradientTape inner;
      inner.Watch(x);
      const Tensor y = value(x);
      EXPECT_EQ(y.scalar<double>(), 16 + 3 * 64);
      const Tensor slope = inner.Gradient(y, x);
      EXPECT_EQ(slope.scalar<double>(), 4 * 8 + 18 * 32);
      EXPECT_EQ(outer.Gradient(slope, x).scalar<double>(), 12 * 4 + 90 * 16);
    }
    const Function both([&](const Tensor& x) {
      GradientTape tape;
      tape.Watch(x);
      return tape.Gradient(f(x), x);
    });
    EXPECT_EQ(both(Scalar(2.0)).scalar<double>(), 4 * 8 + 18 * 32);
  }
}

TEST(WhileLoop, HasAGradientForVariablesThatItReads) {
  const Variable w(Scalar(3.0f));
  const Function traced([&](const Tensor& x) {
    GradientTape tape;
    const Tensor y = WhileLoop([](const Tensors& v) { return Less(v[0], 2); },
                               [&](const Tensors& v) {
                                 return Tensors{v[0] + 1, v[1] * w};
                               },
                               {Scalar<int32_t>(0), x})[1];
    return tape.Gradient(y, w);
  });
  EXPECT_EQ(traced(Scalar(5.0f)).scalar<float>(), 30);  // d(5 w^2)/dw
}

// semantics.md 1.6: 5 iterations of v += 1; v *= 2 from 0 give 62.
TEST(WhileLoop, KeepsTheOrderOfAssignments) {
  const Variable v(Scalar(0.0f));
  const Function traced([&](const Tensor& n) {
    WhileLoop([&](const Tensors& s) { return Less(s[0], n); },
              [&](const Tensors& s) {
                v.AssignAdd(1.0);
                v.Assign(v.value() * 2);
                return Tensors{s[0] + 1};
              },
              {Scalar<int32_t>(0)});
    return v.value();
  });
  EXPECT_EQ(traced(Scalar<int32_t>(5)).scalar<float>(), 62);
}

TEST(WhileLoop, IsTracedOnceWhereItReadsWhatItHasWritten) {
  Variable x(Tensor(2.0f)), factor(Tensor(3.0f));
  int traced = 0;
  Function grown([&](Tensor n) {
    return WhileLoop([&](const Tensors& v) { return Less(v[0], n); },
                     [&](const Tensors& v) {
                       ++traced;
                       x.Assign(x.value() * factor.value());
                       return Tensors{v[0] + 1, v[1] + x.value()};
                     },
                     {Tensor(0), Tensor(0.0f)})[1];
  });
  EXPECT_EQ(grown(Tensor(3)).scalar<float>(), 6 + 18 + 54);
  EXPECT_EQ(x.value().scalar<float>(), 54);
  EXPECT_EQ(traced, 1);
}

TEST(WhileLoop, StopsAtTheMaximum) {
  const auto body = [](const Tensor& x) {
    return WhileLoop([](const Tensors&) { return Tensor::FromBools({true}, {}); },
                     [](const Tensors& v) { return Tensors{v[0] + 1}; }, {x},
                     {.maximum_iterations = 4})[0];
  };
  EXPECT_EQ(Function(body)(Scalar(1.0f)).scalar<float>(), 5);
  EXPECT_EQ(body(Scalar(1.0f)).scalar<float>(), 5);
}

TEST(WhileLoop, RefusesVariablesThatChangeTheirShape) {
  const auto grow = [](const Tensor& x, WhileOptions options) {
    return WhileLoop([](const Tensors& v) { return Less(v[0], 3); },
                     [](const Tensors& v) {
                       return Tensors{v[0] + 1, Concat({v[1], v[1]}, 0)};
                     },
                     {Scalar<int32_t>(0), x}, options)[1];
  };
  const auto strict = [&](const Tensor& x) { return grow(x, {}); };
  for (bool traced : {false, true}) {
    const Error error = ErrorOf([&] {
      traced ? Function(strict)(Constant<float>({1, 2})) : strict(Constant<float>({1, 2}));
    });
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("variable 1 must keep its dtype and shape; got "
                                        "float32[2] and then float32[4]"));
  }
  const Function relaxed([&](const Tensor& x) {
    return grow(x, {.shape_invariants = {Shape{}, Shape{-1}}});
  });
  EXPECT_EQ(relaxed(Constant<float>({1, 2})).shape(), (Shape{16}));
}

TEST(WhileLoop, NestsWithCond) {
  const auto collatz = [](const Tensor& start) {
    return WhileLoop([](const Tensors& v) { return Greater(v[1], 1); },
                     [](const Tensors& v) {
                       const Tensor half = Cast(Cast(v[1], DType::kFloat32) * 0.5, DType::kInt32);
                       return Tensors{v[0] + 1, Cond(
                                                    Equal(half * 2, v[1]), [&] { return half; },
                                                    [&] { return v[1] * 3 + 1; })};
                     },
                     {Scalar<int32_t>(0), start})[0];
  };
  EXPECT_EQ(Function(collatz)(Scalar<int32_t>(27)).scalar<int32_t>(), 111);
  EXPECT_EQ(collatz(Scalar<int32_t>(27)).scalar<int32_t>(), 111);
}

TEST(ControlDependencies, GroupWaits) {
  const Variable v(Scalar(1.0f));
  const Function traced([&](const Tensor& x) {
    const Tensor done = Group({v.AssignAdd(x), v.AssignAdd(x)});
    const ControlDependencies wait({done});
    return Identity(v.value());
  });
  EXPECT_EQ(traced(Scalar(2.0f)).scalar<float>(), 5);
  EXPECT_TRUE(Group({Scalar(1.0f)}).scalar<bool>());
}

TEST(EmitRows, TracesOnceAndStacks) {
  int traces = 0;
  const Variable weight(Tensor({1.0f, 2.0f}));
  const Function step([&](const Tensors& given) {
    GradientTape tape({.persistent = true});
    tape.Watch(given[0]);
    const Tensors rows =
        runtime::EmitRows(Reshape(Slice(ShapeOf(given[0]), {0}, {1}), {}), [&](const Tensor& i) {
          ++traces;
          const Tensor row = Gather(given[0], i);
          return Tensors{row * weight.value(), Cast(i, DType::kFloat32)};
        });
    const Tensor squares = rows[0] * rows[0];
    return Tensors{rows[0], rows[1], tape.Gradient(squares, given[0]),
                   tape.Gradient(squares, weight)};
  });
  const Tensors made = step.Call({Tensor({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}})});
  EXPECT_EQ(traces, 1);
  EXPECT_THAT(made[0].ToVector<float>(), ElementsAre(1, 4, 3, 8, 5, 12));
  EXPECT_THAT(made[1].ToVector<float>(), ElementsAre(0, 1, 2));
  EXPECT_THAT(made[2].ToVector<float>(), ElementsAre(2, 16, 6, 32, 10, 48));
  EXPECT_THAT(made[3].ToVector<float>(), ElementsAre(70, 224));
}

TEST(EmitRecordedLoop, GivesAllValues) {
  const Function powers([](const Tensor& x) {
    const Tensors all =
        runtime::EmitRecordedLoop([](const Tensors& now) { return Less(now[0], 3); },
                                  [&](const Tensors& now) {
                                    return Tensors{now[0] + 1, now[1] * x};
                                  },
                                  {Scalar<int32_t>(0), OnesLike(x)}, {});
    return all[3];
  });
  const Tensor made = powers(Tensor({2.0f, 3.0f}));
  EXPECT_EQ(made.shape(), (Shape{4, 2}));
  EXPECT_THAT(made.ToVector<float>(), ElementsAre(1, 1, 2, 3, 4, 9, 8, 27));
}

}  // namespace
}  // namespace lockstep
