#include "lockstep/nn/tracking.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder_test.h"
#include "base/record_format.h"
#include "base/wire.h"
#include "lockstep/checkpoint/convert.h"
#include "lockstep/checkpoint/tensor_bundle.h"
#include "lockstep/nn/functional.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/nn/tensor_board.h"

namespace lockstep {
namespace {

Tensor Inputs() { return Constant<float>(std::vector<float>(32, 0.25f), {8, 4}); }
Tensor Labels() { return Constant<float>(std::vector<float>(16, 0.5f), {8, 2}); }

void Train(Model& model, const OptimizerPtr& optimizer, int epochs,
           const std::vector<CallbackPtr>& callbacks = {}) {
  CompileOptions options;
  options.optimizer = optimizer;
  options.loss = losses::MeanSquaredError();
  model.Compile(options);
  FitOptions fit;
  fit.epochs = epochs;
  fit.batch_size = 4;
  fit.verbose = Verbosity::kSilent;
  fit.callbacks = callbacks;
  fit.validation_data = {Inputs(), Labels()};
  model.Fit(Inputs(), Labels(), fit);
}

std::unique_ptr<Sequential> Small() {
  return std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Dense(3, relu), BatchNormalization(), Dropout(0.5), Dense(2)});
}

std::vector<std::string> NamesIn(const std::string& prefix) {
  std::vector<std::string> names;
  const auto bundle = TensorBundle::Open(prefix);
  for (const auto& entry : bundle.OrThrow().entries()) {
    const size_t end = entry.name.find("/.ATTRIBUTES");
    if (end != std::string::npos) names.push_back(entry.name.substr(0, end));
  }
  return names;
}

TEST(Tracking, NamesAreKeras) {
  const base::TestFolder folder;
  const auto model = Small();
  Train(*model, optimizers::Adam(), 1);
  Checkpoint checkpoint({{"model", TrackModel(*model)}, {"optimizer", TrackOptimizer(*model)}});
  ASSERT_TRUE(checkpoint.Write(folder.Path("ck")).ok());
  // As Keras 3.15 on TensorFlow 2.21 has written them for the same model, but that a weight is
  // found in the model first, or in the optimizer, in either order.
  EXPECT_EQ(NamesIn(folder.Path("ck")),
            (std::vector<std::string>{"model/_functional/_operations/2/moving_mean",
                                      "model/_functional/_operations/2/moving_variance",
                                      "optimizer/_iterations",
                                      "optimizer/_learning_rate",
                                      "optimizer/_trainable_variables/0",
                                      "optimizer/_trainable_variables/1",
                                      "optimizer/_trainable_variables/2",
                                      "optimizer/_trainable_variables/3",
                                      "optimizer/_trainable_variables/4",
                                      "optimizer/_trainable_variables/5",
                                      "optimizer/_variables/10",
                                      "optimizer/_variables/11",
                                      "optimizer/_variables/12",
                                      "optimizer/_variables/13",
                                      "optimizer/_variables/2",
                                      "optimizer/_variables/3",
                                      "optimizer/_variables/4",
                                      "optimizer/_variables/5",
                                      "optimizer/_variables/6",
                                      "optimizer/_variables/7",
                                      "optimizer/_variables/8",
                                      "optimizer/_variables/9"}));
}

// Names of an optimizer's variables in the order in which a checkpoint numbers them.
std::vector<std::string> OrderOf(const OptimizerPtr& optimizer) {
  Sequential model{Dense(2)};
  Train(model, optimizer, 1);
  std::vector<std::string> names;
  for (const TrackedPart& part : TrackOptimizer(model).parts()) {
    if (part.name != "_variables") continue;
    for (const TrackedPart& variable : part.object.parts()) {
      const std::string& name = variable.object.variable().name();
      names.push_back(name.substr(name.rfind('/') + 1));
    }
  }
  return names;
}

