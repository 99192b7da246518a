// Normalisations that are made of other ops.

#include "lockstep/ops/normalization.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "tensor/sizes.h"

namespace lockstep {

namespace {

// A matrix of ones within `radius` of the diagonal.
Tensor Band(int64_t size, int64_t radius, DType dtype) {
  radius = std::min(radius, size);
  const int64_t cells = tensor::ProductOfSizes({size, size}, "local_response_normalization");
  std::vector<float> band(static_cast<size_t>(cells), 0.0f);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = std::max<int64_t>(0, i - radius); j <= std::min(size - 1, i + radius); ++j) {
      band[static_cast<size_t>(i * size + j)] = 1;
    }
  }
  return Cast(Tensor::FromVector(band, Shape{size, size}), dtype);
}

}  // namespace

MeanAndVariance Moments(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Tensor mean = ReduceMean(x, axes, true);
  // The mean minimises the sum of squares: nothing flows back through it.
  const Tensor variance = ReduceMean(SquaredDifference(x, StopGradient(mean)), axes, keep_dims);
  if (keep_dims) return {mean, variance};
  return {Squeeze(mean, axes.Resolve(x.rank(), "moments")), variance};
}

Tensor BatchNormalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                          const Tensor& offset, const Tensor& scale, double epsilon) {
  Tensor inverse = Rsqrt(Add(variance, epsilon));
  if (scale.defined()) inverse = Multiply(inverse, scale);
  const Tensor shift = Multiply(mean, inverse);
  return Add(Multiply(x, inverse), offset.defined() ? Subtract(offset, shift) : Negative(shift));
}

Tensor L2Normalize(const Tensor& x, const Axes& axes, double epsilon) {
  const Tensor sum = ReduceSum(Square(x), axes, true);
  return Multiply(x, Rsqrt(Maximum(sum, epsilon)));
}

Tensor LocalResponseNormalization(const Tensor& x, const LocalResponseOptions& options) {
  const int rank = x.rank();
  if (rank < 2 || x.shape()[rank - 1] < 0 || options.depth_radius < 0) {
    throw Error(Code::kInvalidArgument,
                "[local_response_normalization] a tensor [..., c] with known channels and a radius "
                "of 0 or more are needed; got " +
                    x.shape().ToString() + " and " + std::to_string(options.depth_radius));
  }
  const Tensor band = Band(x.shape()[rank - 1], options.depth_radius, x.dtype());
  const Tensor sum = MatMul(Square(x), band);
  const Tensor norm = Add(Multiply(sum, options.alpha), options.bias);
  return Multiply(x, Pow(norm, -options.beta));
}

}  // namespace lockstep
