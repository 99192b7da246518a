#pragma once

#include <functional>
#include <random>
#include <string>
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

/// float64 from [low, high], the same for the same seed.
Tensor RandomDoubles(const Shape& shape, uint32_t seed, double low = -2, double high = 2);

/// What a function gives that can be differentiated: one tensor or several.
struct Outputs : std::vector<Tensor> {
  Outputs(Tensor one) : std::vector<Tensor>{std::move(one)} {}               // NOLINT: implicit
  Outputs(std::vector<Tensor> all) : std::vector<Tensor>(std::move(all)) {}  // NOLINT: implicit
};
using TensorFunction = std::function<Outputs(const std::vector<Tensor>&)>;

/// The tape's gradients of the sum of weights[i] * function(inputs)[i], made dense; zeros where
/// none flows. Without `weights` they are at random.
std::vector<Tensor> TapeGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                                  std::vector<Tensor> weights = {});

/// How far gradients are from central differences, relative to 1 + their size, and where most so.
struct GradientGap {
  double size = 0;
  std::string place;
};
/// `inputs` are float64 and not next to a kink. `order` 2 looks at the gradients of the gradients,
/// too, by the inputs and by the weights.
GradientGap GapOfGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                           int order = 1);

/// Every gradient of `function` at `inputs` must be the slope that small steps show.
void ExpectGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                     double tolerance = 1e-6);
/// The gradients of the gradients, too.
void ExpectSecondGradients(const TensorFunction& function, const std::vector<Tensor>& inputs,
                           double tolerance = 1e-6);

}  // namespace lockstep::runtime
