
#include <filesystem>

#include "base/error_of_test.h"
#include "base/folder_test.h"
#include "distribute/workers/worker_threads_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/math.h"
#include "nn/trained_test.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

std::unique_ptr<Model> Compiled(float rate) {
  auto model = std::make_unique<Sequential>(
      std::initializer_list<LayerPtr>{Dense(8, DenseOptions{.activation = relu}), Dense(4)});
  model->Compile({.optimizer = optimizers::Sgd({.learning_rate = rate}),
                  .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  return model;
}

// What each of two workers is told when it trains; `prepare` gives worker 1's differing model.
std::vector<std::string> Refusals(
    const std::function<std::unique_ptr<Model>(int rank, FitOptions* fit, Tensor* x)>& prepare) {
  std::vector<std::string> told(2);
  SetRandomSeed(3);
  distribute::RunWorkers(2, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 2});
    const auto scope = strategy.scope();
    FitOptions fit{.batch_size = 16, .verbose = Verbosity::kSilent};
    Tensor x = Features();
    const auto model = prepare(rank, &fit, &x);
    const Error error = ErrorOf([&] { model->Fit(x, Labels(), fit); });
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    told[rank] = error.what();
  });
  return told;
}

TEST(Agreement, WorkersThatBeginOtherwiseAreToldWhatDiffers) {
  const auto expect = [](const std::vector<std::string>& told, const std::string& what) {
    for (const std::string& text : told) {
      EXPECT_THAT(text, HasSubstr("all workers must begin with one program"));
      EXPECT_THAT(text, HasSubstr(what));
    }
  };
  expect(
      Refusals([](int rank, FitOptions*, Tensor*) { return Compiled(rank == 0 ? 0.5f : 0.25f); }),
      "got learning_rate 0.250000 on worker 1 and learning_rate 0.500000 on worker 0");
  expect(Refusals([](int rank, FitOptions* fit, Tensor*) {
           fit->batch_size = rank == 0 ? 16 : 8;
           return Compiled(0.5f);
         }),
         "got batch_size 8 on worker 1 and batch_size 16 on worker 0");
  expect(Refusals([](int rank, FitOptions*, Tensor* x) {
           if (rank == 1) *x = *x * 2;
           return Compiled(0.5f);
         }),
         "got data of hash ");
  expect(Refusals([](int rank, FitOptions*, Tensor* x) {
           auto model = Compiled(0.5f);
           (*model)(*x);
           const Variable first = model->variables()[0];
           if (rank == 1) first.Assign(first.value() + 1);
           return model;
         }),
         "kernel of hash ");
}

// Asks all workers to stop after some steps.
class Stops final : public Callback {
 public:
  void OnTrainBatchEnd(int64_t batch, const LogsSource&) override {
    if (batch == 2) model->strategy().ranks()->notes().Raise(distribute::kStopNote);
  }
};

TEST(Agreement, WhatWorkersReachedIsSavedWhenTheyStop) {
  const base::TestFolder place;
  const std::string folder = place.Path("saves");
  std::vector<int64_t> steps(2);
  const auto train = [&](bool stops, bool resumes) {
    std::vector<Trained> all(2);
    SetRandomSeed(3);
    distribute::RunWorkers(2, [&](std::shared_ptr<distribute::Communicator> ranks) {
      const int rank = ranks->rank();
      MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 2});
      const auto scope = strategy.scope();
      const auto model = Compiled(0.5f);
      FitOptions fit{.batch_size = 4, .epochs = 2, .verbose = Verbosity::kSilent};
      if (stops && rank == 1) fit.callbacks.push_back(std::make_shared<Stops>());
      fit.callbacks.push_back(
          callbacks::BackupAndRestore(folder, {.delete_checkpoint = false, .restore = false}));
      if (resumes) model->ResumeTraining(folder);
      const History history = model->Fit(Features(), Labels(), fit);
      steps[rank] = history.steps;
      all[rank] = EndOf(*model, history);
    });
    return all;
  };
  const std::vector<Trained> straight = train(false, false);
  const int64_t whole = steps[0];
  std::filesystem::remove_all(folder);
  train(true, false);
  EXPECT_EQ(steps[0], steps[1]);
  EXPECT_GE(steps[0], 3);
  EXPECT_LT(steps[0], whole / 2);
  EXPECT_TRUE(std::filesystem::exists(folder + "/save-" + std::to_string(steps[0]) + ".lockstep"));
  for (const Trained& resumed : train(false, true)) {
    EXPECT_EQ(resumed.weights, straight[0].weights);
    EXPECT_EQ(resumed.state, straight[0].state);
  }
}

}  // namespace
}  // namespace lockstep
