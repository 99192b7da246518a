// Attention and AdditiveAttention.

#include "lockstep/nn/layers/attention.h"

#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "nn/layers/attention_mask.h"
#include "nn/layers/dropout.h"

namespace lockstep {

namespace {

// What differs: the scores [n, t, s] of a query [n, t, d] and a key [n, s, d].
class ScoredAttentionLayer : public Layer {
 public:
  ScoredAttentionLayer(const char* type, const AttentionLayerOptions& options, bool use_scale)
      : Layer(type), options_(options), use_scale_(options.use_scale.value_or(use_scale)) {
    nn::RequireRate(options.dropout, type);
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>& shapes) override {
    if (shapes[0].rank() != 3) Refuse("query and value must be [n, steps, features]", shapes[0]);
    AddScale(shapes[0]);
    if (options_.dropout > 0) counter_ = AddCounter("seed_generator_state", options_.seed);
  }

  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const nn::AttentionInputs in = nn::SplitAttentionInputs(inputs);
    const Shape &query = in.query.shape(), &key = in.key.shape(), &value = in.value.shape();
    if (query.rank() != 3 || key.rank() != 3 || value.rank() != 3 || key[2] != query[2] ||
        key[1] != value[1]) {
      Refuse("a query [n, t, d], values [n, s, v] and keys [n, s, d] are needed, not keys " +
                 key.ToString() + " and values " + value.ToString() + " for the query",
             query);
    }
    Tensor scores = Scores(in.query, in.key);
    const Tensor seen = nn::JoinMasks(in.mask, options_.use_causal_mask, query[1], key[1], 3);
    if (seen.defined())
      scores = scores + nn::Hidden(scores.dtype()) * (1.0 - Cast(seen, scores.dtype()));
    Tensor weights = Softmax(scores, -1);
    if (training && options_.dropout > 0)
      weights = nn::DropAndCount(weights, counter_, options_.dropout);
    return MatMul(weights, in.value);
  }

  virtual void AddScale(const Shape& query) = 0;
  virtual Tensor Scores(const Tensor& query, const Tensor& key) const = 0;

  AttentionLayerOptions options_;
  bool use_scale_;
  Variable scale_, counter_;
};

class DotAttentionLayer : public ScoredAttentionLayer {
 public:
  explicit DotAttentionLayer(const AttentionLayerOptions& options)
      : ScoredAttentionLayer("attention", options, false) {}

 protected:
  void AddScale(const Shape&) override {
    if (use_scale_) scale_ = AddWeight("scale", {}, {.initializer = initializers::Ones()});
    if (options_.concat_scores)
      concat_weight_ = AddWeight("concat_score_weight", {}, {.initializer = initializers::Ones()});
  }
  Tensor Scores(const Tensor& query, const Tensor& key) const override {
    if (options_.concat_scores) {
      const Tensor sum = ExpandDims(query, 2) + ExpandDims(key, 1);
      return concat_weight_.value() * ReduceSum(Tanh(use_scale_ ? scale_.value() * sum : sum), -1);
    }
    const Tensor scores = MatMul(query, key, false, true);
    return use_scale_ ? scores * scale_.value() : scores;
  }

 private:
  Variable concat_weight_;
};

class AdditiveAttentionLayer : public ScoredAttentionLayer {
 public:
  explicit AdditiveAttentionLayer(const AttentionLayerOptions& options)
      : ScoredAttentionLayer("additive_attention", options, true) {}

 protected:
  void AddScale(const Shape& query) override {
    if (use_scale_) scale_ = AddWeight("scale", Shape{query[2]});
  }
  Tensor Scores(const Tensor& query, const Tensor& key) const override {
    const Tensor sum = Tanh(ExpandDims(query, 2) + ExpandDims(key, 1));
    return ReduceSum(use_scale_ ? scale_.value() * sum : sum, -1);
  }
};

}  // namespace

LayerPtr Attention(const AttentionLayerOptions& options) {
  return std::make_shared<DotAttentionLayer>(options);
}
LayerPtr AdditiveAttention(const AttentionLayerOptions& options) {
  return std::make_shared<AdditiveAttentionLayer>(options);
}

}  // namespace lockstep
