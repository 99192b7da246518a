#include "lockstep/nn/callbacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/folder_test.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"

namespace lockstep {
namespace {

using callbacks::Mode;

class Callbacks : public testing::Test {
 protected:
  Callbacks() : model_({Dense(1)}) {
    model_.Compile(
        {.optimizer = optimizers::Sgd({.learning_rate = 0.5}), .loss = losses::MeanSquaredError()});
    model_.Predict(Tensor{{1, 2}});
  }

  double rate() const { return model_.compiled().optimizer->learning_rate().scalar<float>(); }
  void SetWeights(float value) {
    for (const Variable& variable : model_.variables())
      variable.Assign(Fill(variable.shape(), value));
  }
  static Tensor Fill(const Shape& shape, float value) {
    return Tensor::FromVector(std::vector<float>(shape.num_elements(), value), shape);
  }
  float Weight() const { return model_.variables()[0].value().data<float>()[0]; }

  // Feeds a sequence of one value an epoch, with weights that tell the epoch; the epochs it took.
  int Epochs(Callback& callback, const std::vector<double>& values,
             const std::string& name = "val_loss") {
    callback.model = &model_;
    model_.stop_training = false;
    callback.OnTrainBegin();
    int epoch = 0;
    for (; epoch < static_cast<int>(values.size()) && !model_.stop_training; ++epoch) {
      callback.OnEpochBegin(epoch);
      SetWeights(static_cast<float>(epoch));
      logs_ = {{"loss", 1.5}, {name, values[epoch]}};
      callback.OnEpochEnd(epoch, logs_);
      rates_.push_back(rate());
    }
    callback.OnTrainEnd();
    return epoch;
  }

  Sequential model_;
  const base::TestFolder folder_;
  Logs logs_;
  std::vector<double> rates_;
};

template <typename Call>
Status StatusOf(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

TEST_F(Callbacks, EarlyStoppingStopsAtTheFirstEpochThatIsNotBetter) {
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping(), {3, 2, 2, 1}), 3);
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping(), {3, 2, 1}), 3);
  EXPECT_FALSE(model_.stop_training);
  // Keras never stops in epoch 0, which has nothing to be compared with.
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping(), {1}), 1);
}

TEST_F(Callbacks, EarlyStoppingWaitsPatiently) {
  const auto stop = callbacks::EarlyStopping({.patience = 2});
  EXPECT_EQ(Epochs(*stop, {3, 4, 2, 5, 2.5, 1}), 5);
  // Used again, it begins anew.
  EXPECT_EQ(Epochs(*stop, {9, 9, 9, 9}), 3);
}

TEST_F(Callbacks, EarlyStoppingAsksForMinDelta) {
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping({.min_delta = 0.5}), {3, 2.6, 1}), 2);
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping({.min_delta = -0.5}), {3, 2.6, 1}), 2);
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping({.min_delta = 0.25}), {3, 2.5, 2}), 3);
}

TEST_F(Callbacks, EarlyStoppingKnowsWhatIsBetterByName) {
  EXPECT_EQ(
      Epochs(*callbacks::EarlyStopping({.monitor = "val_accuracy"}), {1, 2, 1}, "val_accuracy"), 3);
  EXPECT_EQ(
      Epochs(*callbacks::EarlyStopping({.monitor = "val_accuracy"}), {2, 1, 3}, "val_accuracy"), 2);
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping({.monitor = "x", .mode = Mode::kMin}), {2, 1, 3}, "x"),
            3);
  EXPECT_EQ(StatusOf([&] { Epochs(*callbacks::EarlyStopping({.monitor = "x"}), {1}, "x"); }),
            Status(Code::kInvalidArgument,
                   "[early_stopping] the name of the metric must tell whether lower or higher is "
                   "better; got x; give mode kMin or kMax"));
}

TEST_F(Callbacks, EarlyStoppingHasABaselineAndAStart) {
  // Better than before, but not than the baseline: patience runs on.
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping({.patience = 2, .baseline = 1}), {5, 4, 3, 3.5, 0}),
            4);
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping({.start_from_epoch = 3}), {1, 2, 3, 9, 8, 9}), 6);
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping({.monitor = "val_missing_loss"}), {1, 2, 3}), 3);
  EXPECT_EQ(Epochs(*callbacks::EarlyStopping(), {1, NAN, 0}), 2);
}

