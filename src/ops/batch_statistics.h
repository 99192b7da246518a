#pragma once

#include <vector>

#include "lockstep/tensor/tensor.h"

/// What batch normalisation is made of. The rows (axis 0) of a batch x [n, ..., c] belong to R
/// replicas: replica r has the rows [replicas[r], replicas[r + 1]); no table stands for one replica
/// that has all rows. Sums over a replica's rows are added by the tree over its leaves, so they do
/// not know of devices. Dtypes: float32, float64. Every op's gradient is made of the others.
namespace lockstep::ops {

using ReplicaRows = std::vector<int64_t>;

struct BatchMomentsResult {
  Tensor mean;
  Tensor variance;
};
/// Mean and biased variance of each replica's channels, the variance from the deviations; zeros for
/// a replica without rows. Shapes: x [n, ..., c], both results [c, R].
BatchMomentsResult BatchMoments(const Tensor& x, const ReplicaRows& replicas);
/// 1 / the number of elements of a channel of each replica, 0 without rows. Shape: [1, R].
Tensor BatchInverseCounts(const Tensor& x, const ReplicaRows& replicas);
/// x * scale + offset with each replica's own; no offset where it is empty. Shapes: x [n, ..., c],
/// scale, offset [c, R], result as x.
Tensor BatchAffine(const Tensor& x, const Tensor& scale, const Tensor& offset,
                   const ReplicaRows& replicas);
/// The sum of each replica's channels. Shapes: x [n, ..., c], result [c, R].
Tensor BatchSum(const Tensor& x, const ReplicaRows& replicas);
/// The same of a * b, which have one shape.
Tensor BatchDot(const Tensor& a, const Tensor& b, const ReplicaRows& replicas);

}  // namespace lockstep::ops
