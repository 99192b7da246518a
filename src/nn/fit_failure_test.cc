// A step that fails leaves all as the step before it has left it.

#include <cmath>

#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/functional.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"

namespace lockstep {
namespace {

constexpr int64_t kExamples = 160, kBatch = 32;

// By which row the fourth of five steps fails.
constexpr int64_t kBadRow = 3 * kBatch + 20;

Tensor Inputs() { return StatelessRandomNormal({kExamples, 5}, Constant<int64_t>({3, 1})); }

Tensor Labels(bool bad) {
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < kExamples; ++i) labels.push_back(static_cast<int32_t>(i * 5 % 3));
  if (bad) labels[kBadRow] = 7;
  return Constant<int32_t>(labels);
}

Tensor WithValue(const Tensor& x, float value) {
  std::vector<float> values = x.ToVector<float>();
  values[kBadRow * 5 + 2] = value;
  return Tensor::FromVector(values, x.shape());
}

// Fails where an element is above 100: an integer divided by zero.
Tensor Divides(const Tensor& x) {
  const Tensor small = Cast(LessEqual(x, 100.0), DType::kInt32);
  return x * Cast(FloorDiv(small, small), DType::kFloat32);
}

// The same in a branch, so that the step has several parts.
Tensor DividesInABranch(const Tensor& x) {
  return Cond(
      Greater(ReduceSum(x * x), 0), [&] { return Divides(x); }, [&] { return x; });
}

using Function = Tensor (*)(const Tensor&);

struct State {
  std::string weights, all;
};

State TrainedOn(const Tensor& x, const Tensor& y, Function first, int devices, int64_t max_steps,
                bool fails) {
  SetRandomSeed(3);
  MirroredStrategy strategy({.devices = devices, .replicas = 2});
  const auto scope = strategy.scope();
  Sequential model{Lambda(first), Dense(16, relu),    BatchNormalization(),
                   Dropout(0.25), GaussianNoise(0.1), Dense(3)};
  model.Compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = losses::SparseCategoricalCrossentropy(true),
                 .metrics = {metrics::Get("accuracy")}});
  const FitOptions fit{.batch_size = kBatch,
                       .epochs = 2,
                       .max_steps = max_steps,
                       .shuffle = false,
                       .verbose = Verbosity::kSilent};
  try {
    model.Fit(x, y, fit);
    EXPECT_FALSE(fails);
  } catch (const Error& error) {
    EXPECT_TRUE(fails) << error.what();
    EXPECT_EQ(error.code(), Code::kInvalidArgument) << error.what();
  }
  return {model.WeightsDigest(), model.StateDigest()};
}

Tensor Same(const Tensor& x) { return x * 1.0; }

void ExpectTheStateBeforeTheStep(const Tensor& bad_x, const Tensor& bad_y, Function first) {
  const State wanted = TrainedOn(Inputs(), Labels(false), first, 1, 3, false);
  for (int devices : {1, 2, 3}) {
    const State got = TrainedOn(bad_x, bad_y, first, devices, 0, true);
    EXPECT_EQ(got.weights, wanted.weights) << devices << " devices";
    EXPECT_EQ(got.all, wanted.all) << devices << " devices";
  }
}

TEST(FitFailureTest, ALabelOutOfRange) {
  ExpectTheStateBeforeTheStep(Inputs(), Labels(true), Same);
}

// Data are looked at before the step that uses them; arrays before the first.
TEST(FitFailureTest, ANaNInTheData) {
  Sequential model{Dense(16, relu), BatchNormalization(), Dropout(0.25), Dense(3)};
  model.Compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = losses::SparseCategoricalCrossentropy(true)});
  const FitOptions fit{.batch_size = kBatch, .epochs = 1, .verbose = Verbosity::kSilent};
  model.Fit(Inputs(), Labels(false), fit);
  const std::string weights = model.WeightsDigest(), state = model.StateDigest();
  EXPECT_THROW(model.Fit(WithValue(Inputs(), std::nanf("")), Labels(false), fit), Error);
  EXPECT_EQ(model.WeightsDigest(), weights);
  EXPECT_EQ(model.StateDigest(), state);
}

TEST(FitFailureTest, ADivisionByZero) {
  ExpectTheStateBeforeTheStep(WithValue(Inputs(), 1000), Labels(false), Divides);
}

TEST(FitFailureTest, ADivisionByZeroInABranch) {
  ExpectTheStateBeforeTheStep(WithValue(Inputs(), 1000), Labels(false), DividesInABranch);
}

}  // namespace
}  // namespace lockstep