TEST(Tracking, SlotsAreInKerasOrder) {
  using Names = std::vector<std::string>;
  optimizers::RmspropOptions rmsprop;
  rmsprop.momentum = 0.5;
  rmsprop.centered = true;
  EXPECT_EQ(OrderOf(optimizers::Rmsprop(rmsprop)),
            (Names{"iterations", "learning_rate", "dense_kernel_velocity", "dense_bias_velocity",
                   "dense_kernel_momentum", "dense_bias_momentum", "dense_kernel_average_gradient",
                   "dense_bias_average_gradient"}));
  optimizers::AdamOptions adam;
  adam.amsgrad = true;
  UpdateOptions update;
  update.use_ema = true;
  EXPECT_EQ(OrderOf(optimizers::Adam(adam, update)),
            (Names{"iterations", "learning_rate", "dense_kernel_average", "dense_bias_average",
                   "dense_kernel_momentum", "dense_kernel_velocity", "dense_bias_momentum",
                   "dense_bias_velocity", "dense_kernel_velocity_hat", "dense_bias_velocity_hat"}));
  // Three of each weight.
  EXPECT_EQ(
      OrderOf(optimizers::Adafactor()),
      (Names{"iterations", "learning_rate", "dense_kernel_row_means", "dense_kernel_column_means",
             "beside", "beside", "beside", "dense_bias_velocity"}));
}

TEST(Tracking, MatricesOfAdafactorAreThoseThatItsMeansMake) {
  const base::TestFolder folder;
  const auto model = Small();
  Train(*model, optimizers::Adafactor(), 2);
  Checkpoint checkpoint({{"optimizer", TrackOptimizer(*model)}});
  ASSERT_TRUE(checkpoint.Write(folder.Path("ck")).ok());
  const auto bundle = TensorBundle::Open(folder.Path("ck"));
  const auto read = [&](int number) {
    return bundle.OrThrow()
        .Read("optimizer/_variables/" + std::to_string(number) + "/.ATTRIBUTES/VARIABLE_VALUE")
        .OrThrow()
        .ToVector<float>();
  };
  const auto rows = read(2), columns = read(3), matrix = read(4);
  ASSERT_EQ(matrix.size(), rows.size() * columns.size());
  double mean = 0;
  for (const float row : rows) mean += row / static_cast<double>(rows.size());
  for (size_t i = 0; i < matrix.size(); ++i) {
    const double wanted = rows[i / columns.size()] / mean * columns[i % columns.size()];
    EXPECT_NEAR(matrix[i], wanted, 1e-6 * wanted);
  }
  EXPECT_TRUE(checkpoint.Restore(folder.Path("ck")).OrThrow().missing.empty());
}

TEST(Tracking, TrainingGoesOnFromACheckpoint) {
  const base::TestFolder folder;
  UpdateOptions update;
  update.use_ema = true;
  update.gradient_accumulation_steps = 2;
  const auto make = [&] { return optimizers::Nadam({}, update); };
  const auto model = Small();
  Train(*model, make(), 2);
  Checkpoint saved({{"model", TrackModel(*model)}, {"optimizer", TrackOptimizer(*model)}});
  ASSERT_TRUE(saved.Write(folder.Path("ck")).ok());
  const auto other = Small();
  Train(*other, make(), 1);
  EXPECT_NE(other->WeightsDigest(), model->WeightsDigest());
  Checkpoint restored({{"model", TrackModel(*other)}, {"optimizer", TrackOptimizer(*other)}});
  restored.Restore(folder.Path("ck")).OrThrow().AssertConsumed();
  EXPECT_EQ(other->WeightsDigest(), model->WeightsDigest());
  const auto a = model->compiled().optimizer->variables();
  const auto b = other->compiled().optimizer->variables();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(a[i].value().ToString(), b[i].value().ToString()) << a[i].name();
}

TEST(Tracking, WeightsGoToOtherFilesByTheirNames) {
  const base::TestFolder folder;
  const auto model = Small();
  Train(*model, optimizers::Adam(), 1);
  for (const char* name : {"w.safetensors", "w.npz", "w.lockstep", "w"}) {
    model->SaveWeights(folder.Path(name));
    const auto other = Small();
    (*other)(Inputs());
    EXPECT_NE(other->WeightsDigest(), model->WeightsDigest());
    other->LoadWeights(folder.Path(name));
    EXPECT_EQ(other->WeightsDigest(), model->WeightsDigest()) << name;
  }
  EXPECT_EQ(FindTensorFile(folder.Path("w"))->format, FileFormat::kSave);
  EXPECT_EQ(FindTensorFile(folder.Path("w.safetensors"))->format, FileFormat::kSafetensors);
}

