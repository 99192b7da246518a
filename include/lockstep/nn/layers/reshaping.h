#pragma once

#include <array>
#include <initializer_list>
#include <vector>

#include "lockstep/nn/layer.h"
#include "lockstep/nn/layers/options.h"

namespace lockstep {

// Layers that move elements of each example. Errors: InvalidArgument naming the layer when the
// input does not fit. Source: the layers of keras.layers of these names.

/// [n, ...] to [n, product of the rest].
LayerPtr Flatten();
/// [n, ...] to [n, target_shape...]; one size may be -1.
LayerPtr Reshape(const std::vector<int64_t>& target_shape);
/// Axis i + 1 of the result is axis dims[i] of the input, counted from 1; axis 0 stays.
LayerPtr Permute(const std::vector<int64_t>& dims);
/// [n, c] to [n, times, c].
LayerPtr RepeatVector(int64_t times);
/// Rows and columns: top, bottom, left, right.
using Borders = std::array<int64_t, 4>;
/// Zeros around images [n, h, w, c]; one size stands for both sides.
LayerPtr ZeroPadding2D(Size2D padding = 1);
LayerPtr ZeroPadding2D(const Borders& padding);
/// {all}, {rows, columns}, or {top, bottom, left, right}. InvalidArgument for other counts.
LayerPtr ZeroPadding2D(std::initializer_list<int64_t> padding);
/// Images [n, h, w, c] without their borders.
LayerPtr Cropping2D(Size2D cropping);
LayerPtr Cropping2D(const Borders& cropping);
LayerPtr Cropping2D(std::initializer_list<int64_t> cropping);
/// Steps [n, t, c] without the first and the last ones.
LayerPtr Cropping1D(int64_t before = 1, int64_t after = 1);

/// x * scale + offset, in float32.
LayerPtr Rescaling(double scale, double offset = 0);

}  // namespace lockstep
