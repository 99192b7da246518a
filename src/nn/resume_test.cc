#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"

namespace lockstep {
namespace {

constexpr int64_t kExamples = 50;  // with batches of 16: the fourth is uneven

Tensor Inputs() {
  std::vector<float> values(kExamples * 6);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37) % 19) / 19;
  return Tensor::FromVector(values, {kExamples, 6});
}

Tensor Labels(int64_t classes = 3) {
  std::vector<int32_t> labels(kExamples);
  for (int64_t i = 0; i < kExamples; ++i) labels[i] = static_cast<int32_t>((i * i) % classes);
  return Tensor::FromVector(labels, {kExamples});
}

std::unique_ptr<Model> MakeModel(int64_t width = 8, OptimizerPtr optimizer = optimizers::Adam()) {
  auto model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Dense(width, relu), Dropout(0.3), BatchNormalization(), Dense(3)});
  model->Compile({.optimizer = std::move(optimizer),
                  .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                  .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  return model;
}

FitOptions Options(int epochs, int64_t max_steps = 0) {
  return {
      .batch_size = 16, .epochs = epochs, .max_steps = max_steps, .verbose = Verbosity::kSilent};
}

class Resume : public testing::Test {
 protected:
  Resume() : directory_(testing::TempDir() + "lockstep_resume_" + std::to_string(getpid())) {
    std::filesystem::remove_all(directory_);
    SetRandomSeed(3);
  }
  ~Resume() override {
    std::filesystem::remove_all(directory_);
    SetRandomSeed(0);
  }

  // What Fit throws on a training that goes on from what `options` saved.
  Status Refusal(Model& model, const FitOptions& options) {
    model.ResumeTraining(directory_);
    try {
      model.Fit(Inputs(), Labels(), options);
    } catch (const Error& error) {
      return error.status();
    }
    return Status::Ok();
  }

  std::string directory_;
};

struct Outcome {
  std::string weights, state;
  History history;
};

Outcome OutcomeOf(const Model& model, const History& history) {
  return {model.WeightsDigest(), model.StateDigest(), history};
}

Outcome Uninterrupted() {
  auto model = MakeModel();
  const History history = model->Fit(Inputs(), Labels(), Options(3));
  return OutcomeOf(*model, history);
}

// An epoch has four steps: stopped in the first, at its end, and in the second.
TEST_F(Resume, EndsLikeATrainingThatNeverStopped) {
  const Outcome whole = Uninterrupted();
  for (const int64_t stop : {1, 3, 4, 6, 8, 11, 12}) {
    auto first = MakeModel();
    first->Fit(Inputs(), Labels(), Options(3, stop));
    first->SaveTraining(directory_);
    const auto scope_devices = 1 + stop % 3;
    MirroredStrategy strategy({.devices = static_cast<int>(scope_devices)});
    const auto scope = strategy.scope();
    auto second = MakeModel();
    second->ResumeTraining(directory_);
    const History history = second->Fit(Inputs(), Labels(), Options(3));
    const Outcome resumed = OutcomeOf(*second, history);
    EXPECT_EQ(resumed.weights, whole.weights) << stop;
    EXPECT_EQ(resumed.state, whole.state) << stop;
    EXPECT_EQ(resumed.history.history, whole.history.history) << stop;
    EXPECT_EQ(resumed.history.epoch, whole.history.epoch) << stop;
    EXPECT_EQ(history.steps, 12);
    EXPECT_EQ(second->position().epoch, 3);
    EXPECT_EQ(second->position().step, 0);
  }
}

// Streams of unknown length that go on from epoch to epoch, with validation at the end of each.
TEST_F(Resume, GoesOnInAStream) {
  const auto batches = [] {
    const Dataset rows = Dataset::FromTensorSlices(Inputs(), Labels());
    return Dataset::FromGenerator([rows] {
             return [rows, i = int64_t{0}]() mutable -> std::optional<Element> {
               return i < 40 ? std::optional<Element>(rows.At(i++)) : std::nullopt;
             };
           })
        .Batch(7)
        .Repeat();
  };
  FitOptions options = Options(3);
  options.steps_per_epoch = 5;
  options.validation_data = ValidationData(Inputs(), Labels());
  auto straight = MakeModel();
  const History whole = straight->Fit(batches(), options);
  EXPECT_EQ(whole.history.count("val_loss"), 1u);
  for (const int64_t stop : {2, 5, 9, 14}) {
    FitOptions until = options;
    until.max_steps = stop;
    auto first = MakeModel();
    first->Fit(batches(), until);
    first->Evaluate(Inputs(), Labels());  // leaves the sums of the epoch alone
    first->SaveTraining(directory_);
    auto second = MakeModel();
    second->ResumeTraining(directory_);
    const History history = second->Fit(batches(), options);
    EXPECT_EQ(second->StateDigest(), straight->StateDigest()) << stop;
    EXPECT_EQ(history.history, whole.history) << stop;
  }
}

TEST_F(Resume, CountsStepsInAll) {
  auto first = MakeModel();
  first->Fit(Inputs(), Labels(), Options(3, 5));
  first->SaveTraining(directory_);
  auto straight = MakeModel();
  straight->Fit(Inputs(), Labels(), Options(3, 7));
  auto second = MakeModel();
  second->ResumeTraining(directory_);
  EXPECT_EQ(second->Fit(Inputs(), Labels(), Options(3, 7)).steps, 7);
  EXPECT_EQ(second->StateDigest(), straight->StateDigest());
  EXPECT_EQ(second->position().epoch, 1);
  EXPECT_EQ(second->position().step, 3);
  // Nothing is left to do: the state is taken over all the same.
  auto third = MakeModel();
  third->ResumeTraining(directory_);
  EXPECT_EQ(third->Fit(Inputs(), Labels(), Options(3, 5)).steps, 5);
  EXPECT_EQ(third->StateDigest(), first->StateDigest());
}

TEST_F(Resume, TellsStatesApartByPosition) {
  auto model = MakeModel();
  model->Fit(Inputs(), Labels(), Options(1));
  const std::string weights = model->WeightsDigest();
  const std::string state = model->StateDigest();
  model->Fit(Inputs(), Labels(), Options(0));
  EXPECT_EQ(model->WeightsDigest(), weights);
  EXPECT_NE(model->StateDigest(), state);
}

TEST_F(Resume, RefusesAnotherModel) {
  auto first = MakeModel();
  first->Fit(Inputs(), Labels(), Options(1));
  first->SaveTraining(directory_);
  EXPECT_EQ(
      Refusal(*MakeModel(9), Options(2)),
      Status(Code::kFailedPrecondition,
             "[resume] the save must be of this model; got dense/kernel of float32[6,8] in it "
             "where the model has float32[6,9]; build the model that was saved"));
  const auto loss = losses::SparseCategoricalCrossentropy(true);
  Sequential larger({Dense(8, relu), Dropout(0.3), BatchNormalization(), Dense(3), Dense(3)});
  larger.Compile({.optimizer = optimizers::Adam(), .loss = loss});
  EXPECT_EQ(Refusal(larger, Options(2)),
            Status(Code::kFailedPrecondition,
                   "[resume] the save must be of this model; got none of dense_2/kernel of "
                   "float32[3,3] in it; build the model and the optimizer that were saved"));
  Sequential smaller({Dense(8, relu), Dropout(0.3), BatchNormalization(), Dense(3)});
  smaller.Compile({.optimizer = optimizers::Adam(), .loss = loss});
  EXPECT_EQ(Refusal(smaller, Options(2)),
            Status(Code::kFailedPrecondition,
                   "[resume] the save must be of this model; got metrics/accuracy/total of "
                   "float32[] in it, which the model does not have; build the model and the "
                   "optimizer that were saved"));
}

TEST_F(Resume, RefusesWhatWouldChangeTheBits) {
  auto first = MakeModel();
  first->Fit(Inputs(), Labels(), Options(1));
  first->SaveTraining(directory_);
  const std::string is = "[resume] the save is of a training with ";
  FitOptions other = Options(2);
  other.batch_size = 10;
  EXPECT_EQ(Refusal(*MakeModel(), other),
            Status(Code::kFailedPrecondition,
                   is + "batch_size 16; got 10; give the saved data, cut into the same batches"));
  EXPECT_EQ(Refusal(*MakeModel(8, optimizers::Sgd()), Options(2)),
            Status(Code::kFailedPrecondition,
                   is + "optimizer \"adam\"; got \"sgd\"; compile with the saved one"));
  SetRandomSeed(4);
  EXPECT_EQ(Refusal(*MakeModel(), Options(2)),
            Status(Code::kFailedPrecondition,
                   is + "seed 3; got 4; set the saved one before the model is made"));
  SetRandomSeed(3);
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const auto scope = strategy.scope();
  EXPECT_EQ(Refusal(*MakeModel(), Options(2)),
            Status(Code::kFailedPrecondition,
                   is + "replicas 1; got 2; R belongs to the program, so give as many replicas "
                        "(devices may differ)"));
}

TEST_F(Resume, NeedsASaveOfTraining) {
  auto model = MakeModel();
  EXPECT_THROW(model->ResumeTraining(directory_), Error);
  EXPECT_THROW(model->SaveWeights(directory_), Error);
  model->Fit(Inputs(), Labels(), Options(1));
  model->SaveWeights(directory_);
  EXPECT_EQ(Refusal(*model, Options(2)).message(),
            "[resume] a save of training is needed; got another kind of save; give the directory "
            "that SaveTraining or --checkpoint named");
}

TEST_F(Resume, WeightsGoFromModelToModel) {
  auto first = MakeModel();
  first->Fit(Inputs(), Labels(), Options(1));
  first->SaveWeights(directory_ + ".weights");
  first->SaveTraining(directory_);
  for (const std::string& path : {directory_ + ".weights", directory_}) {
    auto second = MakeModel();
    EXPECT_THROW(second->LoadWeights(path), Error);  // not built yet
    second->Predict(Inputs());
    second->LoadWeights(path);
    EXPECT_EQ(second->WeightsDigest(), first->WeightsDigest());
  }
  std::filesystem::remove(directory_ + ".weights");
}

}  // namespace
}  // namespace lockstep
