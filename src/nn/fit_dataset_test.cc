#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "lockstep/data/dataset.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/runtime/random.h"
#include "nn/step_input.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kExamples = 101;  // prime: every batch size leaves an uneven end
constexpr int64_t kFeatures = 5;
constexpr int64_t kClasses = 3;

Tensor Features(int64_t examples = kExamples) {
  std::vector<float> values;
  for (int64_t i = 0; i < examples * kFeatures; ++i)
    values.push_back(static_cast<float>(i * 37 % 101) / 50.0f - 1.0f);
  return Tensor::FromVector(values, Shape{examples, kFeatures});
}

Tensor Labels(int64_t examples = kExamples) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < examples; ++i) values.push_back(static_cast<int32_t>(i * 7 % kClasses));
  return Tensor::FromVector(values, Shape{examples});
}

struct Fixture {
  explicit Fixture(int devices = 1, int replicas = 1)
      : strategy({.devices = devices, .replicas = replicas}) {
    const auto scope = strategy.scope();
    SetRandomSeed(3);
    model = std::make_unique<Sequential>(
        std::initializer_list<LayerPtr>{Dense(8, relu), Dense(kClasses)});
    model->Compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                    .loss = losses::SparseCategoricalCrossentropy(true),
                    .metrics = {metrics::SparseCategoricalAccuracy("accuracy")},
                    .weighted_metrics = {metrics::SparseCategoricalAccuracy("weighted")}});
  }
  MirroredStrategy strategy;
  std::unique_ptr<Model> model;
};

FitOptions Quiet(FitOptions options = {}) {
  options.verbose = Verbosity::kSilent;
  return options;
}

