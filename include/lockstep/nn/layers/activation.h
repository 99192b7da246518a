#pragma once

#include <concepts>
#include <optional>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep {

/// Applies `function`. Source: keras.layers.Activation, another name as `Activation` is the
/// function itself.
LayerPtr ActivationLayer(const Activation& function);

struct ReluOptions {
  std::optional<double> max_value = {};
  double negative_slope = 0;
  double threshold = 0;
};
/// max_value above it, x above the threshold, negative_slope * (x - threshold) elsewhere.
/// Source: keras.layers.ReLU.
LayerPtr ReLU(const ReluOptions& options = {});
template <typename T>
requires std::integral<T> || std::floating_point<T> LayerPtr ReLU(T max_value) {
  return ReLU(ReluOptions{.max_value = max_value});
}
/// Source: keras.layers.LeakyReLU.
LayerPtr LeakyReLU(double negative_slope = 0.3);
/// Source: keras.layers.ELU.
LayerPtr ELU(double alpha = 1.0);
/// Along `axis`. A second input, bool, says which elements take part. Source: keras.layers.Softmax.
LayerPtr Softmax(int axis = -1);

struct PReluOptions {
  InitializerPtr alpha_initializer = initializers::Zeros();
  /// Axes along which all elements have one slope, counted with axis 0 as the examples.
  std::vector<int64_t> shared_axes = {};
};
/// x from 0 on, alpha * x below. Weight: "alpha" of an example's shape, 1 for shared axes.
/// Source: keras.layers.PReLU.
LayerPtr PReLU(const PReluOptions& options = {});

}  // namespace lockstep
