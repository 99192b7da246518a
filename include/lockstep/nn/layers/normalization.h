#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep {

struct BatchNormalizationOptions {
  int axis = -1;
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  InitializerPtr beta_initializer = initializers::Zeros();
  InitializerPtr gamma_initializer = initializers::Ones();
  std::shared_ptr<const Regularizer> beta_regularizer = {};
  std::shared_ptr<const Regularizer> gamma_regularizer = {};
  std::shared_ptr<const Constraint> beta_constraint = {};
  std::shared_ptr<const Constraint> gamma_constraint = {};
  InitializerPtr moving_mean_initializer = initializers::Zeros();
  InitializerPtr moving_variance_initializer = initializers::Ones();
  /// Statistics over all replicas instead of over each replica's own batch.
  bool synchronized = false;
  std::string name = {};
};
/// gamma * (x - mean) / sqrt(variance + epsilon) + beta. While training, mean and (biased)
/// variance are those of the replica's batch over all axes but one, added by the tree over its
/// leaves, and the moving statistics follow them; else the moving ones. A layer that is not
/// trainable never trains. Weights: "gamma", "beta", "moving_mean", "moving_variance", as many as
/// the axis is long.
/// Divergence from Keras: there is one moving mean and one moving variance, not one a replica; they
/// follow the mean of the replicas' statistics (replicas without examples do not count).
/// Source: keras.layers.BatchNormalization.
LayerPtr BatchNormalization(const BatchNormalizationOptions& options = {});

/// One axis, or a list of them.
struct AxisList : std::vector<int64_t> {
  AxisList(int64_t axis) : vector{axis} {}                         // NOLINT: implicit
  AxisList(std::initializer_list<int64_t> axes) : vector(axes) {}  // NOLINT: implicit
  AxisList(vector axes) : vector(std::move(axes)) {}               // NOLINT: implicit
};

struct LayerNormalizationOptions {
  /// Which axes are normalised together; not axis 0.
  AxisList axis = -1;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  InitializerPtr beta_initializer = initializers::Zeros();
  InitializerPtr gamma_initializer = initializers::Ones();
  std::shared_ptr<const Regularizer> beta_regularizer = {};
  std::shared_ptr<const Regularizer> gamma_regularizer = {};
  std::shared_ptr<const Constraint> beta_constraint = {};
  std::shared_ptr<const Constraint> gamma_constraint = {};
  std::string name = {};
};
/// Each example (and place along the other axes) gets mean 0 and variance 1, then scale and offset.
/// Weights: "gamma", "beta", of the axes' sizes. Source: keras.layers.LayerNormalization.
LayerPtr LayerNormalization(const LayerNormalizationOptions& options = {});
template <std::integral T>
LayerPtr LayerNormalization(T axis) {
  return LayerNormalization(LayerNormalizationOptions{.axis = {axis}});
}

struct GroupNormalizationOptions {
  /// How many groups of channels; -1: a group a channel.
  int64_t groups = 32;
  int axis = -1;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  InitializerPtr beta_initializer = initializers::Zeros();
  InitializerPtr gamma_initializer = initializers::Ones();
  std::shared_ptr<const Regularizer> beta_regularizer = {};
  std::shared_ptr<const Regularizer> gamma_regularizer = {};
  std::shared_ptr<const Constraint> beta_constraint = {};
  std::shared_ptr<const Constraint> gamma_constraint = {};
  std::string name = {};
};
/// Each example's groups of channels get mean 0 and variance 1. Weights: "gamma", "beta"
/// [channels]. Source: keras.layers.GroupNormalization.
LayerPtr GroupNormalization(const GroupNormalizationOptions& options = {});
template <std::integral T>
LayerPtr GroupNormalization(T groups) {
  return GroupNormalization(GroupNormalizationOptions{.groups = groups});
}

/// x * scale / sqrt(mean x^2 + epsilon) along `axis`. Weight: "scale".
/// Source: keras.layers.RMSNormalization.
LayerPtr RMSNormalization(const std::vector<int64_t>& axis = {-1}, double epsilon = 1e-6);
LayerPtr RMSNormalization(int axis, double epsilon = 1e-6);
/// x / sqrt(max(sum x^2, 1e-12)) over `axis`. Source: keras.layers.UnitNormalization.
LayerPtr UnitNormalization(const std::vector<int64_t>& axis = {-1});
template <std::integral T>
LayerPtr UnitNormalization(T axis) {
  return UnitNormalization(std::vector<int64_t>{axis});
}

}  // namespace lockstep
