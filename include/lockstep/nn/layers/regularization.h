#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep {

struct DropoutOptions {
  /// The shape of the mask, which broadcasts; -1: the input's size. By default the input's.
  std::vector<int64_t> noise_shape = {};
  /// By default it follows from the global seed and the layer's name.
  std::optional<int64_t> seed = {};
  std::string name = {};
};
/// While training, sets elements to 0 with probability `rate` and divides the others by 1 - rate;
/// else gives the input. Call number k of the layer (all replicas together) uses the stream
/// [seed, k] for the tensor of all replicas, so the mask does not know of replicas and devices. The
/// count is a variable, part of the model's state. Errors: InvalidArgument for a rate outside of
/// [0, 1]. Source: keras.layers.Dropout, keras.random.dropout.
LayerPtr Dropout(double rate, const DropoutOptions& options = {});

/// Drops whole channels of volumes [n, d, h, w, c], images [n, h, w, c] or of steps [n, t, c].
/// Source: keras.layers.SpatialDropout3D, SpatialDropout2D, SpatialDropout1D.
LayerPtr SpatialDropout3D(double rate, std::optional<int64_t> seed = {});
LayerPtr SpatialDropout2D(double rate, std::optional<int64_t> seed = {});
LayerPtr SpatialDropout1D(double rate, std::optional<int64_t> seed = {});

struct NoiseOptions {
  /// By default it follows from the global seed and the layer's name.
  std::optional<int64_t> seed = {};
  std::string name = {};
};
/// While training, adds normals of the given deviation; the noise of an example is its slice of one
/// stream, as `Dropout`'s. Errors: InvalidArgument for a deviation outside of [0, 1]. Source:
/// keras.layers.GaussianNoise.
LayerPtr GaussianNoise(double deviation, const NoiseOptions& options = {});
/// While training, multiplies by normals of mean 1 and deviation sqrt(rate / (1 - rate)). Errors:
/// InvalidArgument for a rate outside of [0, 1). Source: keras.layers.GaussianDropout.
LayerPtr GaussianDropout(double rate, const NoiseOptions& options = {});
/// While training, sets elements to selu's lower bound with probability `rate`, then scales and
/// shifts so that mean and variance of normal inputs stay. `noise_shape` as `Dropout`'s; errors:
/// InvalidArgument for a rate outside of [0, 1). Source: keras.layers.AlphaDropout.
LayerPtr AlphaDropout(double rate, const DropoutOptions& options = {});

}  // namespace lockstep
