// Models that share layers, outlive their strategy, or are used in ways that cannot be meant.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "base/error_of_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

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
  ExpectError(Code::kFailedPrecondition, "the strategy in whose scope the model was made has ended",
              [&] {
                model->Fit(Ones({4, 2}), Ones({4, 1}));
              });
}

TEST(ModelMisuse, NullPointersAreRefused) {
  ExpectError(Code::kInvalidArgument, "got a null pointer as layer 1", [] {
    Sequential model{Dense(1), nullptr};
  });
  ExpectError(Code::kFailedPrecondition, "null pointer", [] { LayerPtr()(Ones({1, 1})); });
  Sequential model{Dense(1)};
  CompileOptions options = Descent();
  options.metrics = {nullptr};
  ExpectError(Code::kInvalidArgument, "metrics must be made", [&] { model.Compile(options); });
  model.Compile(Descent());
  ExpectError(Code::kInvalidArgument, "callbacks must be made", [&] {
    model.Fit(Ones({4, 2}), Ones({4, 1}), {.callbacks = {nullptr}});
  });
  ExpectError(Code::kInvalidArgument, "a number or a schedule",
              [] { optimizers::Sgd({.learning_rate = SchedulePtr()}); });
}

TEST(ModelMisuse, OneFitAtATimeAndNoCompileInside) {
  Sequential model{Dense(1)};
  model.Compile(Descent());
  const auto fit = [&](const std::function<void()>& inside) {
    const CallbackPtr callback =
        callbacks::LambdaCallback({.on_epoch_end = [&](int, const Logs&) { inside(); }});
    model.Fit(Ones({4, 2}), Ones({4, 1}), {.verbose = Verbosity::kSilent, .callbacks = {callback}});
  };
  ExpectError(Code::kFailedPrecondition, "the model is in Fit",
              [&] { fit([&] { model.Compile(Descent()); }); });
  ExpectError(Code::kFailedPrecondition, "one Fit at a time", [&] { fit([&] { fit([] {}); }); });
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
