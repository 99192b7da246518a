#include <cmath>

#include "lockstep/nn/layers/attention.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/attention.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/structure.h"
#include "nn/layers/attention_mask.h"
#include "nn/layers/dropout.h"
#include "nn/layers/leading_axes.h"
#include "nn/layers/window_options.h"
#include "runtime/autocast.h"

namespace lockstep {

namespace {

thread_local bool causal_in_scope = false;

// What Keras puts in place of a score that is hidden.
double HiddenScore(DType dtype) {
  return dtype == DType::kFloat16 ? nn::Hidden(dtype) : -0.7 * 3.4028234663852886e38;
}

class MultiHeadAttentionLayer : public Layer {
 public:
  MultiHeadAttentionLayer(int64_t num_heads, int64_t key_dim,
                          const MultiHeadAttentionOptions& options)
      : Layer("multi_head_attention"),
        heads_(num_heads),
        key_dim_(key_dim),
        value_dim_(options.value_dim.value_or(key_dim)),
        options_(options) {
    nn::RequirePositive(num_heads, "num_heads", "multi_head_attention");
    nn::RequirePositive(key_dim, "key_dim", "multi_head_attention");
    nn::RequirePositive(value_dim_, "value_dim", "multi_head_attention");
    nn::RequireRate(options.dropout, "multi_head_attention");
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  // One map of [n, t, from...] to [n, t, to...].
  struct Projection {
    Variable kernel, bias;
    int64_t from, to;
    std::vector<int64_t> sizes;  // of the last axes of the result, whose product is `to`
  };

  void Build(const std::vector<Shape>& shapes) override {
    const Shape& query = shapes[0];
    const Shape& value = shapes.size() > 1 && shapes[1].rank() == 3 ? shapes[1] : query;
    const Shape& key = shapes.size() > 2 && shapes[2].rank() == 3 ? shapes[2] : value;
    for (const Shape* shape : {&query, &value, &key}) {
      if (shape->rank() != 3) Refuse("query, value and key must be [n, steps, features]", *shape);
    }
    query_ = AddProjection("query", query[2], Shape{query[2], heads_, key_dim_},
                           Shape{heads_, key_dim_});
    key_ = AddProjection("key", key[2], Shape{key[2], heads_, key_dim_}, Shape{heads_, key_dim_});
    value_ = AddProjection("value", value[2], Shape{value[2], heads_, value_dim_},
                           Shape{heads_, value_dim_});
    std::vector<int64_t> out = options_.output_shape;
    if (out.empty()) out = {options_.output_dim.value_or(query[2])};
    for (const int64_t size : out)
      nn::RequirePositive(size, "output_shape", "multi_head_attention");
    std::vector<int64_t> kernel = {heads_, value_dim_};
    kernel.insert(kernel.end(), out.begin(), out.end());
    output_ = AddProjection("attention_output", heads_ * value_dim_, Shape(kernel), Shape(out));
    output_.sizes = out;
    if (options_.dropout > 0) counter_ = AddCounter("seed_generator_state", options_.seed);
  }

  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const nn::AttentionInputs in = nn::SplitAttentionInputs(inputs);
    RequireFit(in);
    const Tensor query = Heads(Project(query_, in.query));
    const Tensor key = Heads(Project(key_, in.key));
    const Tensor value = Heads(Project(value_, in.value));
    const Tensor mixed = Attend(query, key, value, in.mask, training);
    const Tensor joined =
        nn::WithLeadingAxes(Transpose(mixed, {0, 2, 1, 3}), in.query, 2, {heads_ * value_dim_});
    return Project(output_, joined);
  }

 private:
  Projection AddProjection(const std::string& name, int64_t from, const Shape& kernel,
                           const Shape& bias) {
    Projection made;
    made.kernel = AddWeight(name + "/kernel", kernel, {.initializer = options_.kernel_initializer});
    if (options_.use_bias)
      made.bias = AddWeight(name + "/bias", bias, {.initializer = options_.bias_initializer});
    made.from = from;
    made.to = bias.num_elements();
    made.sizes = {made.to};
    return made;
  }

  void RequireFit(const nn::AttentionInputs& in) const {
    const auto require = [&](const Tensor& x, const Projection& projection, const char* what) {
      if (x.rank() == 3 && x.shape()[2] == projection.from) return;
      Refuse(std::string(what) + " must be [n, steps, " + std::to_string(projection.from) + "]",
             x.shape());
    };
    require(in.query, query_, "query");
    require(in.value, value_, "value");
    require(in.key, key_, "key");
    if (in.key.shape()[1] != in.value.shape()[1] || in.key.shape()[0] != in.query.shape()[0]) {
      Refuse("there must be as many keys as values, " + in.value.shape().ToString(),
             in.key.shape());
    }
  }

  Tensor Project(const Projection& projection, const Tensor& input) const {
    const Tensor x = runtime::WholeToFloating(input, dtype_policy().compute);
    const Tensor kernel = Reshape(projection.kernel, {projection.from, projection.to});
    Tensor y = MatMul(Reshape(x, {-1, projection.from}), kernel);
    if (options_.use_bias) y = BiasAdd(y, Reshape(projection.bias, {projection.to}));
    return nn::WithLeadingAxes(y, x, 2, projection.sizes);
  }

  // [n, t, heads * size] to [n, heads, t, size].
  Tensor Heads(const Tensor& x) const {
    return Transpose(nn::WithLeadingAxes(x, x, 2, {heads_, x.shape()[2] / heads_}), {0, 2, 1, 3});
  }

  Tensor Attend(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                bool training) const {
    const int64_t queries = query.shape()[2], keys = key.shape()[2];
    const bool drops = options_.dropout > 0 && training;
    const bool causal = options_.use_causal_mask || causal_in_scope;
    // The op aligns the last query with the last key, Keras the first ones.
    if (!mask.defined() && !drops && (!causal || queries == keys)) {
      return ScaledDotProductAttention(query, key, value, {.causal = causal});
    }
    const Tensor seen = nn::JoinMasks(mask, causal, queries, keys, 4);
    const double scale = 1 / std::sqrt(static_cast<double>(key_dim_));
    Tensor scores = MatMul(query * scale, key, false, true);
    if (seen.defined()) scores = Where(seen, scores, HiddenScore(scores.dtype()));
    Tensor weights = Softmax(scores, -1);
    if (options_.dropout > 0 && seen.defined()) weights = weights * Cast(seen, weights.dtype());
    if (drops) weights = nn::DropAndCount(weights, counter_, options_.dropout);
    return MatMul(weights, value);
  }

  int64_t heads_, key_dim_, value_dim_;
  MultiHeadAttentionOptions options_;
  Projection query_, key_, value_, output_;
  Variable counter_;
};

}  // namespace

CausalAttentionScope::CausalAttentionScope(bool causal) : outer_(causal_in_scope) {
  causal_in_scope = causal;
}
CausalAttentionScope::~CausalAttentionScope() { causal_in_scope = outer_; }

LayerPtr MultiHeadAttention(int64_t num_heads, int64_t key_dim,
                            const MultiHeadAttentionOptions& options) {
  return std::make_shared<MultiHeadAttentionLayer>(num_heads, key_dim, options);
}

}  // namespace lockstep
