#pragma once

#include "lockstep/nn/layer.h"

namespace lockstep {

// Activations by name, to be given to layers: Dense(128, relu).
extern const Activation linear;
extern const Activation relu;
extern const Activation softmax;

struct DenseOptions {
  Activation activation;
  bool use_bias = true;
  InitializerPtr kernel_initializer = initializers::GlorotUniform();
  InitializerPtr bias_initializer = initializers::Zeros();
  std::shared_ptr<const Regularizer> kernel_regularizer;
  std::shared_ptr<const Constraint> kernel_constraint;
  std::string name;
};
/// activation(x W + b) on the last axis. Shapes: x [n, ..., in]; kernel [in, units]; bias [units].
/// Source: keras.layers.Dense.
LayerPtr Dense(int64_t units, const Activation& activation = linear);
LayerPtr Dense(int64_t units, const DenseOptions& options);

/// [n, ...] to [n, product of the rest]. Source: keras.layers.Flatten.
LayerPtr Flatten();
/// x * scale + offset, in float32. Source: keras.layers.Rescaling.
LayerPtr Rescaling(double scale, double offset = 0);

}  // namespace lockstep
