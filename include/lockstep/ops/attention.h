#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep {

struct AttentionOptions {
  /// Query t sees the keys up to t + (keys - queries), so that the last query sees all.
  bool causal = false;
  /// What scores are multiplied by; 0 stands for 1 / sqrt(depth).
  double scale = 0;
};

/// softmax(scale query key^T) value, without a tensor of all scores.
/// Shapes: query [..., t, d], key [..., s, d], value [..., s, e], with the same leading axes, one
/// at least; result [..., t, e]. Dtypes: float32, float64, bfloat16, float16 (computed in float32).
/// Cost: a thread keeps 64 x s scores forward and 2 t x s backward.
/// Errors: InvalidArgument when shapes or dtypes disagree, or causal with fewer keys than queries.
/// Source: torch scaled_dot_product_attention; Keras dot_product_attention.
Tensor ScaledDotProductAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                                 const AttentionOptions& options = {});

}  // namespace lockstep
