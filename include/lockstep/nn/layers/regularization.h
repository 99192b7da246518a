#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep {

struct DropoutOptions {
  /// The shape of the mask, which broadcasts; -1: the input's size. By default the input's.
  std::vector<int64_t> noise_shape;
  /// By default it follows from the global seed and the layer's name.
  std::optional<int64_t> seed;
  std::string name;
};
/// While training, sets elements to 0 with probability `rate` and divides the others by 1 - rate;
/// else gives the input. Call number k of the layer (all replicas together) uses the stream
/// [seed, k] for the tensor of all replicas, so the mask does not know of replicas and devices. The
/// count is a variable, part of the model's state. Errors: InvalidArgument for a rate outside of
/// [0, 1]. Source: keras.layers.Dropout, keras.random.dropout.
LayerPtr Dropout(double rate, const DropoutOptions& options = {});

/// Drops whole channels of images [n, h, w, c] or of steps [n, t, c].
/// Source: keras.layers.SpatialDropout2D, SpatialDropout1D.
LayerPtr SpatialDropout2D(double rate, std::optional<int64_t> seed = {});
LayerPtr SpatialDropout1D(double rate, std::optional<int64_t> seed = {});

}  // namespace lockstep
