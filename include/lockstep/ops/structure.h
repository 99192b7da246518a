#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// `input` itself, as a new value. Source: TF Identity.
Tensor Identity(const Tensor& input);
/// `input`, of which these sizes are known from here on, -1 for any; a run checks them. Errors:
/// InvalidArgument for another shape. Source: tf.ensure_shape.
Tensor EnsureShape(const Tensor& input, const std::vector<int64_t>& shape);
/// `input`, through which no gradient flows. Source: TF StopGradient.
Tensor StopGradient(const Tensor& input);
/// The elements of `input`, row-major, under another shape; one size may be -1 and follows.
/// Shapes: input any; errors: InvalidArgument when the numbers of elements differ.
Tensor Reshape(const Tensor& input, const std::vector<int64_t>& shape);
/// `input` under the shape of `like`, whose elements don't matter.
Tensor ReshapeLike(const Tensor& input, const Tensor& like);
/// `input` summed over the axes along which `like` had been broadcast to its shape; the adjoint of
/// broadcasting.
Tensor SumLike(const Tensor& input, const Tensor& like);

}  // namespace lockstep
