#pragma once

#include <memory>

#include "lockstep/ops/reduce.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// What is done to a weight after each update. To write one, derive and use ops. Source:
/// keras.constraints.Constraint.
class Constraint {
 public:
  virtual ~Constraint() = default;
  /// The nearest allowed weight, or what stands for it. Shape and dtype: as `weight`.
  virtual Tensor operator()(const Tensor& weight) const = 0;
};
using ConstraintPtr = std::shared_ptr<const Constraint>;

/// Constraints by Keras's names and with its defaults. Norms are taken along `axis`; divisors are
/// larger by 1e-7.
namespace constraints {

/// Norms of at most `max_value`.
ConstraintPtr MaxNorm(double max_value = 2, Axes axis = 0);
/// No element below zero.
ConstraintPtr NonNeg();
/// Norms of one.
ConstraintPtr UnitNorm(Axes axis = 0);

struct MinMaxNormOptions {
  double min_value = 0;
  double max_value = 1;
  double rate = 1;
  Axes axis = 0;
};
/// Norms moved into the range, by `rate` of the way.
ConstraintPtr MinMaxNorm(const MinMaxNormOptions& options = {});

}  // namespace constraints

}  // namespace lockstep
