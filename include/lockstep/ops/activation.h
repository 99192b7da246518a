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
/// x above 0, else alpha * x; the gradient at 0 is alpha. Integers become float32.
Tensor LeakyRelu(const Tensor& x, double alpha = 0.2);
/// x from 0 on, else alpha * (e^x - 1); the gradient at 0 is 1.
Tensor Elu(const Tensor& x, double alpha = 1.0);
/// 1.0507 * Elu(x, 1.6733): keeps mean 0 and variance 1.
Tensor Selu(const Tensor& x);
/// log(1 + e^x).
Tensor Softplus(const Tensor& x);
/// x / (1 + |x|).
Tensor Softsign(const Tensor& x);
/// x times the normal distribution's probability of a value below x, or with `approximate` the
/// usual formula with tanh.
Tensor Gelu(const Tensor& x, bool approximate = false);
/// x * sigmoid(x).
Tensor Silu(const Tensor& x);
/// x * tanh(softplus(x)).
Tensor Mish(const Tensor& x);
/// relu6(x + 3) / 6.
Tensor HardSigmoid(const Tensor& x);
/// log(sigmoid(x)).
Tensor LogSigmoid(const Tensor& x);

}  // namespace lockstep
