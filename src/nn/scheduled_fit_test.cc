// A chief alone calls Fit; workers and servers of variables only serve.

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error_of_test.h"
#include "distribute/servers/served_cluster_test.h"
#include "gtest/gtest.h"
#include "lockstep/data/dataset.h"
#include "lockstep/distribute/coordinator.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/trained_test.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using Mode = ParameterServerMode;

std::unique_ptr<Sequential> MakeModel() {
  SetRandomSeed(3);
  auto model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Dense(40, {.activation = relu}), BatchNormalization(), Dropout(0.1), Dense(4)});
  model->Compile({.optimizer = optimizers::Get("adam"),
                  .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                  .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  return model;
}

FitOptions Options() {
  return {.batch_size = 16,
          .epochs = 3,
          .validation_data = {Features(), Labels()},
          .verbose = Verbosity::kSilent,
          .shards = 4};
}

class ScheduledFit : public ServedCluster {
 protected:
  ClusterCoordinator Chief(const Mode& mode) {
    CoordinatorOptions options;
    options.mode = mode;
    return ClusterCoordinator(cluster, options);
  }

  static std::unique_ptr<Sequential> ModelOf(const ClusterCoordinator& chief) {
    const auto scope = chief.scope();
    return MakeModel();
  }
};

TEST_F(ScheduledFit, InOrderHasTheBitsOfOneProcess) {
  const auto alone = MakeModel();
  const Trained expected = EndOf(*alone, alone->Fit(Features(), Labels(), Options()));
  {
    const ClusterCoordinator chief = Chief(Mode::Synchronous());
    const auto model = ModelOf(chief);
    const History history = model->Fit(Features(), Labels(), Options());
    EXPECT_EQ(history.steps, 12);
    ExpectIs(expected, EndOf(*model, history), "synchronous");
  }
  const ClusterCoordinator chief = Chief(Mode::BoundedStaleness(0));
  const auto model = ModelOf(chief);
  History history = model->Fit(Features(), Labels(), Options());
  EXPECT_EQ(history.history.at("largest_staleness"), std::vector<double>(3, 0));
  for (const char* own : {"staleness", "largest_staleness"}) history.history.erase(own);
  ExpectIs(expected, EndOf(*model, history), "bounded by 0");
  EXPECT_THAT(model->variables()[0].ToString(), HasSubstr("/job:ps/replica:0/task:"));
}

// A model whose steps workers can share, as no example needs a sum over all.
std::unique_ptr<Sequential> MakeDivided(const CompileOptions& options) {
  SetRandomSeed(7);
  auto model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Dense(40, {.activation = relu}), Dropout(0.2), LayerNormalization(), Dense(4)});
  model->Compile(options);
  return model;
}

// Each way of a step, by one worker and by all, is tried several times in as many steps.
TEST_F(ScheduledFit, StepsOfAllWorkersHaveTheBitsOfOneProcess) {
  for (const char* name : {"sgd", "adam", "lamb", "muon"}) {
    const auto options = [&] {
      return CompileOptions{.optimizer = optimizers::Get(name, {}, {.global_clipnorm = 0.5}),
                            .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                            .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}};
    };
    FitOptions fit = Options();
    fit.epochs = 5;
    fit.sample_weight = Square(ReduceSum(Features(), {1}));
    const auto alone = MakeDivided(options());
    const Trained expected = EndOf(*alone, alone->Fit(Features(), Labels(), fit));
    const ClusterCoordinator chief = Chief(Mode::Synchronous());
    std::unique_ptr<Sequential> model;
    {
      const auto scope = chief.scope();
      model = MakeDivided(options());
    }
    testing::internal::CaptureStderr();
    const History history = model->Fit(Features(), Labels(), fit);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("2 workers compute 'train_step' together"));
    ExpectIs(expected, EndOf(*model, history), name);
  }
}

