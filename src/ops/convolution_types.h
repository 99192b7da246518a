#pragma once

#include "lockstep/ops/convolution.h"
#include "ops/window.h"

namespace lockstep::ops {

/// Whether an op belongs to the depthwise convolutions, whose filter is [h, w, channels,
/// multiplier].
inline bool IsDepthwise(const OpSpec& spec) { return spec.name.starts_with("Depthwise"); }

/// `strides`, `padding`, and `dilations` and `explicit_paddings` where they say something.
Attributes WindowAttributes(const ConvolutionOptions& options);

}  // namespace lockstep::ops
