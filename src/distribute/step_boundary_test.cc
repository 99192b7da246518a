#include "lockstep/distribute/step_boundary.h"

#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "base/folder_test.h"
#include "lockstep/ops/structure.h"

namespace lockstep {
namespace {

TEST(StepBoundary, ALoopIsSavedAndResumed) {
  const base::TestFolder folder;
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const Variable counter(Scalar<int64_t>(3), {.name = "counter"});
  const Variable weight(Tensor::FromVector(std::vector<float>{1, 2}, Shape{2}),
                        {.name = "w_1/kernel"});
  const Variable other(Scalar(5.0f), {.name = "counter"});  // of one name with the first
  const std::vector<Tensor> all{counter.handle(), weight.handle(), other.handle()};
  StepBoundary boundary(strategy, "a loop");
  boundary.Save(folder.path(), 7, {.variables = all, .position = {{}, R"({"taken":7})"}});

  counter.Assign(Scalar<int64_t>(0));
  other.Assign(Scalar(0.0f));
  // A model that is made again has other numbers in its names.
  const Variable again(Tensor::FromVector(std::vector<float>{0, 0}, Shape{2}),
                       {.name = "w_2/kernel"});
  const SavedState position =
      boundary.Resume(folder.path(), {counter.handle(), again.handle(), other.handle()});
  EXPECT_EQ(position.metadata, R"({"taken":7})");
  EXPECT_EQ(counter.value().scalar<int64_t>(), 3);
  EXPECT_EQ(other.value().scalar<float>(), 5);
  EXPECT_EQ(again.value().ToVector<float>(), (std::vector<float>{1, 2}));
}

TEST(StepBoundary, WhatIsNotOfTheLoopIsRefusedWhole) {
  const base::TestFolder folder;
  MirroredStrategy strategy({.devices = 1, .replicas = 1});
  const Variable first(Scalar(1.0f), {.name = "first"}), second(Scalar(2.0f), {.name = "second"});
  StepBoundary boundary(strategy, "a loop");
  const auto resume = [&](std::vector<Tensor> variables) {
    return [&, variables] { boundary.Resume(folder.path(), variables); };
  };
  ExpectError(Code::kNotFound, "save", resume({first.handle()}));
  boundary.Save(folder.path(), 1, {.variables = {first.handle(), second.handle()}});

  first.Assign(Scalar(9.0f));
  const Variable wide(Tensor::FromVector(std::vector<float>{1, 2}, Shape{2}), {.name = "second"});
  const Variable renamed(Scalar(0.0f), {.name = "third"});
  ExpectError(Code::kFailedPrecondition,
              "got second of float32[2] where it has second of float32[];",
              resume({first.handle(), wide.handle()}));
  ExpectError(Code::kFailedPrecondition, "got third of float32[] where it has second of float32[];",
              resume({first.handle(), renamed.handle()}));
  ExpectError(Code::kFailedPrecondition, "no more variables",
              resume({first.handle(), second.handle(), wide.handle()}));
  EXPECT_EQ(first.value().scalar<float>(), 9);
  ExpectError(Code::kFailedPrecondition, "got one of a loop", [&] {
    StepBoundary(strategy, "another loop").Resume(folder.path(), {first.handle()});
  });
}

}  // namespace
}  // namespace lockstep