template <typename F>
std::string Refused(const F& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// A pipeline whose batches are given to the step as they are.
Dataset Concrete(const Dataset& batches) {
  return batches.Map([](const Element& element) { return element; });
}
// The same as a stream.
Dataset Streamed(const Dataset& batches) {
  return batches.Map([](const Element& e) { return e; }, {.stateful = true}).Prefetch(2);
}

TEST(FitDatasetTest, ArraysAndDatasetsGiveTheSameBits) {
  const FitOptions options = Quiet({.batch_size = 16, .epochs = 3});
  Fixture arrays;
  const History expected = arrays.model->Fit(Features(), Labels(), options);
  EXPECT_EQ(expected.steps, 21);
  for (const int devices : {1, 3}) {
    for (const int kind : {0, 1, 2}) {
      Fixture other(devices);
      const Dataset batches =
          Dataset::FromTensorSlices(Features(), Labels()).Shuffle(kExamples, {.seed = 0}).Batch(16);
      const Dataset input = kind == 0 ? batches : kind == 1 ? Concrete(batches) : Streamed(batches);
      EXPECT_EQ(input.indexable(), kind < 2);
      const History history = other.model->Fit(input, options);
      EXPECT_EQ(history.history, expected.history);
      EXPECT_EQ(other.model->StateDigest(), arrays.model->StateDigest()) << input.Explain();
    }
  }
}

TEST(FitDatasetTest, ReplicasShareUnevenBatches) {
  for (const int replicas : {3, 8}) {
    std::string expected;
    for (const int devices : {1, 2, 5}) {
      Fixture own(devices, replicas);
      const Dataset batches = Dataset::FromTensorSlices(Features(), Labels()).Batch(19);
      own.model->Fit(devices == 2 ? Streamed(batches) : batches, Quiet({.epochs = 2}));
      if (expected.empty()) expected = own.model->WeightsDigest();
      EXPECT_EQ(own.model->WeightsDigest(), expected) << replicas << " " << devices;
    }
  }
}

TEST(FitDatasetTest, EvaluatesAndPredictsOverDatasets) {
  Fixture own;
  const Dataset batches = Dataset::FromTensorSlices(Features(), Labels()).Batch(32);
  own.model->Fit(batches, Quiet());
  const Logs expected = own.model->Evaluate(Features(), Labels(), 32);
  EXPECT_EQ(own.model->Evaluate(batches), expected);
  EXPECT_EQ(own.model->Evaluate(Streamed(batches)), expected);
  EXPECT_NE(own.model->Evaluate(batches, 1), expected);
  const Tensor predictions = own.model->Predict(Features(), 32);
  EXPECT_EQ(predictions.shape(), (Shape{kExamples, kClasses}));
  for (const Dataset& input :
       {batches, Streamed(batches), Dataset::FromTensorSlices(Features()).Batch(32)}) {
    EXPECT_EQ(own.model->Predict(input).ToVector<float>(), predictions.ToVector<float>());
  }
  EXPECT_EQ(own.model->Predict(batches.Repeat(), 2).shape(), (Shape{64, kClasses}));
}

TEST(FitDatasetTest, StepsPerEpochReadsOn) {
  const Dataset batches =
      Dataset::FromTensorSlices(Features(), Labels()).Shuffle(50, {.seed = 1}).Batch(16);
  Fixture passes;
  passes.model->Fit(batches, Quiet({.epochs = 3}));  // 7 batches a pass
  for (const Dataset& input : {batches, batches.Repeat(3), Streamed(batches)}) {
    Fixture own;
    const History history = own.model->Fit(input, Quiet({.epochs = 7, .steps_per_epoch = 3}));
    EXPECT_EQ(history.steps, 21);
    EXPECT_EQ(history.history.at("loss").size(), 7u);
    EXPECT_EQ(own.model->WeightsDigest(), passes.model->WeightsDigest());
  }
  Fixture resumed;
  resumed.model->Fit(batches, Quiet({.epochs = 4, .steps_per_epoch = 3}));
  resumed.model->Fit(batches, Quiet({.epochs = 7, .initial_epoch = 4, .steps_per_epoch = 3}));
  EXPECT_EQ(resumed.model->WeightsDigest(), passes.model->WeightsDigest());
}

TEST(FitDatasetTest, AnEpochOfUnknownLengthEndsWhereTheDataEnd) {
  const auto generator = []() -> Dataset::Generator {
    return [i = 0]() mutable -> std::optional<Element> {
      if (++i > 5) return std::nullopt;
      return Element{Features(4), Labels(4)};
    };
  };
  const Dataset data = Dataset::FromGenerator(generator);
  Fixture whole;
  EXPECT_EQ(whole.model->Fit(data, Quiet({.epochs = 2})).steps, 10);
  // Three steps, then the two that are left, then a new pass.
  Fixture cut;
  EXPECT_EQ(cut.model->Fit(data, Quiet({.epochs = 3, .steps_per_epoch = 3})).steps, 8);
}

TEST(FitDatasetTest, ResumesAtAnEpoch) {
  const FitOptions all = Quiet({.batch_size = 16, .epochs = 4});
  Fixture once;
  once.model->Fit(Features(), Labels(), all);
  Fixture twice;
  twice.model->Fit(Features(), Labels(), Quiet({.batch_size = 16, .epochs = 2}));
  twice.model->Fit(Features(), Labels(),
                   Quiet({.batch_size = 16, .epochs = 4, .initial_epoch = 2}));
  EXPECT_EQ(twice.model->StateDigest(), once.model->StateDigest());
}

TEST(FitDatasetTest, Validates) {
  Fixture split;
  const History history = split.model->Fit(
      Features(), Labels(),
      Quiet({.batch_size = 16, .epochs = 4, .validation_split = 0.2, .validation_freq = 2}));
  EXPECT_EQ(history.steps, 4 * 5);  // floor(101 * 0.8) = 80 train
  EXPECT_EQ(history.history.at("loss").size(), 4u);
  ASSERT_EQ(history.history.at("val_loss").size(), 2u);
  const Tensor x = Features(), y = Labels();
  const Dataset rows = Dataset::FromTensorSlices(x, y);
  const Logs last = split.model->Evaluate(rows.Skip(80).Batch(16));
  EXPECT_EQ(history.history.at("val_loss")[1], last.at("loss"));
  EXPECT_EQ(history.history.at("val_accuracy")[1], last.at("accuracy"));

  Fixture given;
  const History other = given.model->Fit(
      rows.Take(80).Shuffle(80, {.seed = 0}).Batch(16),
      Quiet({.epochs = 4, .validation_data = rows.Skip(80).Batch(16), .validation_freq = 2}));
  EXPECT_EQ(other.history, history.history);
  const auto refused = [&](double fraction) {
    return Refused([&] { given.model->Fit(x, y, Quiet({.validation_split = fraction})); });
  };
  EXPECT_THAT(refused(0.995), HasSubstr("both sides; got 0.995000 of 101 examples"));
  for (const double fraction : {-0.5, 1.0, 1.5})
    EXPECT_THAT(refused(fraction), HasSubstr("between 0 and 1; got " + std::to_string(fraction)));
}

TEST(FitDatasetTest, WeightsOfExamplesCountExactly) {
  std::vector<float> of_class = {2.0f, 1.0f, 0.5f};
  std::vector<float> weights;
  const Tensor labels = Labels();
  for (const int32_t label : labels.data<int32_t>()) weights.push_back(of_class[label]);
  const Tensor weight = Constant(weights);
  Fixture samples;
  const History history = samples.model->Fit(
      Features(), Labels(), Quiet({.batch_size = 16, .epochs = 2, .sample_weight = weight}));
  EXPECT_NE(history.history.at("accuracy"), history.history.at("weighted"));
  Fixture classes;
  classes.model->Fit(Features(), Labels(),
                     Quiet({.batch_size = 16, .epochs = 2, .class_weight = {{0, 2}, {2, 0.5}}}));
  EXPECT_EQ(classes.model->StateDigest(), samples.model->StateDigest());
  const Dataset batches = Dataset::FromTensorSlices({Features(), Labels(), weight})
                              .Shuffle(kExamples, {.seed = 0})
                              .Batch(16);
  for (const Dataset& input : {batches, Streamed(batches)}) {
    Fixture own;
    own.model->Fit(input, Quiet({.epochs = 2}));
    EXPECT_EQ(own.model->StateDigest(), samples.model->StateDigest());
  }
  Fixture streamed;
  streamed.model->Fit(Streamed(Dataset::FromTensorSlices(Features(), Labels())
                                   .Shuffle(kExamples, {.seed = 0})
                                   .Batch(16)),
                      Quiet({.epochs = 2, .class_weight = {{0, 2}, {2, 0.5}}}));
  EXPECT_EQ(streamed.model->StateDigest(), samples.model->StateDigest());
  // An example of weight 0 is as good as none, but for the count that divides.
  Fixture none;
  const Logs logs = none.model->Evaluate(
      Dataset::FromTensorSlices({Features(4), Labels(4), Constant<float>({0, 0, 0, 0})}).Batch(3));
  EXPECT_EQ(logs.at("loss"), 0);
  EXPECT_THAT(Refused([&] {
                none.model->Fit(Features(), Labels(),
                                Quiet({.sample_weight = weight, .class_weight = {{0, 2}}}));
              }),
              HasSubstr("class_weight needs x and y without sample_weight"));
}

TEST(FitDatasetTest, NamesTheExampleThatIsNotFinite) {
  std::vector<float> values = Features().ToVector<float>();
  values[17 * kFeatures + 3] = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::FromVector(values, Shape{kExamples, kFeatures});
  Fixture own;
  EXPECT_THAT(Refused([&] { own.model->Fit(x, Labels(), Quiet()); }),
              HasSubstr("must be finite; got nan (x, example 17, element 3 of 5)"));
  const Dataset rows = Dataset::FromTensorSlices(x, Labels());
  EXPECT_THAT(Refused([&] { own.model->Fit(Streamed(rows.Batch(8)), Quiet()); }),
              HasSubstr("got nan (x, batch 2 of pass 0, example 1 of it, element 3 of 5)"));
  own.model->Fit(x, Labels(), Quiet({.check_data = false}));
}

TEST(FitDatasetTest, NamesTheLabelOutOfRange) {
  std::vector<int32_t> labels = Labels().ToVector<int32_t>();
  labels[17] = 12;
  const Dataset rows = Dataset::FromTensorSlices(Features(), Constant(labels));
  for (const int devices : {1, 3}) {
    Fixture own(devices);
    EXPECT_THAT(Refused([&] { own.model->Fit(rows.Skip(1).Batch(8), Quiet()); }),
                HasSubstr("a label must lie in [0, 3); got 12 (batch 2 of pass 0, example 0 of it, "
                          "example 17 of the data)"));
    EXPECT_THAT(Refused([&] { own.model->Fit(Streamed(rows.Batch(8)), Quiet()); }),
                HasSubstr("got 12 (batch 2 of pass 0, example 1 of it)"));
  }
}

TEST(FitDatasetTest, RefusesWhatCannotBe) {
  Fixture own;
  Model& model = *own.model;
  const Dataset rows = Dataset::FromTensorSlices(Features(), Labels());
  EXPECT_THAT(Refused([&] { model.Fit(rows, Quiet()); }),
              HasSubstr("got float32 [5], int32 []; a dataset must be batched"));
  EXPECT_THAT(Refused([&] { model.Fit(rows.Batch(8).Repeat(), Quiet()); }),
              HasSubstr("an endless dataset needs steps_per_epoch"));
  EXPECT_THAT(Refused([&] { model.Fit(rows.Take(0).Batch(8), Quiet()); }),
              HasSubstr("must have a batch; got 0 (batch(8))"));
  EXPECT_THAT(Refused([&] { model.Fit(Features(0), Labels(0), Quiet()); }),
              HasSubstr("there must be an example; got [0,5]"));
  EXPECT_THAT(Refused([&] { model.Evaluate(rows.Take(0).Batch(8)); }),
              HasSubstr("must have a batch"));
  const Dataset nothing = Dataset::FromGenerator(
      []() -> Dataset::Generator { return []() { return std::optional<Element>(); }; });
  EXPECT_THAT(Refused([&] { model.Fit(nothing, Quiet()); }),
              HasSubstr("got none in pass 0 (generator)"));
  EXPECT_THAT(Refused([&] { model.Fit(Features(), Labels(3), Quiet()); }),
              HasSubstr("got float32 [101,5], int32 [3]"));
  EXPECT_THAT(Refused([&] { model.Fit(Features(), Labels(), Quiet({.batch_size = 0})); }),
              HasSubstr("batch_size must be positive; got 0"));
  EXPECT_THAT(Refused([&] { model.Fit(Features(), Labels(), Quiet({.epochs = -1})); }),
              HasSubstr("got -1, 0, 0 and 1"));
  EXPECT_THAT(Refused([&] { model.Fit(Dataset::FromTensorSlices(Features()).Batch(8), Quiet()); }),
              HasSubstr("must have x and y; got 1 component"));
  EXPECT_THAT(Refused([&] { model.Fit(rows.Batch(8), Quiet({.validation_split = 0.5})); }),
              HasSubstr("got validation_split"));
}

TEST(FitDatasetTest, AnErrorOfTheInputEndsTraining) {
  const Dataset failing = Dataset::FromTensorSlices(Features(), Labels())
                              .Map(
                                  [i = 0](const Element& element) mutable -> Element {
                                    if (++i == 20)
                                      throw Error(Code::kDataLoss, "[test] the disk is gone");
                                    return element;
                                  },
                                  {.stateful = true})
                              .Batch(8)
                              .Prefetch(2);
  Fixture own;
  int steps = 0;
  struct Counting : Callback {
    explicit Counting(int* count) : steps(count) {}
    void OnTrainBatchEnd(int64_t, const std::function<Logs()>&) override { ++*steps; }
    int* steps;
  };
  try {
    FitOptions options = Quiet();
    options.callbacks.push_back(std::make_shared<Counting>(&steps));
    own.model->Fit(failing, options);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kDataLoss);
    EXPECT_THAT(error.what(), HasSubstr("the disk is gone"));
  }
  EXPECT_EQ(steps, 2);
}

TEST(StepInput, SeeksInStreams) {
  const Dataset stream =
      Dataset::Range(0, 70)
          .Filter([](const std::vector<Tensor>& e) { return e[0].scalar<int64_t>() != 11; })
          .Batch(8);
  for (int64_t steps : {0, 9, 4}) {
    nn::StepInput input(stream, {.steps_per_epoch = steps});
    input.BeginEpoch(0);
    EXPECT_EQ(input.CountSteps(), steps == 0 ? 9 : steps);
    EXPECT_EQ(input.ShortStep(0, 9), steps == 4 ? -1 : 8);
    const auto first = [&](int64_t step) {
      return input.At(step)->arguments[0].ToVector<int64_t>()[0];
    };
    EXPECT_EQ(first(0), 0);
    EXPECT_EQ(first(2), 17);
    EXPECT_EQ(first(3), 25);
    EXPECT_EQ(first(1), 8);  // from the beginning
    EXPECT_EQ(first(1), 8);
    EXPECT_EQ(first(2), 17);
  }
}

}  // namespace
}  // namespace lockstep
