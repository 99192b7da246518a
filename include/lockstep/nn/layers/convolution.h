#pragma once

#include <optional>
#include <string>

#include "lockstep/nn/layer.h"
#include "lockstep/nn/layers/options.h"

namespace lockstep {

/// What the layers with sliding windows share. Defaults are Keras's.
struct Conv2DOptions {
  Size2D strides = 1;
  std::string padding = "valid";  ///< or "same"
  Size2D dilation_rate = 1;
  /// Into how many parts the channels are divided, each with filters of its own.
  int64_t groups = 1;
  /// Of Conv2DTranspose alone: how much larger the result is than the smallest of its windows; by
  /// default so much that a stride is not lost.
  std::optional<Size2D> output_padding = {};
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

// Weights: "kernel", and "bias" of as many as there are filters. Errors: InvalidArgument for
// options that cannot be meant; when first called, naming the layer, for inputs of another rank,
// channels that the groups do not divide, or a window that does not fit.

/// Filters that slide over images. Shapes: x [n, h, w, c]; kernel [kh, kw, c / groups, filters];
/// result [n, oh, ow, filters]. Source: keras.layers.Conv2D.
LayerPtr Conv2D(int64_t filters, Size2D kernel_size, const Activation& activation = linear);
LayerPtr Conv2D(int64_t filters, Size2D kernel_size, const Conv2DOptions& options);

/// Filters for each channel, `depth_multiplier` of them. Shapes: x [n, h, w, c]; kernel
/// [kh, kw, c, multiplier]; result [n, oh, ow, c * multiplier]. `groups` must be 1.
/// Source: keras.layers.DepthwiseConv2D.
LayerPtr DepthwiseConv2D(Size2D kernel_size, const Conv2DOptions& options = {},
                         int64_t depth_multiplier = 1);

/// A depthwise convolution, then one with 1 x 1 filters. Weights: "depthwise_kernel",
/// "pointwise_kernel", "bias". Source: keras.layers.SeparableConv2D.
LayerPtr SeparableConv2D(int64_t filters, Size2D kernel_size, const Conv2DOptions& options = {},
                         int64_t depth_multiplier = 1);

/// The adjoint of Conv2D, which makes images larger. Shapes: x [n, h, w, c]; kernel
/// [kh, kw, filters, c]; result [n, h sh, w sw, filters] with "same", [n, h sh + max(kh - sh, 0),
/// ...] with "valid" and no dilation. Source: keras.layers.Conv2DTranspose.
LayerPtr Conv2DTranspose(int64_t filters, Size2D kernel_size, const Conv2DOptions& options = {});

struct Conv1DOptions {
  int64_t strides = 1;
  /// "valid", "same", or "causal": what comes later is never looked at.
  std::string padding = "valid";
  int64_t dilation_rate = 1;
  int64_t groups = 1;
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
/// Shapes: x [n, w, c]; kernel [k, c / groups, filters]; result [n, ow, filters].
/// Source: keras.layers.Conv1D.
LayerPtr Conv1D(int64_t filters, int64_t kernel_size, const Activation& activation = linear);
LayerPtr Conv1D(int64_t filters, int64_t kernel_size, const Conv1DOptions& options);

}  // namespace lockstep
