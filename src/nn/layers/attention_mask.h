#pragma once

#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep::nn {

/// The inputs of an attention: query, value, key (the value, if not given) and, where the last one
/// is of dtype bool, a mask.
struct AttentionInputs {
  Tensor query, value, key, mask;
};
AttentionInputs SplitAttentionInputs(const std::vector<Tensor>& inputs);

/// `mask` with the rank `rank` of scores [..., t, s], and with what a causal mask hides; empty
/// where nothing is hidden. Axes between the first and the last two become 1.
Tensor JoinMasks(const Tensor& mask, bool causal, int64_t queries, int64_t keys, int rank);

/// What is added to a score that nobody may see: a large negative number of its dtype.
double Hidden(DType dtype);

}  // namespace lockstep::nn
