#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep {

// Activations, element by element, for floating dtypes. Source: tf.nn and Keras functions of the
// same names.

/// max(x, 0); the gradient at 0 is 0, NaN stays NaN.
Tensor Relu(const Tensor& x);
/// The gradient of `Relu`: `gradient` where x > 0, else 0. Shapes agree.
Tensor ReluGrad(const Tensor& gradient, const Tensor& x);
/// min(max(x, 0), 6); the gradient at 0 and at 6 is 0.
Tensor Relu6(const Tensor& x);
/// x above 0, else alpha * x; the gradient at 0 is alpha.
Tensor LeakyRelu(const Tensor& x, double alpha = 0.2);

}  // namespace lockstep
