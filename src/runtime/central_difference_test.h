#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/runtime/gradient_tape.h"

/// For tests: gradients against central differences in float64.
namespace lockstep::runtime {

using TensorFunction = std::function<Tensor(const std::vector<Tensor>&)>;

/// Elements from [low, high], the same for the same seed.
inline Tensor RandomDoubles(const Shape& shape, uint32_t seed, double low = -2, double high = 2) {
  std::mt19937 engine(seed);
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (double& value : values) value = low + (high - low) * (engine() % 1000003) / 1000003.0;
  return Tensor::FromVector(values, shape);
}

/// The gradients of sum(weights * function(inputs)), weights fixed by the output's shape.
inline std::vector<Tensor> TapeGradients(const TensorFunction& function,
                                         const std::vector<Tensor>& inputs) {
  GradientTape tape;
  for (const Tensor& input : inputs) tape.Watch(input);
  const Tensor output = function(inputs);
  return tape.Gradient(
      {output}, inputs,
      {.output_gradients = {RandomDoubles(output.shape(), 99)}, .zero_unconnected = true});
}

inline double WeightedSum(const TensorFunction& function, const std::vector<Tensor>& inputs) {
  const Tensor output = function(inputs);
  const Tensor weights = RandomDoubles(output.shape(), 99);
  double sum = 0;
  for (int64_t i = 0; i < output.num_elements(); ++i) {
    sum += weights.data<double>()[i] * output.data<double>()[i];
  }
  return sum;
}

/// `inputs` are float64 and not next to a kink.
inline void ExpectGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                            double tolerance = 1e-6) {
  const std::vector<Tensor> gradients = TapeGradients(function, inputs);
  constexpr double kStep = 1e-5;
  for (size_t k = 0; k < inputs.size(); ++k) {
    ASSERT_EQ(gradients[k].shape(), inputs[k].shape()) << "input " << k;
    for (int64_t i = 0; i < inputs[k].num_elements(); ++i) {
      double sums[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<double> moved = inputs[k].ToVector<double>();
        moved[i] += side == 0 ? -kStep : kStep;
        std::vector<Tensor> all = inputs;
        all[k] = Tensor::FromVector(moved, inputs[k].shape());
        sums[side] = WeightedSum(function, all);
      }
      const double want = (sums[1] - sums[0]) / (2 * kStep);
      EXPECT_NEAR(gradients[k].data<double>()[i], want, tolerance * (1 + std::fabs(want)))
          << "input " << k << ", element " << i;
    }
  }
}

/// The same for the gradients of the gradients.
inline void ExpectSecondGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                                  double tolerance = 1e-6) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    SCOPED_TRACE("gradient of input " + std::to_string(k));
    ExpectGradients([&](const std::vector<Tensor>& x) { return TapeGradients(function, x)[k]; },
                    inputs, tolerance);
  }
}

}  // namespace lockstep::runtime
