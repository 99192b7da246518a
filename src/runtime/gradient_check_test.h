#pragma once

#include <functional>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/runtime/gradient_tape.h"

/// For tests: values at random, and gradients against central differences.
namespace lockstep::runtime {

/// Multiples of `step` between -1000 * step and 1000 * step.
template <typename T>
Tensor RandomTensor(const Shape& shape, uint32_t seed, float step = 1.0f / 512) {
  std::mt19937 engine(seed);
  std::vector<T> values(static_cast<size_t>(shape.num_elements()));
  for (T& value : values) {
    const int whole = static_cast<int>(engine() % 2001) - 1000;
    value = static_cast<T>(static_cast<float>(whole) * step);
  }
  return Tensor::FromVector(values, shape);
}

using TensorFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// The gradients of a random weighting of `function`'s results by its inputs (float64).
inline std::vector<Tensor> GradientsOf(const TensorFunction& function,
                                       const std::vector<Tensor>& inputs) {
  GradientTape tape;
  for (const Tensor& input : inputs) tape.Watch(input);
  const std::vector<Tensor> outputs = function(inputs);
  GradientOptions options;
  for (size_t i = 0; i < outputs.size(); ++i) {
    options.output_gradients.push_back(
        RandomTensor<double>(outputs[i].shape(), 100 + static_cast<uint32_t>(i)));
  }
  return tape.Gradient(outputs, inputs, options);
}

/// Every gradient of `function` at `inputs` (float64) must be the slope that small steps show.
inline void ExpectGradientsAreSlopes(const TensorFunction& function,
                                     const std::vector<Tensor>& inputs, double tolerance = 1e-6) {
  const std::vector<Tensor> gradients = GradientsOf(function, inputs);
  auto loss_at = [&](size_t which, size_t element, double step) {
    std::vector<Tensor> moved = inputs;
    std::vector<double> values = inputs[which].ToVector<double>();
    values[element] += step;
    moved[which] = Tensor::FromVector(values, inputs[which].shape());
    double loss = 0;
    const std::vector<Tensor> outputs = function(moved);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor weights =
          RandomTensor<double>(outputs[i].shape(), 100 + static_cast<uint32_t>(i));
      for (size_t e = 0; e < outputs[i].data<double>().size(); ++e) {
        loss += outputs[i].data<double>()[e] * weights.data<double>()[e];
      }
    }
    return loss;
  };
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_TRUE(gradients[i].defined()) << "input " << i;
    ASSERT_EQ(gradients[i].shape(), inputs[i].shape()) << "input " << i;
    for (size_t e = 0; e < inputs[i].data<double>().size(); ++e) {
      const double slope = (loss_at(i, e, kStep) - loss_at(i, e, -kStep)) / (2 * kStep);
      EXPECT_NEAR(gradients[i].data<double>()[e], slope, tolerance * (1 + std::abs(slope)))
          << "input " << i << ", element " << e;
    }
  }
}

/// The same for the gradients of the gradients.
inline void ExpectSecondGradientsAreSlopes(const TensorFunction& function,
                                           const std::vector<Tensor>& inputs,
                                           double tolerance = 1e-6) {
  ExpectGradientsAreSlopes([&](const std::vector<Tensor>& at) { return GradientsOf(function, at); },
                           inputs, tolerance);
}

}  // namespace lockstep::runtime
