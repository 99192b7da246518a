// Small networks that are trained for some steps on one batch, by Compile and Fit. The file says
// sizes and weights; the architectures are those of its generator.

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "case.h"
#include "lockstep/nn/functional.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/optimizers.h"

namespace golden {
namespace {

using lockstep::LayerPtr;
using lockstep::Model;
using lockstep::Tensor;
using ModelPtr = std::unique_ptr<Model>;

// The names of the weights' values, "w00:sequential.dense.kernel", in order.
std::vector<std::string> WeightNames(const Case& golden) {
  std::vector<std::string> names;
  for (const auto& [name, value] : golden.inputs().items()) {
    if (name.starts_with("w")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The size of the last axis of weight `index`.
int64_t Width(const Case& golden, size_t index) {
  return golden.Input(WeightNames(golden).at(index)).shape().dim(-1);
}

lockstep::LossPtr LossOf(const Case& golden) {
  const auto name = golden.Get<std::string>("loss");
  if (name == "SparseCategoricalCrossentropy(from_logits=True)")
    return lockstep::losses::SparseCategoricalCrossentropy(true);
  return lockstep::losses::Get(name);
}

Handler Train(ModelPtr (*make)(const Case&)) {
  return [make](const Case& golden, Produced& produced) {
    const ModelPtr model = make(golden);
    const Tensor x = golden.Input("x"), y = golden.Input("y");
    (*model)(x);  // makes the weights
    const std::vector<std::string> names = WeightNames(golden);
    const auto weights = model->variables();
    if (names.size() != weights.size()) throw std::runtime_error("the weights' number differs");
    for (size_t i = 0; i < names.size(); ++i) weights[i].Assign(golden.Input(names[i]));
    auto optimizer = golden.Get<std::string>("optimizer");
    std::transform(optimizer.begin(), optimizer.end(), optimizer.begin(), ::tolower);
    if (golden.name() == "train_mlp") optimizer = "momentum";  // 0.9, which the file does not say
    model->Compile(
        {.optimizer = lockstep::optimizers::Get(optimizer, golden.Get<double>("learning_rate")),
         .loss = LossOf(golden)});
    const auto history = model->Fit(x, y,
                                    {.batch_size = x.shape()[0],
                                     .epochs = golden.Get<int>("steps"),
                                     .shuffle = false,
                                     .verbose = lockstep::Verbosity::kSilent});
    const std::vector<double>& losses = history.history.at("loss");
    produced["losses"] = lockstep::Constant(std::vector<float>(losses.begin(), losses.end()));
    for (size_t i = 0; i < names.size(); ++i)
      produced["after_" + names[i].substr(0, names[i].find(':'))] = weights[i].value();
  };
}

ModelPtr Sequence(std::vector<LayerPtr> layers) {
  return std::make_unique<lockstep::Sequential>(layers);
}

ModelPtr Mlp(const Case& c) {
  return Sequence({lockstep::Dense(Width(c, 0), lockstep::relu), lockstep::Dense(Width(c, 2))});
}

ModelPtr MlpTanh(const Case& c) {
  return Sequence(
      {lockstep::Dense(Width(c, 0), lockstep::activations::tanh), lockstep::Dense(Width(c, 2))});
}

ModelPtr Cnn(const Case& c) {
  const lockstep::Shape kernel = c.Input(WeightNames(c).at(0)).shape();
  return Sequence({lockstep::Conv2D(kernel[3], {kernel[0], kernel[1]},
                                    {.padding = "same", .activation = lockstep::relu}),
                   lockstep::BatchNormalization(), lockstep::MaxPooling2D(), lockstep::Flatten(),
                   lockstep::Dense(Width(c, 6))});
}

ModelPtr Transformer(const Case& c) {
  const lockstep::Shape embeddings = c.Input(WeightNames(c).at(0)).shape();
  const lockstep::Shape query = c.Input(WeightNames(c).at(1)).shape();
  const Tensor x = lockstep::Input({c.Input("x").shape()[1]}, lockstep::DType::kInt32);
  Tensor h = lockstep::Embedding(embeddings[0], embeddings[1])(x);
  const Tensor a = lockstep::MultiHeadAttention(
      query[1], query[2], {.use_causal_mask = true})(std::vector<Tensor>{h, h});
  h = lockstep::LayerNormalization()(lockstep::Add()({h, a}));
  const Tensor f = lockstep::Dense(Width(c, 13))(lockstep::Dense(Width(c, 11), lockstep::gelu)(h));
  h = lockstep::LayerNormalization()(lockstep::Add()({h, f}));
  const Tensor y = lockstep::Dense(Width(c, 17))(h);
  return std::make_unique<lockstep::FunctionalModel>(std::vector<Tensor>{x},
                                                     std::vector<Tensor>{y});
}

ModelPtr Lstm(const Case& c) {
  const lockstep::Shape embeddings = c.Input(WeightNames(c).at(0)).shape();
  const lockstep::Shape recurrent = c.Input(WeightNames(c).at(2)).shape();
  return Sequence({lockstep::Embedding(embeddings[0], embeddings[1]), lockstep::LSTM(recurrent[0]),
                   lockstep::Dense(Width(c, 4))});
}

const RegisterGroup kModels("models", {
                                          {"train_mlp", Train(Mlp)},
                                          {"train_mlp_adam", Train(MlpTanh)},
                                          {"train_cnn", Train(Cnn)},
                                          {"train_transformer_block", Train(Transformer)},
                                          {"train_lstm", Train(Lstm)},
                                      });

}  // namespace
}  // namespace golden
