#pragma once

#include "ops/op.h"

namespace lockstep::ops {

/// One axis along which a window slides: its sizes, and where the first window begins.
struct WindowAxis {
  int64_t input = 0;
  int64_t window = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // cells of padding before the first
  int64_t output = 0;
};

/// The axes height and width of a convolution or a pooling, from the attributes `strides`,
/// `dilations` (two sizes each; 1 where absent), `padding` (VALID, SAME, EXPLICIT) and
/// `explicit_paddings` (top, bottom, left, right). Sizes may be unknown. InvalidArgument, starting
/// with `[where]`, for sizes that are not positive or a window that does not fit.
struct Window {
  WindowAxis height, width;

  static Window Of(const Attributes& attributes, const Shape& input, int64_t window_height,
                   int64_t window_width, const std::string& where);
};

}  // namespace lockstep::ops
