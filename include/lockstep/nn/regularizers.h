#pragma once

#include <memory>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A term that a weight adds to the loss. To write one, derive and use ops. Source:
/// keras.regularizers.Regularizer.
class Regularizer {
 public:
  virtual ~Regularizer() = default;
  /// The penalty of `weight`, a scalar of its dtype.
  virtual Tensor operator()(const Tensor& weight) const = 0;
};
using RegularizerPtr = std::shared_ptr<const Regularizer>;

/// Regularizers by Keras's names and with its defaults. InvalidArgument for a factor that is
/// negative or not finite.
namespace regularizers {

/// l1 * sum |w|
RegularizerPtr L1(double l1 = 0.01);
/// l2 * sum w^2
RegularizerPtr L2(double l2 = 0.01);
/// l1 * sum |w| + l2 * sum w^2
RegularizerPtr L1L2(double l1 = 0, double l2 = 0);

enum class OrthogonalMode { kRows, kColumns };
/// factor * the mean of |cosine| over all pairs of rows (or columns). InvalidArgument for a weight
/// that is no matrix.
RegularizerPtr OrthogonalRegularizer(double factor = 0.01,
                                     OrthogonalMode mode = OrthogonalMode::kRows);

}  // namespace regularizers

}  // namespace lockstep
