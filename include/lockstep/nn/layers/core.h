#pragma once

#include <functional>
#include <string>

#include "lockstep/nn/layer.h"

namespace lockstep {

struct DenseOptions {
  Activation activation = {};
  bool use_bias = true;
  InitializerPtr kernel_initializer = initializers::GlorotUniform();
  InitializerPtr bias_initializer = initializers::Zeros();
  std::shared_ptr<const Regularizer> kernel_regularizer = {};
  std::shared_ptr<const Regularizer> bias_regularizer = {};
  std::shared_ptr<const Constraint> kernel_constraint = {};
  std::shared_ptr<const Constraint> bias_constraint = {};
  std::string name = {};
};
/// activation(x W + b) on the last axis. Shapes: x [n, ..., in]; kernel [in, units]; bias [units].
/// Source: keras.layers.Dense.
LayerPtr Dense(int64_t units, const Activation& activation = linear);
LayerPtr Dense(int64_t units, const DenseOptions& options);

struct EmbeddingOptions {
  /// By default uniform in [-0.05, 0.05).
  InitializerPtr embeddings_initializer = {};
  std::shared_ptr<const Regularizer> embeddings_regularizer = {};
  std::shared_ptr<const Constraint> embeddings_constraint = {};
  std::string name = {};
};
/// Row x[...] of a table. Shapes: x [...] of whole numbers in [0, input_dim); weight "embeddings"
/// [input_dim, output_dim]; result [..., output_dim]. Errors: InvalidArgument for a number outside.
/// Source: keras.layers.Embedding.
LayerPtr Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions& options = {});

/// Any function of one tensor, without weights. Source: keras.layers.Lambda.
LayerPtr Lambda(std::function<Tensor(const Tensor&)> function, const std::string& name = {});

}  // namespace lockstep
