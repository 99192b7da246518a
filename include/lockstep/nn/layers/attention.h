#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockstep/nn/layer.h"

namespace lockstep {

struct MultiHeadAttentionOptions {
  /// The size of a head's values; by default key_dim.
  std::optional<int64_t> value_dim = {};
  double dropout = 0;
  bool use_bias = true;
  /// The size of the result's last axis; by default the query's.
  std::optional<int64_t> output_dim = {};
  /// The sizes of the result's last axes, in place of output_dim: [n, t, sizes...].
  std::vector<int64_t> output_shape = {};
  /// Query t sees only the keys up to t. (An argument of the call in Keras.)
  bool use_causal_mask = false;
  InitializerPtr kernel_initializer = initializers::GlorotUniform();
  InitializerPtr bias_initializer = initializers::Zeros();
  std::optional<int64_t> seed = {};  ///< of the dropout
  std::string name = {};
};

/// While it exists, MultiHeadAttention layers that this thread calls use a causal mask, whatever
/// their option says. For `use_causal_mask` as an argument of a call, as in Keras.
class CausalAttentionScope {
 public:
  explicit CausalAttentionScope(bool causal);
  ~CausalAttentionScope();
  CausalAttentionScope(const CausalAttentionScope&) = delete;
  CausalAttentionScope& operator=(const CausalAttentionScope&) = delete;

 private:
  bool outer_;
};

/// Several heads that look for keys that fit their queries, and take the mean of the values there.
/// Inputs: query [n, t, d], value [n, s, dv], key [n, s, dk] (by default the value), and, as the
/// last one, a mask (bool, [t, s], [n, t, s] or [n, h, t, s]; true: may be seen). One input stands
/// for query and value. Result [n, t, output_dim]. Weights: "query/kernel" [d, h, k], "query/bias"
/// [h, k], "key/...", "value/...", "attention_output/kernel" [h, v, output_dim],
/// "attention_output/bias" [output_dim]. Source: keras.layers.MultiHeadAttention.
LayerPtr MultiHeadAttention(int64_t num_heads, int64_t key_dim,
                            const MultiHeadAttentionOptions& options = {});

struct AttentionLayerOptions {
  /// A weight "scale": for Attention a number (off by default in Keras), for AdditiveAttention a
  /// vector [d] (on by default).
  std::optional<bool> use_scale = {};
  double dropout = 0;
  bool use_causal_mask = false;
  /// Attention: the scores are concat_score_weight * sum(tanh(scale * (query + key))), Keras's
  /// score_mode "concat", with a number as a weight "concat_score_weight".
  bool concat_scores = false;
  std::optional<int64_t> seed = {};  ///< of the dropout
  std::string name = {};
};
/// softmax(query key^T) value. Inputs: query [n, t, d], value [n, s, v], key [n, s, d] (by default
/// the value), and, as the last one, a mask (bool, [t, s] or [n, t, s]). Result [n, t, v].
/// Source: keras.layers.Attention.
LayerPtr Attention(const AttentionLayerOptions& options = {});
/// The same with the scores sum(scale * tanh(query + key)). Source:
/// keras.layers.AdditiveAttention.
LayerPtr AdditiveAttention(const AttentionLayerOptions& options = {});

}  // namespace lockstep
