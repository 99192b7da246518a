#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// Rows of a tensor: `values[i]` belongs to row `indices[i]` of a tensor of shape `dense_shape`.
/// Rows that occur several times add up, in the order of their occurrence; rows that do not occur
/// are absent, which is not the same as zero. The gradient of a gather is of this kind. Shapes:
/// values [N, ...], indices [N]. Source: tf.IndexedSlices.
struct IndexedSlices {
  Tensor values;
  Tensor indices;
  Shape dense_shape;

  /// The tensor with all rows. Shape: `dense_shape`.
  Tensor ToDense() const;
  /// Wraps the slices as a tensor, so that they travel where gradients do. An op that is given such
  /// a tensor gets the dense one.
  Tensor ToTensor() const;
  /// The slices that `tensor` wraps, or nullptr.
  static const IndexedSlices* Of(const Tensor& tensor);
};

}  // namespace lockstep
