#include "lockstep/distribute/sharded_variable.h"
#include "lockstep/nn/layers/core.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "nn/layers/window_options.h"
#include "runtime/autocast.h"

namespace lockstep {

namespace {

class EmbeddingLayer : public Layer {
 public:
  EmbeddingLayer(int64_t input_dim, int64_t output_dim, const EmbeddingOptions& options)
      : Layer("embedding"), rows_(input_dim), width_(output_dim), options_(options) {
    nn::RequirePositive(input_dim, "input_dim", "embedding");
    nn::RequirePositive(output_dim, "output_dim", "embedding");
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>&) override {
    embeddings_ = AddWeight(
        "embeddings", Shape{rows_, width_},
        {.initializer = options_.embeddings_initializer != nullptr ? options_.embeddings_initializer
                                                                   : initializers::RandomUniform(),
         .autocast = false,  // a few rows are cast, not the table
         .regularizer = options_.embeddings_regularizer,
         .constraint = options_.embeddings_constraint});
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const DType dtype = inputs[0].dtype();
    const bool is_index = dtype == DType::kInt32 || dtype == DType::kInt64;
    const Tensor ids = is_index ? inputs[0] : Cast(inputs[0], DType::kInt32);
    const ShardedVariable* shards = ShardedVariable::Of(embeddings_);
    const Tensor rows = shards != nullptr ? shards->LookupEach(ids) : Gather(embeddings_, ids);
    return runtime::CastFloating(rows, dtype_policy().compute);
  }

 private:
  int64_t rows_, width_;
  EmbeddingOptions options_;
  Variable embeddings_;
};

}  // namespace

LayerPtr Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions& options) {
  return std::make_shared<EmbeddingLayer>(input_dim, output_dim, options);
}

}  // namespace lockstep