TEST_F(ScheduledFit, AWorkerDiesInStepsOfAll) {
  const auto options = [] {
    return CompileOptions{.optimizer = optimizers::Get("adam"),
                          .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)};
  };
  FitOptions fit = Options();
  fit.epochs = 8;
  const auto alone = MakeDivided(options());
  const Trained expected = EndOf(*alone, alone->Fit(Features(), Labels(), fit));
  struct Kill : Callback {
    explicit Kill(std::unique_ptr<Server>& server) : victim(server) {}
    void OnTrainBatchEnd(int64_t, const LogsSource&) override {
      if (++steps == 6) victim.reset();
    }
    std::unique_ptr<Server>& victim;
    int steps = 0;
  };
  const ClusterCoordinator chief = Chief(Mode::Synchronous());
  std::unique_ptr<Sequential> model;
  {
    const auto scope = chief.scope();
    model = MakeDivided(options());
  }
  fit.callbacks = {std::make_shared<Kill>(workers[0])};
  ExpectIs(expected, EndOf(*model, model->Fit(Features(), Labels(), fit)), "one worker dies");
}

// Ids of a table and their sums, whose layers a partitioner cuts.
std::unique_ptr<Sequential> MakeTable() {
  SetRandomSeed(5);
  auto model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Embedding(13, 6), Flatten(), Dense(8, {.activation = relu}), Dense(4)});
  model->Compile({.optimizer = optimizers::Get("adam"),
                  .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  return model;
}

Tensor Ids() {
  std::vector<int32_t> ids(kExamples * 3);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * i % 13);
  return Tensor::FromVector(ids, Shape{kExamples, 3});
}

TEST_F(ScheduledFit, ShardsHaveTheBitsOfWholeVariables) {
  FitOptions fit = Options();
  fit.validation_data = {};
  const auto alone = MakeTable();
  const History expected = alone->Fit(Ids(), Labels(), fit);
  CoordinatorOptions options;
  options.mode = Mode::Synchronous();
  options.partitioner = partitioners::FixedShards(3);
  const ClusterCoordinator chief(cluster, options);
  std::unique_ptr<Sequential> model;
  {
    const auto scope = chief.scope();
    model = MakeTable();
  }
  EXPECT_EQ(model->Fit(Ids(), Labels(), fit).history, expected.history);
  const Tensor own = model->Predict(Ids()), other = alone->Predict(Ids());
  EXPECT_EQ(own.ToVector<float>(), other.ToVector<float>());
  const std::vector<Variable> shards = model->variables();
  ASSERT_EQ(shards.size(), 3 * 5);
  EXPECT_EQ(shards[0].name(), "embedding/embeddings/part_0");
  EXPECT_EQ(shards[0].shape(), Shape({5, 6}));
  EXPECT_EQ(shards[2].shape(), Shape({4, 6}));
  EXPECT_THAT(shards[0].ToString(), HasSubstr("/job:ps/replica:0/task:0"));
  EXPECT_THAT(shards[1].ToString(), HasSubstr("/job:ps/replica:0/task:1"));
  // A slot is beside its shard.
  int slots = 0;
  for (const Variable& shard : shards) {
    std::string name = shard.name();
    std::replace(name.begin(), name.end(), '/', '_');
    const std::string on = shard.ToString().substr(shard.ToString().find("/job:ps"), 30);
    for (const Variable& slot : model->compiled().optimizer->variables()) {
      if (slot.name().find("/" + name + "_") == std::string::npos) continue;
      EXPECT_THAT(slot.ToString(), HasSubstr(on)) << slot.name();
      ++slots;
    }
  }
  EXPECT_EQ(slots, 2 * 15);
  const Tensor far = Tensor::FromVector(std::vector<int32_t>{0, 13, 1}, Shape{1, 3});
  EXPECT_THROW(model->Predict(far), Error);
}

TEST_F(ScheduledFit, AsynchronousTrainsOnEachExampleOnceAnEpoch) {
  const ClusterCoordinator chief = Chief(Mode::Asynchronous());
  const auto model = ModelOf(chief);
  FitOptions fit = Options();
  fit.epochs = 30;
  const History history = model->Fit(Features(), Labels(), fit);
  EXPECT_EQ(history.steps, 120);
  EXPECT_EQ(model->compiled().optimizer->iterations().value().scalar<int64_t>(), 120);
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
  EXPECT_GE(history.history.at("largest_staleness").front(), 0);
  EXPECT_EQ(model->Evaluate(Features(), Labels(), 20), model->Evaluate(Features(), Labels(), 20));
}

