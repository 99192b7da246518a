#include "lockstep/nn/schedules.h"

#include <cmath>
#include <numbers>

#include "base/error_of_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

// The rates at `steps`; a traced schedule must give the same bits.
std::vector<float> RatesAt(const SchedulePtr& schedule, const std::vector<int64_t>& steps) {
  const Function traced([&](const Tensor& step) { return (*schedule)(step); });
  std::vector<float> rates;
  for (int64_t step : steps) {
    rates.push_back((*schedule)(Scalar(step)).scalar<float>());
    EXPECT_EQ(traced(Scalar(step)).scalar<float>(), rates.back()) << step;
  }
  return rates;
}

TEST(SchedulesTest, Exponential) {
  EXPECT_THAT(RatesAt(schedules::ExponentialDecay({0.5, 10, 0.25}), {0, 5, 10, 20}),
              Pointwise(FloatEq(), {0.5f, 0.25f, 0.125f, 0.03125f}));
  EXPECT_THAT(RatesAt(schedules::ExponentialDecay({0.5, 10, 0.25, true}), {9, 10, 19}),
              Pointwise(FloatEq(), {0.5f, 0.125f, 0.125f}));
}

TEST(SchedulesTest, PiecewiseConstantBelongsToTheLowerSideAtABoundary) {
  EXPECT_THAT(RatesAt(schedules::PiecewiseConstantDecay({5, 15}, {1, 0.5, 0.1}),
                      {0, 5, 6, 15, 16, 1000000}),
              Pointwise(FloatEq(), {1.0f, 1.0f, 0.5f, 0.5f, 0.1f, 0.1f}));
  EXPECT_THAT(RatesAt(schedules::PiecewiseConstantDecay({}, {0.25}), {0, 7}),
              Pointwise(FloatEq(), {0.25f, 0.25f}));
}

TEST(SchedulesTest, PolynomialEndsOrBeginsAgain) {
  EXPECT_THAT(RatesAt(schedules::PolynomialDecay({1, 10, 0.5, 2}), {0, 5, 10, 11}),
              Pointwise(FloatEq(), {1.0f, 0.625f, 0.5f, 0.5f}));
  // Over 10 steps, then over 20.
  EXPECT_THAT(RatesAt(schedules::PolynomialDecay({1, 10, 0.5, 1, true}), {0, 5, 10, 15, 20}),
              Pointwise(FloatEq(), {1.0f, 0.75f, 0.5f, 0.625f, 0.5f}));
}

TEST(SchedulesTest, InverseTime) {
  EXPECT_THAT(RatesAt(schedules::InverseTimeDecay({1, 10, 2}), {0, 5, 10}),
              Pointwise(FloatEq(), {1.0f, 0.5f, 1.0f / 3}));
  EXPECT_THAT(RatesAt(schedules::InverseTimeDecay({1, 10, 2, true}), {9, 10}),
              Pointwise(FloatEq(), {1.0f, 1.0f / 3}));
}

TEST(SchedulesTest, CosineWithAndWithoutWarmup) {
  EXPECT_THAT(RatesAt(schedules::CosineDecay({1, 10, 0.2}), {0, 5, 10, 99}),
              Pointwise(FloatNear(1e-6), {1.0f, 0.6f, 0.2f, 0.2f}));
  EXPECT_THAT(RatesAt(schedules::CosineDecay({0, 10, 0, 1.0, 4}), {0, 2, 4, 9, 14, 15}),
              Pointwise(FloatNear(1e-6), {0.0f, 0.5f, 1.0f, 0.5f, 0.0f, 0.0f}));
  EXPECT_THAT(RatesAt(schedules::CosineDecay({0.5, 10, 0, 1.0, 0}), {0}),
              Pointwise(FloatEq(), {1.0f}));
}

TEST(SchedulesTest, CosineRestarts) {
  // Periods of 4, 8 and 16 steps.
  EXPECT_THAT(RatesAt(schedules::CosineDecayRestarts({1, 4, 2, 0.5}), {0, 2, 4, 8, 12, 20}),
              Pointwise(FloatNear(2e-6), {1.0f, 0.5f, 0.5f, 0.25f, 0.25f, 0.125f}));
  // Equal periods.
  EXPECT_THAT(
      RatesAt(schedules::CosineDecayRestarts({1, 4, 1, 0.5, 0.5}), {0, 3, 4, 8}),
      Pointwise(FloatNear(2e-6),
                {1.0f, static_cast<float>(0.5 + 0.25 * (1 + std::cos(0.75 * std::numbers::pi))),
                 0.75f, 0.625f}));
}

void ExpectInvalid(SchedulePtr (*make)(), const char* part) {
  ExpectError(Code::kInvalidArgument, part, make);
}

TEST(SchedulesTest, TakesFractionsOfSteps) {
  const auto at = [](const SchedulePtr& schedule, int64_t step) {
    return (*schedule)(Scalar<int64_t>(step)).scalar<float>();
  };
  EXPECT_FLOAT_EQ(at(schedules::ExponentialDecay({1, 2.5, 0.25}), 5), 0.0625f);
  EXPECT_FLOAT_EQ(at(schedules::InverseTimeDecay({1, 0.5, 1, true}), 1), 1.0f / 3);
  EXPECT_FLOAT_EQ(at(schedules::PolynomialDecay({1, 2.5, 0}), 1), 0.6f);
  EXPECT_FLOAT_EQ(at(schedules::CosineDecay({1, 4, 0, 2.0, 2.5}), 1), 1.4f);
  EXPECT_NEAR(at(schedules::CosineDecayRestarts({1, 7.5, 1}), 8), 0.9890738f, 1e-6);
}

TEST(SchedulesTest, RefusesWrongNumbers) {
  ExpectInvalid(
      [] {
        return schedules::ExponentialDecay({1, 0, 0.5});
      },
      "[exponential_decay] decay_steps must be positive; got 0");
  ExpectInvalid(
      [] {
        return schedules::CosineDecayRestarts({1, -3});
      },
      "first_decay_steps must be positive; got -3");
  ExpectInvalid(
      [] {
        return schedules::PiecewiseConstantDecay({1, 2}, {1, 2});
      },
      "got 2 values and 2 boundaries");
  ExpectInvalid(
      [] {
        return schedules::PiecewiseConstantDecay({2, 2}, {1, 2, 3});
      },
      "boundaries must rise; got 2 before 2");
  ExpectInvalid(
      [] {
        return schedules::CosineDecay({1, 2, 0, 1.0, -1});
      },
      "warmup_steps must not be negative; got -1");
}

}  // namespace
}  // namespace lockstep
