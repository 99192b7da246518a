// What who knows Keras writes in C++: compiles, and means the same as the longer form.

#include <gtest/gtest.h>

#include "lockstep/nn/functional.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"

namespace lockstep {
namespace {

Tensor Numbers() { return Constant<float>({0.2f, 0.7f, 0.6f, 0.1f}, {2, 2}); }
Tensor Labels() { return Constant<float>({0, 1, 1, 0}, {2, 2}); }

float Value(const LossPtr& loss) { return (*loss)(Labels(), Numbers()).scalar<float>(); }

TEST(KerasForms, LossesTakeTheirFirstArgumentAlone) {
  EXPECT_EQ(Value(losses::CategoricalCrossentropy(true)),
            Value(losses::CategoricalCrossentropy({.from_logits = true})));
  EXPECT_EQ(Value(losses::BinaryCrossentropy(true)),
            Value(losses::BinaryCrossentropy({.from_logits = true})));
  EXPECT_NE(Value(losses::BinaryCrossentropy()), Value(losses::BinaryCrossentropy(true)));
  EXPECT_EQ(Value(losses::Huber(0.25)), Value(losses::Huber({.delta = 0.25})));
  EXPECT_EQ(Value(losses::Huber(2)), Value(losses::Huber({.delta = 2})));
  EXPECT_EQ(Value(losses::Huber({})), Value(losses::Huber()));
  EXPECT_EQ(Value(losses::CosineSimilarity(0)), Value(losses::CosineSimilarity({.axis = 0})));
  const Tensor classes = Constant<int32_t>({1, 0});
  EXPECT_EQ((*losses::SparseCategoricalCrossentropy(true))(classes, Numbers()).scalar<float>(),
            (*losses::SparseCategoricalCrossentropy({.from_logits = true}))(classes, Numbers())
                .scalar<float>());
  EXPECT_EQ((*losses::CategoricalGeneralizedCrossEntropy(0.7))(classes, Numbers()).scalar<float>(),
            (*losses::CategoricalGeneralizedCrossEntropy({.q = 0.7}))(classes, Numbers())
                .scalar<float>());
}

TEST(KerasForms, LossesTakeAReductionAlone) {
  for (const auto& make :
       {losses::MeanSquaredError<Reduction>, losses::MeanAbsoluteError<Reduction>,
        losses::MeanAbsolutePercentageError<Reduction>,
        losses::MeanSquaredLogarithmicError<Reduction>, losses::LogCosh<Reduction>,
        losses::Hinge<Reduction>, losses::SquaredHinge<Reduction>,
        losses::CategoricalHinge<Reduction>, losses::KLDivergence<Reduction>,
        losses::Poisson<Reduction>})
    EXPECT_EQ(make(Reduction::kSum)->reduction(), Reduction::kSum);
  EXPECT_EQ(Value(losses::MeanSquaredError(Reduction::kSum)),
            Value(losses::MeanSquaredError({.reduction = Reduction::kSum})));
}

TEST(KerasForms, TensorsAreWrittenAsTheyAre) {
  const Tensor vector = Constant({1.0f, 2.0f});
  EXPECT_EQ(vector.dtype(), DType::kFloat32);
  EXPECT_EQ(vector.shape(), (Shape{2}));
  const Tensor matrix = Constant({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(matrix.dtype(), DType::kInt32);
  EXPECT_EQ(matrix.shape(), (Shape{2, 3}));
  EXPECT_EQ(matrix.ToVector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Constant({"a", "bc"}).dtype(), DType::kString);
  EXPECT_EQ(Constant({true, false}).dtype(), DType::kBool);
  try {
    Constant({{1, 2}, {3}});
    FAIL() << "rows of unequal length";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().message(),
              "[constant] all rows must have as many values; got 2 and 1; write every row whole");
  }
  EXPECT_EQ(Range(4).ToVector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(Range(3.0f).dtype(), DType::kFloat32);
}

TEST(KerasForms, MetricsTakeOptionsByName) {
  const auto value = [](const MetricPtr& metric) {
    metric->Update(Labels(), Numbers());
    return metric->Result().ToVector<float>()[0];
  };
  const MetricPtr logits = metrics::BinaryCrossentropy({.from_logits = true});
  EXPECT_EQ(logits->name(), "binary_crossentropy");
  EXPECT_EQ(value(logits), value(metrics::BinaryCrossentropy("bce", true)));
  const MetricPtr smooth = metrics::CategoricalCrossentropy({.name = "c", .label_smoothing = 0.1});
  EXPECT_EQ(smooth->name(), "c");
  EXPECT_EQ(value(smooth), value(metrics::CategoricalCrossentropy("cce", false, 0.1)));
  EXPECT_EQ(metrics::SparseCategoricalCrossentropy({.from_logits = true})->name(),
            "sparse_categorical_crossentropy");
  EXPECT_EQ(value(metrics::Precision(0.65)), value(metrics::Precision({0.65})));
  EXPECT_EQ(metrics::Recall(0.65, "r")->name(), "r");
  EXPECT_EQ(value(metrics::Precision({.thresholds = {0.65}})), value(metrics::Precision(0.65)));
  EXPECT_EQ(metrics::Recall({.top_k = 1})->name(), "recall");
  EXPECT_EQ(value(metrics::BinaryAccuracy({.threshold = 0.65})),
            value(metrics::BinaryAccuracy("binary_accuracy", 0.65)));
}

TEST(KerasForms, OptimizersTakeARateAlone) {
  EXPECT_FLOAT_EQ(optimizers::Adam(0.25)->learning_rate().scalar<float>(), 0.25f);
  EXPECT_FLOAT_EQ(optimizers::SGD(1)->learning_rate().scalar<float>(), 1);
  EXPECT_EQ(optimizers::AdamW(0.1, {.weight_decay = 0.5})->options().weight_decay, 0.5);
  EXPECT_EQ(optimizers::RMSprop(0.1, {.clipnorm = 2})->options().clipnorm, 2);
  EXPECT_TRUE(optimizers::Muon(schedules::CosineDecay(0.1, 10))->has_schedule());
  const auto after = [](const OptimizerPtr& optimizer) {
    const Variable w(Constant<float>({1}));
    for (int i = 0; i < 2; ++i) optimizer->Apply({Constant<float>({1})}, std::vector<Variable>{w});
    return w.value().scalar<float>();
  };
  EXPECT_EQ(after(optimizers::SGD(0.1, 0.9, true)),
            after(optimizers::Sgd({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true})));
  EXPECT_FLOAT_EQ(after(optimizers::SGD(0.1, 0.9)), 1 - 0.1f - 0.19f);
}

TEST(KerasForms, SchedulesTakeNumbersInKerasOrder) {
  const auto at = [](const SchedulePtr& schedule) {
    return (*schedule)(Scalar<int64_t>(5)).scalar<float>();
  };
  EXPECT_EQ(at(schedules::ExponentialDecay(0.1, 10, 0.5)),
            at(schedules::ExponentialDecay(
                {.initial_learning_rate = 0.1, .decay_steps = 10, .decay_rate = 0.5})));
  EXPECT_EQ(at(schedules::PolynomialDecay(0.1, 10, 0.01, 2)),
            at(schedules::PolynomialDecay({.initial_learning_rate = 0.1,
                                           .decay_steps = 10,
                                           .end_learning_rate = 0.01,
                                           .power = 2})));
  EXPECT_EQ(at(schedules::InverseTimeDecay(0.1, 10, 0.5, true)), 0.1f);
  EXPECT_FLOAT_EQ(at(schedules::CosineDecay(0.1, 10)), 0.05f);
  EXPECT_FLOAT_EQ(at(schedules::CosineDecayRestarts(0.1, 10)), 0.05f);
}

TEST(KerasForms, LayersTakeNamesAndNumbers) {
  const Tensor images = Ones({2, 4, 4, 8});
  EXPECT_EQ(Dense(3, "softmax")->output_activation(), "softmax");
  EXPECT_EQ(Dense(3, {.activation = "relu"})->output_activation(), "relu");
  EXPECT_EQ(Dense(3, nullptr)->output_activation(), "linear");
  EXPECT_EQ(ActivationLayer("tanh")(images).shape(), images.shape());
  EXPECT_EQ(MaxPooling2D(2, 1)(images).shape(), Shape({2, 3, 3, 8}));
  EXPECT_EQ(AveragePooling2D({2, 2}, Size2D(1, 2))(images).shape(), Shape({2, 3, 2, 8}));
  EXPECT_EQ(MaxPooling1D(2, 1)(Ones({2, 4, 8})).shape(), Shape({2, 3, 8}));
  EXPECT_EQ(AveragePooling1D(2, 1)(Ones({2, 4, 8})).shape(), Shape({2, 3, 8}));
  EXPECT_EQ(LayerNormalization(-1)(images).shape(), images.shape());
  EXPECT_EQ(LayerNormalization({.axis = -1})(images).shape(), images.shape());
  EXPECT_EQ(LayerNormalization({.axis = {2, 3}})(images).shape(), images.shape());
  EXPECT_EQ(GroupNormalization(4)(images).shape(), images.shape());
  EXPECT_EQ(UnitNormalization(-1)(images).shape(), images.shape());
  EXPECT_EQ(ZeroPadding2D({1, 2})(images).shape(), Shape({2, 6, 8, 8}));
  EXPECT_EQ(ZeroPadding2D({1, 2, 3, 4})(images).shape(), Shape({2, 7, 11, 8}));
  EXPECT_EQ(Cropping2D({1, 0})(images).shape(), Shape({2, 2, 4, 8}));
  EXPECT_EQ(ReLU(6)(Constant<float>({9})).scalar<float>(), 6);
  try {
    ZeroPadding2D({1, 2, 3});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("1, 2 (rows, columns) or 4"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(Dense(3, "rleu"), Error);
}

TEST(KerasForms, ModelsAreCompiledByNames) {
  SetRandomSeed(1);
  const Tensor x = Input({2});
  FunctionalModel model(x, Dense(1)(Dense(4, "relu")(x)));
  model.Compile(
      {.optimizer = "sgd", .loss = "mse", .metrics = {"mae", metrics::RootMeanSquaredError("r")}});
  EXPECT_EQ(model.compiled().optimizer->name(), "sgd");
  EXPECT_EQ(model.compiled().loss->name(), "mean_squared_error");
  const History history = model.Fit(Numbers(), Constant<float>({1, 2}, {2, 1}),
                                    {.epochs = 2, .verbose = Verbosity::kSilent});
  EXPECT_EQ(history.history.at("mae").size(), 2u);
  EXPECT_EQ(history.history.at("r").size(), 2u);
  try {
    model.Compile({.optimizer = "adma", .loss = "mse"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_NE(std::string(error.what()).find("adma"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("adamw"), std::string::npos) << error.what();
  }
}

TEST(KerasForms, ComparisonsAreOperators) {
  const Tensor x = Constant<float>({1, 2, 3});
  EXPECT_EQ((x > 2).ToString(), Greater(x, 2).ToString());
  EXPECT_EQ((x >= 2).ToString(), GreaterEqual(x, 2).ToString());
  EXPECT_EQ((x < 2).ToString(), Less(x, 2).ToString());
  EXPECT_EQ((2 <= x).ToString(), LessEqual(2, x).ToString());
  EXPECT_EQ(Where(x > 2, x, 0).ToVector<float>(), (std::vector<float>{0, 0, 3}));
}

}  // namespace
}  // namespace lockstep
