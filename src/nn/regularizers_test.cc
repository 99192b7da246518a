#include "lockstep/nn/regularizers.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/nn/constraints.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

// The penalty of [[1, -2], [3, 0]].
float PenaltyOf(const RegularizerPtr& regularizer) {
  return (*regularizer)(Tensor{{1, -2}, {3, 0}}).scalar<float>();
}

TEST(RegularizersTest, AddMagnitudesAndSquares) {
  EXPECT_FLOAT_EQ(PenaltyOf(regularizers::L1()), 0.06f);
  EXPECT_FLOAT_EQ(PenaltyOf(regularizers::L2()), 0.14f);
  EXPECT_FLOAT_EQ(PenaltyOf(regularizers::L1L2(0.5, 0.25)), 6.5f);
  EXPECT_EQ(PenaltyOf(regularizers::L1L2()), 0);
}

TEST(RegularizersTest, OrthogonalAddsCosines) {
  // Rows [1, -2] and [3, 0]; columns [1, 3] and [-2, 0]; one pair of each.
  EXPECT_NEAR(PenaltyOf(regularizers::OrthogonalRegularizer(0.5)), 0.5 / std::sqrt(5.0), 1e-6);
  EXPECT_NEAR(
      PenaltyOf(regularizers::OrthogonalRegularizer(0.5, regularizers::OrthogonalMode::kColumns)),
      0.5 / std::sqrt(10.0), 1e-6);
}

TEST(RegularizersTest, HaveGradients) {
  const Tensor weight{{1, -2}, {3, 0}};
  GradientTape tape;
  tape.Watch(weight);
  const Tensor penalty = (*regularizers::L1L2(0.5, 0.25))(weight);
  EXPECT_EQ(tape.Gradient(penalty, weight).ToVector<float>(), (std::vector<float>{1, -1.5, 2, 0}));
}

TEST(RegularizersTest, RefuseWrongFactorsAndShapes) {
  const auto text = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(text([] { regularizers::L2(-1); }),
              HasSubstr("[l2] l2 must be finite and not negative; got -1.0"));
  EXPECT_THAT(text([] { regularizers::L1L2(0, INFINITY); }), HasSubstr("got inf"));
  EXPECT_THAT(text([] {
                (*regularizers::OrthogonalRegularizer())(Tensor{1, 2});
              }),
              HasSubstr("the weight must be a matrix; got [2]"));
  EXPECT_THAT(text([] { constraints::MinMaxNorm({.min_value = 2}); }),
              HasSubstr("the range must not be empty or negative; got [2.0"));
}

// The constrained [[3, 0.3], [4, -0.4]], whose columns have norms 5 and 0.5.
std::vector<float> Constrained(const ConstraintPtr& constraint) {
  return (*constraint)(Tensor{{3, 0.3f}, {4, -0.4f}}).ToVector<float>();
}

TEST(ConstraintsTest, MoveNormsIntoTheirRange) {
  EXPECT_THAT(Constrained(constraints::MaxNorm()),
              Pointwise(FloatNear(1e-6), {1.2f, 0.3f, 1.6f, -0.4f}));
  EXPECT_THAT(Constrained(constraints::UnitNorm()),
              Pointwise(FloatNear(1e-6), {0.6f, 0.6f, 0.8f, -0.8f}));
  EXPECT_THAT(Constrained(constraints::MinMaxNorm({.min_value = 1, .max_value = 2})),
              Pointwise(FloatNear(1e-6), {1.2f, 0.6f, 1.6f, -0.8f}));
  EXPECT_THAT(Constrained(constraints::MinMaxNorm({.min_value = 1, .max_value = 2, .rate = 0.5})),
              Pointwise(FloatNear(1e-6), {2.1f, 0.45f, 2.8f, -0.6f}));
  EXPECT_EQ(Constrained(constraints::NonNeg()), (std::vector<float>{3, 0.3f, 4, 0}));
  const float row = 3 / std::sqrt(9.09f);
  EXPECT_NEAR(Constrained(constraints::UnitNorm(1))[0], row, 1e-6);
}

