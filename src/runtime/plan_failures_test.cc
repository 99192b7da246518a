// A run that fails has written nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/variable.h"
#include "runtime/compiled.h"
#include "runtime/function_trace_test.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using ::testing::ElementsAre;

class Failures : public ::testing::TestWithParam<int> {
 protected:
  // Fails for 5, not for 1.
  void ExpectNothingWritten(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& f,
                            const std::vector<Variable>& variables, bool undo = false) {
    const std::vector<Tensor> good{Constant<int32_t>({1, 0, 1})}, bad{Constant<int32_t>({1, 0, 5})};
    Compiled compiled(TracedGraph(f, good));
    if (undo) compiled.UndoFailures();
    base::Team team(GetParam());
    compiled.Run(good, team);
    std::vector<std::vector<float>> values;
    std::vector<uint64_t> versions;
    for (const Variable& variable : variables) {
      values.push_back(variable.value().ToVector<float>());
      versions.push_back(variable.version());
    }
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ(CodeOf([&] { compiled.Run(bad, team); }), Code::kInvalidArgument);
      for (size_t i = 0; i < variables.size(); ++i) {
        EXPECT_EQ(variables[i].value().ToVector<float>(), values[i]) << "variable " << i;
        EXPECT_EQ(variables[i].version(), versions[i]) << "variable " << i;
      }
    }
    compiled.Run(good, team);
    for (size_t i = 0; i < variables.size(); ++i) {
      EXPECT_GT(variables[i].version(), versions[i]);
      EXPECT_NE(variables[i].value().ToVector<float>(), values[i]) << "variable " << i;
    }
  }
};

TEST_P(Failures, WritesWaitForWhatMayFail) {
  const Variable early(Tensor({0, 0})), late(Tensor({0, 0}));
  ExpectNothingWritten(
      [&](const std::vector<Tensor>& a) {
        early.AssignAdd(Tensor({1, 2}));
        const Tensor rows = Gather(Tensor({3, 4}), a[0]);
        late.AssignAdd(Tensor({1, 1}));
        return std::vector<Tensor>{rows};
      },
      {early, late});
}

TEST_P(Failures, WhatFailsAfterAWriteWritesCopies) {
  const Variable v(Tensor({1, 2})), w(Tensor({1, 2}));
  ExpectNothingWritten(
      [&](const std::vector<Tensor>& a) {
        w.AssignAdd(Tensor({1, 1}));
        const Tensor rows = Gather(v.AssignAdd(Tensor({1, 1})), a[0]);
        return std::vector<Tensor>{rows};
      },
      {v, w});
}

TEST_P(Failures, ScattersFailBeforeTheyWrite) {
  const Variable counter(Scalar(0.0f)), first(Tensor({1, 2, 3})), second(Tensor({4, 5, 6}));
  const auto scatter = [](const Variable& v, const Tensor& places) {
    v.Scatter(ScatterKind::kAdd, places, Tensor({1, 2, 3}));
  };
  ExpectNothingWritten(
      [&](const std::vector<Tensor>& a) {
        counter.AssignAdd(1);
        scatter(first, a[0]);
        return std::vector<Tensor>{};
      },
      {counter, first});
  ExpectNothingWritten(
      [&](const std::vector<Tensor>& a) {
        counter.AssignAdd(1);
        scatter(first, a[0] - a[0]);
        scatter(second, a[0]);
        return std::vector<Tensor>{};
      },
      {counter, first, second});
}

TEST_P(Failures, IntegersDividedByZero) {
  const Variable counter(Scalar(0.0f));
  ExpectNothingWritten(
      [&](const std::vector<Tensor>& a) {
        counter.AssignAdd(1);
        return std::vector<Tensor>{FloorDiv(a[0], a[0] - 5)};
      },
      {counter});
}

TEST_P(Failures, ProgramsAreUndoneWhenAsked) {
  const Variable counter(Scalar(0.0f)), sum(Tensor({0, 0, 0}));
  ExpectNothingWritten(
      [&](const std::vector<Tensor>& a) {
        counter.AssignAdd(1);
        const auto loop = WhileLoop([](const Tensors& v) { return Less(v[0], 3); },
                                    [&](const Tensors& v) {
                                      sum.AssignAdd(Tensor({1, 1, 1}));
                                      return Tensors{v[0] + 1};
                                    },
                                    {Scalar<int32_t>(0)});
        return std::vector<Tensor>{Gather(sum.value(), a[0]) + Cast(loop[0], DType::kFloat32)};
      },
      {counter, sum}, true);
}

INSTANTIATE_TEST_SUITE_P(Lanes, Failures, ::testing::Values(1, 2, 3));

TEST(EagerFailures, AScatterThatDividesByZeroWritesNothing) {
  const Variable v(Constant<int32_t>({8, 9}));
  const auto divide = [&] {
    v.Scatter(ScatterKind::kDivide, Constant<int32_t>({0, 1}), Constant<int32_t>({2, 0}));
  };
  EXPECT_EQ(CodeOf(divide), Code::kInvalidArgument);
  EXPECT_THAT(v.value().ToVector<int32_t>(), ElementsAre(8, 9));
  EXPECT_EQ(v.version(), 0u);
}

}  // namespace
}  // namespace lockstep::runtime
