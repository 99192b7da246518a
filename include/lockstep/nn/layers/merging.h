#pragma once

#include "lockstep/nn/layer.h"

namespace lockstep {

// Layers of several inputs, which broadcast: Add()({a, b}). Errors: InvalidArgument naming the
// layer for fewer than two inputs (Subtract: other than two), or shapes that do not fit.
// Source: the layers of keras.layers of the same names.

LayerPtr Add();
LayerPtr Subtract();
LayerPtr Multiply();
LayerPtr Average();
LayerPtr Maximum();
LayerPtr Minimum();
/// One after another along `axis`, which is not 0.
LayerPtr Concatenate(int axis = -1);

}  // namespace lockstep
