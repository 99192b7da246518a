#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep::ops {

/// What each example's loss has to be multiplied by so that the mean over all examples is the mean
/// over `replicas` replicas of the means over their examples, as Keras trains: n / (R n_r). Replica
/// r has the examples [r s, (r + 1) s), s = ceil(n / R), as tf.data divides a batch; one without
/// examples adds nothing, but counts. Shapes: examples [n, ...], only n matters; result float32
/// [n].
Tensor ReplicaWeights(const Tensor& examples, int64_t replicas);

}  // namespace lockstep::ops