TEST(Tracking, LayersInsideLayersHaveKerasNames) {
  const base::TestFolder folder;
  Sequential model{Embedding(5, 4), Bidirectional(LSTM(2)), Dense(2)};
  model(Constant<int32_t>({1, 2, 3, 4}, {2, 2}));
  ASSERT_TRUE(Checkpoint({{"m", TrackModel(model)}}).Write(folder.Path("ck")).ok());
  const std::string operations = "m/_functional/_operations/";
  EXPECT_EQ(
      NamesIn(folder.Path("ck")),
      (std::vector<std::string>{
          operations + "1/_embeddings", operations + "2/backward_layer/cell/_kernel",
          operations + "2/backward_layer/cell/bias",
          operations + "2/backward_layer/cell/recurrent_kernel",
          operations + "2/forward_layer/cell/_kernel", operations + "2/forward_layer/cell/bias",
          operations + "2/forward_layer/cell/recurrent_kernel", operations + "3/_kernel",
          operations + "3/bias"}));
  const Tensor x = Input({4});
  FunctionalModel functional({x}, {Dense(2)(x)});
  ASSERT_TRUE(Checkpoint({{"m", TrackModel(functional)}}).Write(folder.Path("f")).ok());
  EXPECT_EQ(NamesIn(folder.Path("f")),
            (std::vector<std::string>{"m/_operations/1/_kernel", "m/_operations/1/bias"}));
}

// The tags of a run's event files with their steps, "tag@step".
std::vector<std::string> Events(const std::string& run) {
  std::vector<std::string> events;
  const std::vector<std::string> names = base::LocalFiles().List(run).OrThrow();
  for (const std::string& name : names) {
    const std::string file = base::ReadWholeFile(base::LocalFiles(), run + "/" + name).OrThrow();
    for (size_t place = 0; place < file.size();) {
      uint64_t length = 0;
      EXPECT_TRUE(base::ParseRecordHeader(file.substr(place, 12), length));
      const std::string event = file.substr(place + 12, length);
      place += 16 + length;
      int64_t step = 0;
      std::string summary;
      for (base::WireReader fields(event); fields.Next();) {
        if (fields.Is(2, base::WireType::kVarint)) step = fields.integer();
        if (fields.Is(5, base::WireType::kBytes)) summary = fields.bytes();
      }
      base::WireReader value(summary);
      if (!value.Next()) continue;
      base::WireReader tag(value.bytes());
      if (tag.Next()) events.push_back(std::string(tag.bytes()) + "@" + std::to_string(step));
    }
  }
  return events;
}

TEST(TensorBoard, WritesKerasTags) {
  const base::TestFolder folder;
  const auto model = Small();
  callbacks::TensorBoardOptions options;
  options.histogram_freq = 2;
  options.update_freq = 3;
  Train(*model, optimizers::Adam(), 2, {callbacks::TensorBoard(folder.Path("logs"), options)});
  EXPECT_EQ(
      Events(folder.Path("logs/train")),
      (std::vector<std::string>{
          "epoch_learning_rate@0", "epoch_loss@0", "dense/kernel/histogram@0",
          "dense/bias/histogram@0", "batch_normalization/gamma/histogram@0",
          "batch_normalization/beta/histogram@0", "batch_normalization/moving_mean/histogram@0",
          "batch_normalization/moving_variance/histogram@0", "dense_1/kernel/histogram@0",
          "dense_1/bias/histogram@0", "batch_loss@3", "epoch_learning_rate@1", "epoch_loss@1"}));
  EXPECT_EQ(Events(folder.Path("logs/validation")),
            (std::vector<std::string>{"evaluation_loss_vs_iterations@2", "epoch_loss@0",
                                      "evaluation_loss_vs_iterations@4", "epoch_loss@1"}));
}

TEST(TensorBoard, RefusesNegativeFrequencies) {
  callbacks::TensorBoardOptions options;
  options.update_freq = -1;
  try {
    callbacks::TensorBoard("logs", options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(),
              Status(Code::kInvalidArgument,
                     "[tensor_board] frequencies must not be negative; got 0 and -1; 0 is never, "
                     "or once an epoch"));
  }
}

}  // namespace
}  // namespace lockstep
