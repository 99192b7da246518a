// A decoder-only transformer over bytes: pre-norm blocks, learned positions, exact gelu. Weights
// start as PyTorch's layers start theirs.

#include <cmath>

#include "cli/models/models.h"
#include "lockstep/nn/layers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/attention.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"

namespace lockstep::cli {

namespace {

constexpr double kNormEpsilon = 1e-5;

// Kernel and bias uniform within 1 / sqrt(inputs).
LayerPtr Linear(const char* name, int64_t inputs, int64_t units,
                const Activation& activation = linear) {
  const double limit = 1 / std::sqrt(static_cast<double>(inputs));
  return Dense(units, {.activation = activation,
                       .kernel_initializer = initializers::RandomUniform(-limit, limit),
                       .bias_initializer = initializers::RandomUniform(-limit, limit),
                       .name = name});
}

LayerPtr Norm(const char* name) {
  return LayerNormalization({.epsilon = kNormEpsilon, .name = name});
}

// x + a learned vector for each place.
class PositionLayer : public Layer {
 public:
  PositionLayer() : Layer("position_embedding") {}

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    embeddings_ = AddWeight("embeddings", Shape{inputs[0][1], inputs[0][2]},
                            {.initializer = initializers::RandomNormal(0, 1)});
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    if (shape[1] != embeddings_.shape()[0])
      Refuse("there are " + std::to_string(embeddings_.shape()[0]) + " places", shape);
    return inputs[0] + embeddings_.value();
  }

 private:
  Variable embeddings_;
};

// Attention with one product for queries, keys and values.
class CausalAttentionLayer : public Layer {
 public:
  CausalAttentionLayer(int64_t width, int64_t heads)
      : Layer("causal_attention"),
        heads_(heads),
        qkv_(Track(Linear("qkv", width, 3 * width))),
        out_(Track(Linear("out", width, width))) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const Shape& shape = inputs[0].shape();
    std::vector<Tensor> parts = Split(qkv_(inputs[0], training), 3, -1);
    for (Tensor& part : parts) {
      part =
          Transpose(Reshape(part, {shape[0], shape[1], heads_, shape[2] / heads_}), {0, 2, 1, 3});
    }
    const Tensor mixed = ScaledDotProductAttention(parts[0], parts[1], parts[2], {.causal = true});
    return out_(Reshape(Transpose(mixed, {0, 2, 1, 3}), shape.vector()), training);
  }

 private:
  int64_t heads_;
  LayerPtr qkv_, out_;
};

class BlockLayer : public Layer {
 public:
  BlockLayer(int64_t width, int64_t heads)
      : Layer("block"),
        norm_1_(Track(Norm("norm_1"))),
        attention_(Track(std::make_shared<CausalAttentionLayer>(width, heads))),
        norm_2_(Track(Norm("norm_2"))),
        up_(Track(Linear("up", width, 4 * width, gelu))),
        down_(Track(Linear("down", 4 * width, width))) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor x = inputs[0] + attention_(norm_1_(inputs[0]), training);
    return x + down_(up_(norm_2_(x)));
  }

 private:
  LayerPtr norm_1_, attention_, norm_2_, up_, down_;
};

}  // namespace

std::unique_ptr<Model> MakeGpt(const GptOptions& options) {
  std::vector<LayerPtr> layers{
      Embedding(
          options.vocabulary, options.width,
          {.embeddings_initializer = initializers::RandomNormal(0, 1), .name = "token_embedding"}),
      std::make_shared<PositionLayer>()};
  for (int i = 0; i < options.blocks; ++i)
    layers.push_back(std::make_shared<BlockLayer>(options.width, options.heads));
  layers.push_back(Norm("norm"));
  layers.push_back(Linear("head", options.width, options.vocabulary));
  return std::make_unique<Sequential>(layers);
}

}  // namespace lockstep::cli