TEST_F(Callbacks, EarlyStoppingRestoresTheBestWeights) {
  const auto stop = callbacks::EarlyStopping({.patience = 2, .restore_best_weights = true});
  Epochs(*stop, {3, 1, 2, 2, 2});
  EXPECT_EQ(Weight(), 1);
  Epochs(*stop, {3, 2, 1});  // also where training was not stopped
  EXPECT_EQ(Weight(), 2);
  Epochs(*callbacks::EarlyStopping({.patience = 2}), {3, 1, 2, 2, 2});
  EXPECT_EQ(Weight(), 3);
}

TEST_F(Callbacks, EarlyStoppingSurvivesASave) {
  const callbacks::EarlyStoppingOptions options{.patience = 3, .restore_best_weights = true};
  const auto first = callbacks::EarlyStopping(options);
  Epochs(*first, {3, 1, 2});
  const SavedState kept{first->State()};
  const auto second = callbacks::EarlyStopping(options);
  second->model = &model_;
  second->OnTrainBegin();
  second->SetState(kept);
  for (int epoch = 3; epoch < 5; ++epoch) {
    EXPECT_FALSE(model_.stop_training);
    logs_ = {{"val_loss", 2}};
    second->OnEpochEnd(epoch, logs_);
  }
  EXPECT_TRUE(model_.stop_training);
  second->OnTrainEnd();
  EXPECT_EQ(Weight(), 1);
}

TEST_F(Callbacks, ReduceLROnPlateauReduces) {
  const auto reduce = callbacks::ReduceLROnPlateau({.factor = 0.5, .patience = 2});
  Epochs(*reduce, {1, 1, 1, 1, 1, 0.5, 0.5});
  EXPECT_EQ(rates_, (std::vector<double>{0.5, 0.5, 0.25, 0.25, 0.125, 0.125, 0.125}));
  EXPECT_EQ(logs_.at("learning_rate"), 0.125);
}

TEST_F(Callbacks, ReduceLROnPlateauCoolsDownAndHasALeast) {
  const auto reduce =
      callbacks::ReduceLROnPlateau({.factor = 0.5, .patience = 1, .cooldown = 2, .min_lr = 0.2});
  Epochs(*reduce, {1, 1, 1, 1, 1, 1, 1});
  // Reduced in epoch 1; epoch 2 cools down, in epoch 3 that ends and waiting begins.
  EXPECT_FLOAT_EQ(rates_[1], 0.25);
  EXPECT_FLOAT_EQ(rates_[2], 0.25);
  EXPECT_FLOAT_EQ(rates_[3], 0.2);
  EXPECT_FLOAT_EQ(rates_[6], 0.2);
  EXPECT_EQ(StatusOf([] { callbacks::ReduceLROnPlateau({.factor = 1}); }),
            Status(Code::kInvalidArgument,
                   "[reduce_lr_on_plateau] factor must be below 1; got 1.000000; a plateau is "
                   "answered by smaller steps"));
}

TEST_F(Callbacks, ReduceLROnPlateauAsksForMinDelta) {
  const auto reduce = callbacks::ReduceLROnPlateau({.factor = 0.5, .patience = 1, .min_delta = 1});
  Epochs(*reduce, {5, 4.5, 3});
  EXPECT_EQ(rates_, (std::vector<double>{0.5, 0.25, 0.25}));
}

