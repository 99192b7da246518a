#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep::nn {

/// What a softmax along the last axis or a sigmoid has made `probabilities` of, in the graph that
/// is traced; an empty tensor where something else has made them. Source: keras backend
/// _get_logits.
Tensor LogitsBehind(const Tensor& probabilities);

}  // namespace lockstep::nn
