// Normalisations that are made of other ops.

#include "lockstep/ops/normalization.h"

#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"

namespace lockstep {

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

}  // namespace lockstep
