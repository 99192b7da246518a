#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// Where a sliding window may lie: kValid, inside the input; kSame, so that there are ceil(size /
/// stride) windows, the odd cell of padding after the input; kExplicit, as told.
enum class Padding { kValid, kSame, kExplicit };
/// "VALID", "SAME", "EXPLICIT".
std::string_view PaddingName(Padding padding);

struct ConvolutionOptions {
  std::array<int64_t, 2> strides = {1, 1};  ///< height, width
  Padding padding = Padding::kValid;
  std::array<int64_t, 2> dilations = {1, 1};                ///< height, width
  std::array<int64_t, 4> explicit_paddings = {0, 0, 0, 0};  ///< top, bottom, left, right
};

/// Slides `filter` over `input`, without turning it round (cross-correlation).
/// Shapes: input [n, h, w, in], filter [fh, fw, in / groups, out], result [n, oh, ow, out]; the
/// number of groups follows from the channels. Dtypes: float32, float64, bfloat16, float16.
/// Order: one chain of fused multiply-adds over filter row, filter column, input channel.
/// Errors: InvalidArgument when ranks, dtypes, channels or sizes do not fit. Source: TF Conv2D.
Tensor Conv2D(const Tensor& input, const Tensor& filter, const ConvolutionOptions& options = {});

/// A filter of its own for each channel. Shapes: input [n, h, w, c], filter [fh, fw, c,
/// multiplier], result [n, oh, ow, c * multiplier], channel c * multiplier + m. Dtypes, errors: as
/// Conv2D. Source: TF DepthwiseConv2dNative.
Tensor DepthwiseConv2D(const Tensor& input, const Tensor& filter,
                       const ConvolutionOptions& options = {});

/// The gradient of Conv2D's input, as an operation of its own.
/// Shapes: input [n, h, w, in], filter [fh, fw, out, in], result `output_shape` [n or -1, oh, ow,
/// out], whose convolution must have the input's shape. Dtypes, errors: as Conv2D.
/// Source: TF conv2d_transpose.
Tensor Conv2DTranspose(const Tensor& input, const Tensor& filter,
                       const std::vector<int64_t>& output_shape,
                       const ConvolutionOptions& options = {});

struct Convolution1DOptions {
  int64_t stride = 1;
  Padding padding = Padding::kValid;
  int64_t dilation = 1;
  std::array<int64_t, 2> explicit_paddings = {0, 0};  ///< before, after
};

/// Shapes: input [n, w, in], filter [fw, in / groups, out], result [n, ow, out]; at most one of n
/// and w is unknown. Dtypes, errors: as Conv2D. Source: TF conv1d.
Tensor Conv1D(const Tensor& input, const Tensor& filter, const Convolution1DOptions& options = {});

}  // namespace lockstep
