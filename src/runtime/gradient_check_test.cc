#include "runtime/gradient_check_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep::runtime {

Tensor RandomDoubles(const Shape& shape, uint32_t seed, double low, double high) {
  std::mt19937 engine(seed);
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (double& value : values) value = low + (high - low) * (engine() % 1000003) / 1000003.0;
  return Tensor::FromVector(values, shape);
}

namespace {

std::vector<Tensor> WeightsFor(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> weights;
  for (const Tensor& output : outputs) {
    const uint32_t seed = 99 + static_cast<uint32_t>(weights.size());
    weights.push_back(RandomDoubles(output.shape(), seed, -1, 1));
  }
  return weights;
}

double WeightedSum(const std::vector<Tensor>& outputs, const std::vector<Tensor>& weights) {
  double sum = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    for (int64_t i = 0; i < outputs[k].num_elements(); ++i)
      sum += outputs[k].data<double>()[i] * weights[k].data<double>()[i];
  }
  return sum;
}

// The derivative of the weighted sum with respect to element i of input k.
double Slope(const TensorFunction& function, std::vector<Tensor> inputs, size_t k, int64_t i,
             const std::vector<Tensor>& weights) {
  constexpr double kStep = 1e-5;
  double sums[2];
  const std::vector<double> values = inputs[k].ToVector<double>();
  for (int side = 0; side < 2; ++side) {
    std::vector<double> moved = values;
    moved[i] += side == 0 ? -kStep : kStep;
    inputs[k] = Tensor::FromVector(moved, inputs[k].shape());
    sums[side] = WeightedSum(function(inputs), weights);
  }
  return (sums[1] - sums[0]) / (2 * kStep);
}

}  // namespace

std::vector<Tensor> TapeGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                                  std::vector<Tensor> weights) {
  GradientTape tape;
  for (const Tensor& input : inputs) tape.Watch(input);
  const Outputs outputs = function(inputs);
  if (weights.empty()) weights = WeightsFor(outputs);
  auto gradients = tape.Gradient(
      outputs, inputs, {.output_gradients = std::move(weights), .zero_unconnected = true});
  for (Tensor& gradient : gradients) {
    if (const IndexedSlices* slices = IndexedSlices::Of(gradient)) gradient = slices->ToDense();
  }
  return gradients;
}

GradientGap GapOfGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                           int order) {
  const std::vector<Tensor> weights = WeightsFor(function(inputs));
  const std::vector<Tensor> gradients = TapeGradients(function, inputs, weights);
  GradientGap worst;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const std::string of = "order " + std::to_string(order) + ", input " + std::to_string(k);
    if (gradients[k].shape() != inputs[k].shape())
      return {INFINITY, of + ": shape " + gradients[k].shape().ToString()};
    for (int64_t i = 0; i < inputs[k].num_elements(); ++i) {
      const double found = gradients[k].data<double>()[i];
      const double wanted = Slope(function, inputs, k, i, weights);
      const double gap = std::abs(found - wanted) / (1 + std::abs(wanted));
      if (gap <= worst.size) continue;  // a NaN goes on
      worst = {gap, of + ", element " + std::to_string(i) + ": " + std::to_string(found) +
                        ", slope " + std::to_string(wanted)};
      if (std::isnan(gap)) return {INFINITY, worst.place};
    }
  }
  if (order == 1) return worst;
  // The gradients as functions of all inputs and of the weights.
  std::vector<Tensor> all = inputs;
  all.insert(all.end(), weights.begin(), weights.end());
  const auto slopes = [&](const std::vector<Tensor>& at) -> Outputs {
    const auto middle = at.begin() + static_cast<long>(inputs.size());
    return TapeGradients(function, {at.begin(), middle}, {middle, at.end()});
  };
  const GradientGap second = GapOfGradients(slopes, all, order - 1);
  return second.size > worst.size ? GradientGap{second.size, "gradients' " + second.place} : worst;
}

void ExpectGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                     double tolerance) {
  const GradientGap gap = GapOfGradients(function, inputs, 1);
  EXPECT_LE(gap.size, tolerance) << gap.place;
}

void ExpectSecondGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                           double tolerance) {
  const GradientGap gap = GapOfGradients(function, inputs, 2);
  EXPECT_LE(gap.size, tolerance) << gap.place;
}

namespace {

using Inputs = std::vector<Tensor>;

TEST(GradientCheck, SeesAWrongGradient) {
  const Tensor x = RandomDoubles({3}, 1, 0.5, 2);
  const auto half_missing = [](const Inputs& t) { return StopGradient(t[0]) * t[0]; };
  const GradientGap gap = GapOfGradients(half_missing, {x});
  EXPECT_GT(gap.size, 0.01);
  EXPECT_THAT(gap.place, ::testing::HasSubstr("input 0, element"));
  const auto missing = [](const Inputs& t) { return StopGradient(t[0]); };
  EXPECT_GT(GapOfGradients(missing, {x}).size, 0.01);
  const auto not_a_number = [](const Inputs& t) { return t[0] * t[0] / 0.0; };
  EXPECT_EQ(GapOfGradients(not_a_number, {x}).size, INFINITY);
}

TEST(GradientCheck, SeesAWrongSecondGradient) {
  const Tensor x = RandomDoubles({3}, 1, 0.5, 2);
  const auto right = [](const Inputs& t) { return t[0] * t[0] * t[0]; };
  EXPECT_LT(GapOfGradients(right, {x}, 2).size, 1e-8);
  // The square of x, whose derivative is not followed any further.
  const auto first_alone = [](const Inputs& t) {
    return t[0] * StopGradient(t[0]) * 2.0 - StopGradient(t[0] * t[0]);
  };
  EXPECT_LT(GapOfGradients(first_alone, {x}, 1).size, 1e-8);
  EXPECT_GT(GapOfGradients(first_alone, {x}, 2).size, 0.01);
}

TEST(GradientCheck, TakesSeveralOutputs) {
  const Tensor x = RandomDoubles({2, 2}, 1), y = RandomDoubles({2}, 2);
  const auto both = [](const Inputs& t) { return std::vector<Tensor>{t[0] * t[1], t[1] * t[1]}; };
  ExpectGradients(both, {x, y});
  ExpectSecondGradients(both, {x, y});
}

}  // namespace
}  // namespace lockstep::runtime
