#include "lockstep/nn/model.h"

#include <algorithm>

#include "base/hash.h"
#include "lockstep/nn/optimizers.h"
#include "nn/distinct.h"
#include "nn/step_input.h"
#include "nn/training.h"

namespace lockstep {

namespace {

// Bytes in the order of names, so that the order of creation does not count.
void AddTo(base::Digest& digest, std::vector<Variable> variables) {
  std::sort(variables.begin(), variables.end(),
            [](const Variable& a, const Variable& b) { return a.name() < b.name(); });
  for (const Variable& variable : variables) {
    const Tensor value = variable.value();
    digest.Add(variable.name());
    digest.Add(DTypeName(value.dtype()));
    digest.Add(value.shape().ToString());
    digest.Add(value.raw_data(), value.num_bytes());
  }
}

}  // namespace

Model::Model(std::string name)
    : name_(std::move(name)), strategy_(&GetStrategy()), strategy_lives_(strategy_->lifetime()) {}
Model::~Model() = default;

Strategy& Model::strategy() const {
  if (!strategy_lives_.expired()) return *strategy_;
  throw Error(Code::kFailedPrecondition,
              "[" + name_ +
                  "] the strategy in whose scope the model was made has ended; keep it as long as "
                  "the model");
}

Tensor Model::operator()(const Tensor& inputs, bool training) { return Call(inputs, training); }

LayerPtr Model::Track(LayerPtr layer) {
  if (layer == nullptr) {
    throw Error(Code::kInvalidArgument,
                "[" + name_ + "] a model is made of layers; got a null pointer as layer " +
                    std::to_string(layers_.size()));
  }
  if (layer->name().empty()) {
    const auto same = std::count_if(layers_.begin(), layers_.end(), [&](const LayerPtr& other) {
      return other->type() == layer->type();
    });
    layer->set_name(same == 0 ? layer->type() : layer->type() + "_" + std::to_string(same));
  }
  for (const LayerPtr& other : layers_) {
    if (other->name() == layer->name() && other != layer) {
      throw Error(Code::kInvalidArgument,
                  "[model] names of layers must differ; got twice " + layer->name());
    }
  }
  layers_.push_back(layer);
  return layer;
}

std::vector<Weight> Model::weights() const {
  nn::Distinct<Weight> all;
  for (const LayerPtr& layer : layers_) all.Add(layer->weights());
  return all.Take();
}

std::vector<Variable> Model::variables() const {
  std::vector<Variable> all;
  for (const Weight& weight : weights()) all.push_back(weight.variable);
  return all;
}

std::vector<Weight> Model::trainable_weights() const {
  nn::Distinct<Weight> all;
  for (const LayerPtr& layer : layers_) all.Add(layer->trainable_weights());
  return all.Take();
}

std::vector<Variable> Model::counters() const {
  nn::Distinct<Variable> all;
  for (const LayerPtr& layer : layers_) all.Add(layer->counters());
  return all.Take();
}

std::vector<Variable> Model::trainable_variables() const {
  std::vector<Variable> all;
  for (const Weight& weight : trainable_weights()) all.push_back(weight.variable);
  return all;
}

int64_t Model::CountParameters() const {
  int64_t count = 0;
  for (const Variable& variable : variables()) count += variable.shape().num_elements();
  return count;
}

void Model::Compile(CompileOptions options) {
  if (training_ != nullptr && training_->is_fitting()) {
    throw Error(Code::kFailedPrecondition,
                "[compile] the model is in Fit; compile it before or afterwards, not from a "
                "callback or another thread");
  }
  if (options.optimizer == nullptr || options.loss == nullptr) {
    throw Error(Code::kInvalidArgument,
                "[compile] training needs an optimizer and a loss; got " +
                    std::string(options.optimizer == nullptr ? "no optimizer" : "no loss"));
  }
  const bool scales = options.optimizer->name() == "loss_scale_optimizer" ||
                      options.optimizer->options().loss_scale_factor > 0;
  const bool narrow = std::any_of(layers_.begin(), layers_.end(), [](const LayerPtr& layer) {
    return layer->dtype_policy() == DTypePolicy::Named("mixed_float16");
  });
  // Small gradients would be zero in float16.
  if (options.auto_scale_loss && narrow && !scales)
    options.optimizer = optimizers::LossScaleOptimizer(options.optimizer);
  predicting_.reset();
  training_ = std::make_unique<Training>(*this, std::move(options));
}

Model::Training& Model::training() {
  if (training_ == nullptr) {
    throw Error(Code::kFailedPrecondition,
                "[fit] the model must be compiled first; call Compile({.optimizer = "
                "..., .loss = ...})");
  }
  return *training_;
}

const CompileOptions& Model::compiled() const {
  return const_cast<Model*>(this)->training().options;
}

History Model::Fit(const Tensor& x, const Tensor& y, const FitOptions& options) {
  return training().FitArrays(x, y, options);
}

History Model::Fit(const Dataset& batches, const FitOptions& options) {
  return training().FitDataset(batches, options);
}

Logs Model::Evaluate(const Tensor& x, const Tensor& y, int64_t batch_size) {
  return training().Evaluate(nn::BatchesOf({x, y}, batch_size, false), 0);
}

Logs Model::Evaluate(const Dataset& batches, int64_t steps) {
  return training().Evaluate(batches, steps);
}

Tensor Model::Predict(const Tensor& x, int64_t batch_size) {
  return Predict(nn::BatchesOf({x}, batch_size, false));
}

Tensor Model::Predict(const Dataset& batches, int64_t steps) {
  if (training_ != nullptr) return training_->Predict(batches, steps);
  if (predicting_ == nullptr) predicting_ = std::make_unique<Training>(*this, CompileOptions{});
  return predicting_->Predict(batches, steps);
}

std::string Model::WeightsDigest() const {
  base::Digest digest;
  AddTo(digest, variables());
  return digest.Hex();
}

std::string Model::StateDigest() const {
  if (training_ != nullptr) training_->GatherState();
  std::vector<Variable> all = variables();
  for (const Variable& counter : counters()) all.push_back(counter);
  if (training_ != nullptr) {
    for (const Variable& variable : training_->options.optimizer->variables())
      all.push_back(variable);
  }
  base::Digest digest;
  AddTo(digest, std::move(all));
  digest.Add(static_cast<uint64_t>(position().epoch));
  digest.Add(static_cast<uint64_t>(position().step));
  return digest.Hex();
}

TrainingPosition Model::position() const {
  return training_ == nullptr ? TrainingPosition{} : training_->position;
}

const std::vector<std::string>& Model::advice() const {
  return const_cast<Model*>(this)->training().advice;
}

Sequential::Sequential(std::initializer_list<LayerPtr> layers)
    : Sequential(std::vector<LayerPtr>(layers)) {}

Sequential::Sequential(const std::vector<LayerPtr>& layers) : Model("sequential") {
  for (const LayerPtr& layer : layers) Track(layer);
}

Tensor Sequential::Call(const Tensor& inputs, bool training) {
  Tensor value = inputs;
  for (const LayerPtr& layer : layers()) value = (*layer)(value, training);
  return value;
}

}  // namespace lockstep