TEST_F(Callbacks, LearningRateSchedulerSetsTheRate) {
  const auto schedule = callbacks::LearningRateScheduler(
      [](int epoch, double rate) { return epoch == 0 ? 1 : rate / 2; });
  Epochs(*schedule, {1, 1, 1});
  EXPECT_EQ(rates_, (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(logs_.at("learning_rate"), 0.25);
}

TEST_F(Callbacks, CsvLoggerWritesARowAnEpoch) {
  const std::string path = folder_.Path("log.csv");
  Epochs(*callbacks::CSVLogger(path), {0.1, 100000, 1e-5, NAN, 1e300});
  EXPECT_EQ(folder_.Read("log.csv"),
            "epoch,loss,val_loss\n0,1.5,0.1\n1,1.5,100000.0\n2,1.5,1e-05\n3,1.5,nan\n"
            "4,1.5,1e+300\n");
  Epochs(*callbacks::CSVLogger(path, {.append = true}), {2});
  EXPECT_THAT(folder_.Read("log.csv"), testing::EndsWith("4,1.5,1e+300\n0,1.5,2.0\n"));
  Epochs(*callbacks::CSVLogger(path, {.separator = ";"}), {2}, "accuracy");
  EXPECT_EQ(folder_.Read("log.csv"),
            "epoch;accuracy;loss;val_accuracy;val_loss\n0;2.0;1.5;NA;NA\n");
  EXPECT_EQ(StatusOf([&] { Epochs(*callbacks::CSVLogger(folder_.Path("no/x")), {1}); }).code(),
            Code::kNotFound);
}

TEST_F(Callbacks, TerminateOnNaNStopsAfterTheBatch) {
  const auto terminate = callbacks::TerminateOnNaN();
  terminate->model = &model_;
  terminate->OnTrainBatchEnd(0, [] { return Logs{{"loss", 1}}; });
  EXPECT_FALSE(model_.stop_training);
  terminate->OnTrainBatchEnd(1, [] { return Logs{{"loss", INFINITY}}; });
  EXPECT_TRUE(model_.stop_training);
  model_.stop_training = false;
  terminate->OnTrainBatchEnd(2, [] { return Logs{{"loss", NAN}}; });
  EXPECT_TRUE(model_.stop_training);
}

TEST_F(Callbacks, ModelCheckpointFormatsItsPath) {
  const auto every = callbacks::ModelCheckpoint(folder_.Path("{epoch:02d}-{val_loss:.2f}.w"),
                                                {.save_weights_only = true});
  Epochs(*every, {0.5, 0.25});
  EXPECT_TRUE(std::filesystem::exists(folder_.Path("01-0.50.w")));
  EXPECT_TRUE(std::filesystem::exists(folder_.Path("02-0.25.w")));
  SetWeights(9);
  model_.LoadWeights(folder_.Path("02-0.25.w"));
  EXPECT_EQ(Weight(), 1);
  const auto wrong = callbacks::ModelCheckpoint(folder_.Path("{acc}"), {.save_weights_only = true});
  const Status status = StatusOf([&] { Epochs(*wrong, {1}); });
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), testing::HasSubstr("{acc}"));
  EXPECT_THAT(status.message(), testing::EndsWith("; there are epoch, loss, val_loss"));
}

TEST_F(Callbacks, ModelCheckpointKeepsTheBestOnly) {
  const auto best = callbacks::ModelCheckpoint(folder_.Path("{epoch}"),
                                               {.save_best_only = true, .save_weights_only = true});
  Epochs(*best, {2, 3, 1});
  EXPECT_TRUE(std::filesystem::exists(folder_.Path("1")));
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("2")));
  EXPECT_TRUE(std::filesystem::exists(folder_.Path("3")));
  const auto below = callbacks::ModelCheckpoint(
      folder_.Path("below-{epoch}"),
      {.save_best_only = true, .save_weights_only = true, .initial_value_threshold = 1.5});
  Epochs(*below, {2, 1});
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("below-1")));
  EXPECT_TRUE(std::filesystem::exists(folder_.Path("below-2")));
}

// The hooks of a real Fit, in Keras's order.
class Recorder : public Callback {
 public:
  explicit Recorder(std::vector<std::string>& events) : events_(events) {}
  void OnTrainBegin() override { Add("train_begin"); }
  void OnTrainEnd() override { Add("train_end"); }
  void OnEpochBegin(int epoch) override { Add("epoch_begin", epoch); }
  void OnEpochEnd(int epoch, Logs& logs) override {
    Add("epoch_end", epoch);
    EXPECT_EQ(logs.count("val_loss"), 1u);
  }
  void OnTrainBatchBegin(int64_t batch) override { Add("batch_begin", batch); }
  void OnTrainBatchEnd(int64_t batch, const LogsSource& logs) override {
    Add("batch_end", batch);
    EXPECT_GT(logs().at("loss"), 0);
  }
  void OnTestBegin() override { Add("test_begin"); }
  void OnTestEnd(const Logs& logs) override {
    Add("test_end");
    EXPECT_EQ(logs.count("loss"), 1u);
  }
  void OnTestBatchBegin(int64_t batch) override { Add("test_batch_begin", batch); }
  void OnTestBatchEnd(int64_t batch, const LogsSource&) override { Add("test_batch_end", batch); }

 private:
  void Add(const std::string& event) { events_.push_back(event); }
  void Add(const std::string& event, int64_t number) {
    events_.push_back(event + " " + std::to_string(number));
  }
  std::vector<std::string>& events_;
};

Tensor Column(int64_t rows) {
  std::vector<float> values(rows);
  for (int64_t i = 0; i < rows; ++i) values[i] = static_cast<float>(i + 1);
  return Tensor::FromVector(values, {rows, 1});
}

