// Models that share layers, outlive their strategy, or are used in ways that cannot be meant.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

void ExpectError(const std::function<void()>& call, Code code, const std::string& text) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

CompileOptions Descent() {
  return {.optimizer = optimizers::Sgd({.learning_rate = 0.1}), .loss = losses::MeanSquaredError()};
}

LayerPtr Square3() {
  return Dense(3,
               DenseOptions{.use_bias = false, .kernel_initializer = initializers::Constant(0.1)});
}

TEST(ModelMisuse, ALayerUsedTwiceIsTrainedOnce) {
  const LayerPtr shared = Square3();
  Sequential model{shared, shared};
  model.Compile(Descent());
  model.Fit(Ones({4, 3}), Ones({4, 3}), {.batch_size = 4, .verbose = Verbosity::kSilent});
  const Variable w(Fill({3, 3}, Scalar(0.1f)));
  GradientTape tape;
  const Tensor loss = ReduceMean(Square(MatMul(MatMul(Ones({4, 3}), w), w) - 1.0f));
  w.AssignSub(tape.Gradient(loss, w) * 0.1f);
  ASSERT_EQ(model.trainable_weights().size(), 1);
  EXPECT_EQ(model.CountParameters(), 9);
  EXPECT_EQ(model.variables()[0].value().ToVector<float>(), w.value().ToVector<float>());
}

TEST(ModelMisuse, AModelTellsThatItsStrategyHasEnded) {
  std::unique_ptr<Sequential> model;
  {
    MirroredStrategy strategy({.devices = 1, .replicas = 2});
    const auto scope = strategy.scope();
    model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{Dense(1)});
    model->Compile(Descent());
  }
  ExpectError(
      [&] {
        model->Fit(Ones({4, 2}), Ones({4, 1}));
      },
      Code::kFailedPrecondition, "the strategy in whose scope the model was made has ended");
}

TEST(ModelMisuse, NullPointersAreRefused) {
  ExpectError(
      [] {
        Sequential model{Dense(1), nullptr};
      },
      Code::kInvalidArgument, "got a null pointer as layer 1");
  ExpectError([] { LayerPtr()(Ones({1, 1})); }, Code::kFailedPrecondition, "null pointer");
  Sequential model{Dense(1)};
  CompileOptions options = Descent();
  options.metrics = {nullptr};
  ExpectError([&] { model.Compile(options); }, Code::kInvalidArgument, "metrics must be made");
  model.Compile(Descent());
  ExpectError(
      [&] {
        model.Fit(Ones({4, 2}), Ones({4, 1}), {.callbacks = {nullptr}});
      },
      Code::kInvalidArgument, "callbacks must be made");
  ExpectError([] { optimizers::Sgd({.learning_rate = SchedulePtr()}); }, Code::kInvalidArgument,
              "a number or a schedule");
}

TEST(ModelMisuse, OneFitAtATimeAndNoCompileInside) {
  Sequential model{Dense(1)};
  model.Compile(Descent());
  const auto fit = [&](const std::function<void()>& inside) {
    const CallbackPtr callback =
        callbacks::LambdaCallback({.on_epoch_end = [&](int, const Logs&) { inside(); }});
    model.Fit(Ones({4, 2}), Ones({4, 1}), {.verbose = Verbosity::kSilent, .callbacks = {callback}});
  };
  ExpectError([&] { fit([&] { model.Compile(Descent()); }); }, Code::kFailedPrecondition,
              "the model is in Fit");
  ExpectError([&] { fit([&] { fit([] {}); }); }, Code::kFailedPrecondition, "one Fit at a time");
  fit([] {});
}

TEST(ModelMisuse, PredictsBeforeItIsCompiled) {
  Sequential model{Square3()};
  EXPECT_EQ(model.Predict(Ones({5, 3}), 2).ToVector<float>(),
            model(Ones({5, 3})).ToVector<float>());
  model.Compile(Descent());
  EXPECT_EQ(model.Predict(Ones({5, 3}), 2).shape(), (Shape{5, 3}));
}

}  // namespace
}  // namespace lockstep