TEST(ConstraintsTest, KeepZeroWeightsFinite) {
  const Tensor zeros{{0, 0}, {0, 0}};
  EXPECT_EQ((*constraints::UnitNorm())(zeros).ToVector<float>(), std::vector<float>(4, 0));
  EXPECT_EQ((*constraints::MaxNorm())(zeros).ToVector<float>(), std::vector<float>(4, 0));
}

// One step of a model [x] -> logits with weights of ones and the given regularizer.
struct OneStep {
  float loss = 0, evaluated = 0;
  std::vector<float> kernel;
};
OneStep Step(RegularizerPtr regularizer, ConstraintPtr constraint, double rate) {
  Sequential model({Dense(2, DenseOptions{.use_bias = false,
                                          .kernel_initializer = initializers::Ones(),
                                          .kernel_regularizer = std::move(regularizer),
                                          .kernel_constraint = std::move(constraint)})});
  model.Compile({.optimizer = optimizers::Sgd({.learning_rate = rate}),
                 .loss = losses::SparseCategoricalCrossentropy(true)});
  const Tensor x{{1, 2}, {-1, 0.5f}};
  const Tensor y = Constant<int32_t>({0, 1});
  OneStep step;
  const History history =
      model.Fit(x, y, {.batch_size = 2, .epochs = 1, .verbose = Verbosity::kSilent});
  step.loss = static_cast<float>(history.history.at("loss")[0]);
  step.evaluated = static_cast<float>(model.Evaluate(x, y)["loss"]);
  step.kernel = model.variables()[0].value().ToVector<float>();
  return step;
}

TEST(RegularizersTest, CountInTrainingAndEvaluation) {
  const OneStep plain = Step(nullptr, nullptr, 0);
  const OneStep penalised = Step(regularizers::L2(0.25), nullptr, 0);
  EXPECT_FLOAT_EQ(plain.loss, std::log(2.0f));
  EXPECT_FLOAT_EQ(penalised.loss, std::log(2.0f) + 1);
  EXPECT_FLOAT_EQ(penalised.evaluated, std::log(2.0f) + 1);
  const OneStep moved = Step(nullptr, nullptr, 0.5);
  const OneStep both = Step(regularizers::L2(0.25), nullptr, 0.5);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(both.kernel[i], moved.kernel[i] - 0.5 * 2 * 0.25, 1e-6);
}

// The options with a regularizer and a constraint for both gamma and beta.
template <typename Options>
Options Restrained(Options options) {
  options.gamma_regularizer = regularizers::L1(0.5);
  options.beta_regularizer = regularizers::L2(0.5);
  options.gamma_constraint = constraints::NonNeg();
  options.beta_constraint = constraints::UnitNorm();
  return options;
}

TEST(RegularizersTest, HoldForGammaAndBeta) {
  for (const LayerPtr& layer :
       {BatchNormalization(Restrained<BatchNormalizationOptions>({})),
        LayerNormalization(Restrained<LayerNormalizationOptions>({})),
        GroupNormalization(Restrained<GroupNormalizationOptions>({.groups = 2}))}) {
    layer(Tensor{{1, -2}, {3, 0}});
    const std::vector<Weight> weights = layer->weights();
    ASSERT_GE(weights.size(), 2u) << layer->name();
    for (size_t i = 0; i < weights.size(); ++i) {
      if (i >= 2) {  // moving statistics
        EXPECT_EQ(weights[i].regularizer, nullptr) << layer->name();
        continue;
      }
      ASSERT_NE(weights[i].regularizer, nullptr) << layer->name();
      ASSERT_NE(weights[i].constraint, nullptr) << layer->name();
    }
    EXPECT_FLOAT_EQ(PenaltyOf(weights[0].regularizer), 3) << layer->name();
    EXPECT_FLOAT_EQ(PenaltyOf(weights[1].regularizer), 7) << layer->name();
    EXPECT_EQ(Constrained(weights[0].constraint), (std::vector<float>{3, 0.3f, 4, 0}));
  }
}

TEST(ConstraintsTest, ActAfterUpdates) {
  const OneStep step = Step(nullptr, constraints::UnitNorm(), 0.5);
  for (size_t column = 0; column < 2; ++column) {
    const double norm = std::hypot(step.kernel[column], step.kernel[2 + column]);
    EXPECT_NEAR(norm, 1, 1e-6);
  }
}

}  // namespace
}  // namespace lockstep