TEST_F(ScheduledFit, StalenessStaysWithinItsBound) {
  for (int bound : {1, 2, 3}) {
    const ClusterCoordinator chief = Chief(Mode::BoundedStaleness(bound));
    std::unique_ptr<Sequential> model;
    {
      const auto scope = chief.scope();
      model = MakeTable();  // whose steps overwrite nothing that they read, unlike the other's
    }
    FitOptions fit = Options();
    fit.epochs = 10;
    fit.validation_data = {};
    const History history = model->Fit(Ids(), Labels(), fit);
    EXPECT_EQ(history.steps, 40);
    for (double largest : history.history.at("largest_staleness")) EXPECT_LE(largest, bound);
  }
}

TEST_F(ScheduledFit, ReadsStreams) {
  const Dataset stream = Dataset::FromGenerator([]() -> Dataset::Generator {
    return [i = int64_t{0}]() mutable -> std::optional<Element> {
      if (i == 70) return std::nullopt;
      const auto x = static_cast<float>(i++ % 7);
      return Element{Tensor({x, 1 - x}), Scalar<int32_t>(static_cast<int32_t>(x) % 4)};
    };
  });
  const ClusterCoordinator chief = Chief(Mode::Asynchronous());
  const auto model = ModelOf(chief);
  FitOptions fit{.epochs = 2, .verbose = Verbosity::kSilent};
  EXPECT_EQ(model->Fit(stream.Batch(16), fit).steps, 10);
  fit.steps_per_epoch = 3;
  EXPECT_EQ(model->Fit(stream.Batch(10).Repeat(), fit).steps, 6);
  EXPECT_EQ(model->Predict(stream.Batch(16)).shape(), Shape({70, 4}));
}

TEST_F(ScheduledFit, CallbacksAndLimits) {
  const ClusterCoordinator chief = Chief(Mode::Asynchronous());
  const auto model = ModelOf(chief);
  FitOptions fit = Options();
  fit.max_steps = 7;
  EXPECT_EQ(model->Fit(Features(), Labels(), fit).steps, 7);
  struct Save : Callback {
    void OnTrainBatchEnd(int64_t, const LogsSource& logs) override {
      if (++ended == 1) error = ErrorOf([&] { model->StateDigest(); }).status();
      loss = logs().at("loss");
      model->stop_training = true;
    }
    int ended = 0;
    double loss = 0;
    Status error;
  };
  const auto save = std::make_shared<Save>();
  fit = Options();
  fit.callbacks = {save};
  const History history = model->Fit(Features(), Labels(), fit);
  EXPECT_LT(history.steps, 12);
  EXPECT_EQ(history.steps, save->ended);
  EXPECT_GT(save->loss, 0);
  EXPECT_EQ(save->error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(save->error.message(), HasSubstr("under way; call it in OnEpochEnd"));
}

TEST_F(ScheduledFit, ErrorsOfWorkersAndMistakes) {
  const ClusterCoordinator chief = Chief(Mode::Asynchronous());
  const auto model = ModelOf(chief);
  const Tensor wrong = Tensor::FromVector(std::vector<int32_t>(50, 9), Shape{50});
  FitOptions fit = Options();
  fit.check_data = false;
  EXPECT_THROW(model->Fit(Features(), wrong, fit), Error);
  EXPECT_EQ(model->Fit(Features(), Labels(), Options()).steps, 12);  // it goes on

  OptimizerPtr outside = optimizers::Get("adam");
  std::unique_ptr<Sequential> other;
  {
    const auto scope = chief.scope();
    other = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{Dense(4)});
    other->Compile({.optimizer = outside,
                    .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  }
  Status error = ErrorOf([&] { other->Fit(Features(), Labels(), Options()); }).status();
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("its optimizer and its metrics in the scope"));
  {
    const auto scope = chief.scope();
    other = MakeModel();
    (*other)(Features());
  }
  other->Compile(
      {.optimizer = outside, .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  error = ErrorOf([&] { other->Fit(Features(), Labels(), Options()); }).status();
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(error.message(), HasSubstr("open coordinator.scope() around Compile"));
}

}  // namespace
}  // namespace lockstep
