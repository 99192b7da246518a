#pragma once

#include <string>

#include "lockstep/nn/layers/options.h"
#include "lockstep/ops/convolution.h"

namespace lockstep::nn {

/// "valid" or "same". InvalidArgument, starting with `[where]`, for anything else.
Padding PaddingOf(const std::string& name, const char* where);
/// InvalidArgument naming `what` unless both sizes are positive.
void RequirePositive(Size2D size, const char* what, const char* where);
void RequirePositive(int64_t number, const char* what, const char* where);

/// How many windows there are along an axis of `size` elements; 0 or less where none fits.
int64_t WindowsAlong(int64_t size, int64_t window, int64_t stride, int64_t dilation,
                     Padding padding);

}  // namespace lockstep::nn
