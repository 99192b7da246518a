#pragma once

#include <concepts>
#include <optional>
#include <string>

#include "lockstep/nn/layer.h"
#include "lockstep/nn/layers/options.h"

namespace lockstep {

struct Pooling2DOptions {
  std::optional<Size2D> strides = {};  ///< by default the pool's size
  std::string padding = "valid";       ///< or "same"
  std::string name = {};
};
/// The largest element of every window. Shapes: x [n, h, w, c]; result [n, oh, ow, c].
/// Source: keras.layers.MaxPooling2D.
LayerPtr MaxPooling2D(Size2D pool_size = 2, const Pooling2DOptions& options = {});
/// The mean of every window; with "same" of its cells inside the image.
/// Source: keras.layers.AveragePooling2D.
LayerPtr AveragePooling2D(Size2D pool_size = 2, const Pooling2DOptions& options = {});
template <std::convertible_to<Size2D> T>
LayerPtr MaxPooling2D(Size2D pool_size, const T& strides) {
  return MaxPooling2D(pool_size, Pooling2DOptions{.strides = strides});
}
template <std::convertible_to<Size2D> T>
LayerPtr AveragePooling2D(Size2D pool_size, const T& strides) {
  return AveragePooling2D(pool_size, Pooling2DOptions{.strides = strides});
}

struct Pooling1DOptions {
  std::optional<int64_t> strides = {};
  std::string padding = "valid";
  std::string name = {};
};
/// Shapes: x [n, w, c]; result [n, ow, c]. Source: keras.layers.MaxPooling1D, AveragePooling1D.
LayerPtr MaxPooling1D(int64_t pool_size = 2, const Pooling1DOptions& options = {});
LayerPtr AveragePooling1D(int64_t pool_size = 2, const Pooling1DOptions& options = {});
template <std::integral T>
LayerPtr MaxPooling1D(int64_t pool_size, T strides) {
  return MaxPooling1D(pool_size, Pooling1DOptions{.strides = strides});
}
template <std::integral T>
LayerPtr AveragePooling1D(int64_t pool_size, T strides) {
  return AveragePooling1D(pool_size, Pooling1DOptions{.strides = strides});
}

// The mean or the largest element of each channel. Shapes: x [n, h, w, c] or [n, w, c]; result
// [n, c], with `keepdims` 1 for the axes between. Source: the layers of keras.layers of these
// names.
LayerPtr GlobalAveragePooling2D(bool keepdims = false);
LayerPtr GlobalMaxPooling2D(bool keepdims = false);
LayerPtr GlobalAveragePooling1D(bool keepdims = false);
LayerPtr GlobalMaxPooling1D(bool keepdims = false);

/// Repeats rows and columns. Shapes: x [n, h, w, c]; result [n, h * height, w * width, c].
/// Source: keras.layers.UpSampling2D with interpolation "nearest".
LayerPtr UpSampling2D(Size2D size = 2);
/// The same with pixels between the centres of the old ones, on the straight line between them; the
/// border repeats its value. Source: keras.layers.UpSampling2D with interpolation "bilinear".
LayerPtr BilinearUpSampling2D(Size2D size = 2);

}  // namespace lockstep