FitOptions Quiet(int epochs, std::vector<CallbackPtr> callbacks) {
  FitOptions options{.batch_size = 2, .epochs = epochs};
  options.verbose = Verbosity::kSilent;
  options.callbacks = std::move(callbacks);
  return options;
}

std::unique_ptr<Model> MakeLine() {
  auto model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{Dense(1)});
  model->Compile({.optimizer = optimizers::Adam(), .loss = losses::MeanSquaredError()});
  return model;
}

TEST(CallbacksInFit, AreCalledInKerasOrder) {
  std::vector<std::string> events;
  auto model = MakeLine();
  FitOptions options = Quiet(1, {std::make_shared<Recorder>(events)});
  options.validation_data = ValidationData(Column(1), Column(1));
  model->Fit(Column(3), Column(3), options);
  EXPECT_EQ(events, (std::vector<std::string>{
                        "train_begin", "epoch_begin 0", "batch_begin 0", "batch_end 0",
                        "batch_begin 1", "batch_end 1", "test_begin", "test_batch_begin 0",
                        "test_batch_end 0", "test_end", "epoch_end 0", "train_end"}));
}

TEST(CallbacksInFit, AddToTheHistoryAndEndTraining) {
  auto model = MakeLine();
  int calls = 0;
  const History history = model->Fit(
      Column(4), Column(4),
      Quiet(9, {callbacks::LearningRateScheduler([](int, double rate) { return rate / 2; }),
                callbacks::LambdaCallback({.on_epoch_end = [&](int epoch, const Logs&) {
                  ++calls;
                  if (epoch == 2) model->stop_training = true;
                }})}));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(history.epoch, (std::vector<int>{0, 1, 2}));
  EXPECT_THAT(history.history.at("learning_rate"),
              testing::Pointwise(testing::FloatEq(), {0.0005f, 0.00025f, 0.000125f}));
}

TEST(CallbacksInFit, EveryNBatchesOverEpochs) {
  std::vector<int64_t> saved;
  const base::TestFolder place;
  const std::string& folder = place.path();
  auto model = MakeLine();
  model->Fit(Column(6), Column(6),
             Quiet(2, {callbacks::ModelCheckpoint(folder + "/{epoch}-{batch}",
                                                  {.save_weights_only = true, .save_freq = 2})}));
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    names.push_back(file.path().filename().string());
  EXPECT_THAT(names, testing::UnorderedElementsAre("1-2", "2-1", "2-3"));
}

TEST(CallbacksInFit, APlaceThatCannotBeWrittenIsReportedBeforeTheFirstStep) {
  const base::TestFolder place;
  const std::string file = place.Path("file");
  std::ofstream(file) << "text";
  const CallbackPtr all[] = {
      callbacks::BackupAndRestore(file), callbacks::ModelCheckpoint(file),
      callbacks::ModelCheckpoint(file + "/{epoch}"),
      callbacks::ModelCheckpoint(file + "/weights", {.save_weights_only = true}),
      callbacks::ModelCheckpoint(place.path(), {.save_weights_only = true})};
  for (const CallbackPtr& callback : all) {
    auto model = MakeLine();
    try {
      model->Fit(Column(6), Column(6), Quiet(1, {callback}));
      ADD_FAILURE() << "it was not refused";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(place.path()), std::string::npos) << error.what();
    }
    EXPECT_EQ(model->position().steps, 0);
  }
}

TEST(CallbacksInFit, BackupAndRestoreGoesOnInsideAnEpoch) {
  const base::TestFolder place;
  const std::string folder = place.Path("saves");
  const auto callbacks = [&] {
    return std::vector<CallbackPtr>{
        callbacks::ReduceLROnPlateau({.monitor = "loss", .patience = 1, .min_delta = 1e9}),
        callbacks::BackupAndRestore(folder)};
  };
  auto straight = MakeLine();
  const History whole = straight->Fit(Column(6), Column(6), Quiet(3, callbacks()));
  EXPECT_FALSE(std::filesystem::exists(folder));
  auto first = MakeLine();
  FitOptions stopped = Quiet(3, callbacks());
  stopped.max_steps = 7;
  first->Fit(Column(6), Column(6), stopped);
  EXPECT_TRUE(std::filesystem::exists(folder + "/save-7.lockstep"));
  auto second = MakeLine();
  const History history = second->Fit(Column(6), Column(6), Quiet(3, callbacks()));
  EXPECT_EQ(second->StateDigest(), straight->StateDigest());
  EXPECT_EQ(history.history, whole.history);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace lockstep
