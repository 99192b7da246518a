#include "lockstep/nn/optimizers.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error_of_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
namespace o = optimizers;

// Five steps from w = [1, -2] with the gradient [2 w0 - 1, w1], as Keras 3.15 makes them.
struct Trajectory {
  const char* name;
  std::function<OptimizerPtr()> make;
  std::array<float, 5> first, second;
};

const Trajectory kTrajectories[] = {
    {"sgd",
     [] { return o::Sgd({.learning_rate = 0.1}); },
     {0x1.ccccccp-1, 0x1.a3d70ap-1, 0x1.83126ep-1, 0x1.68db8cp-1, 0x1.53e2d6p-1},
     {-0x1.ccccccp+0, -0x1.9eb852p+0, -0x1.753f7cp+0, -0x1.4fec56p+0, -0x1.2e54b4p+0}},
    {"momentum",
     [] { return o::Sgd({.learning_rate = 0.1, .momentum = 0.9}); },
     {0x1.ccccccp-1, 0x1.75c29p-1, 0x1.0fdf3cp-1, 0x1.61ff3p-2, 0x1.ada666p-3},
     {-0x1.ccccccp+0, -0x1.70a3d6p+0, -0x1.f1a9fcp-1, -0x1.d07c88p-2, 0x1.ddc1cp-5}},
    {"nesterov",
     [] { return o::Sgd({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}); },
     {0x1.9eb852p-1, 0x1.38ef34p-1, 0x1.c88616p-2, 0x1.59b0ccp-2, 0x1.2b2712p-2},
     {-0x1.9eb852p+0, -0x1.267382p+0, -0x1.4f2d3cp-1, -0x1.80909cp-3, 0x1.ac5dd4p-3}},
    {"rmsprop",
     [] { return o::Rmsprop({.learning_rate = 0.1}); },
     {0x1.5e176ap-1, 0x1.2399a6p-1, 0x1.0c82ccp-1, 0x1.03f83ep-1, 0x1.011d0ap-1},
     {-0x1.af0bb4p+0, -0x1.794fe6p+0, -0x1.4f0824p+0, -0x1.2b7aap+0, -0x1.0c868p+0}},
    {"rmsprop centered with momentum",
     [] { return o::Rmsprop({.learning_rate = 0.1, .momentum = 0.9, .centered = true}); },
     {0x1.55555cp-1, 0x1.03016cp-2, 0x1.d288p-6, 0x1.58afa8p-5, 0x1.ed0206p-3},
     {-0x1.aaaaacp+0, -0x1.228fcap+0, -0x1.ff5e4p-2, 0x1.2a0338p-3, 0x1.689acp-1}},
    {"adagrad",
     [] { return o::Adagrad({.learning_rate = 0.1}); },
     {0x1.cf2ec6p-1, 0x1.afe772p-1, 0x1.98547ep-1, 0x1.855dfcp-1, 0x1.759308p-1},
     {-0x1.e6b6dp+0, -0x1.d530dap+0, -0x1.c71764p+0, -0x1.bb0766p+0, -0x1.b05bp+0}},
    {"adam",
     [] { return o::Adam({.learning_rate = 0.1}); },
     {0x1.cccceep-1, 0x1.9a3586p-1, 0x1.68e53cp-1, 0x1.39d084p-1, 0x1.0e3e4p-1},
     {-0x1.e66674p+0, -0x1.ccd7d6p+0, -0x1.b35c36p+0, -0x1.99fc72p+0, -0x1.80c1fep+0}},
    {"amsgrad",
     [] { return o::Adam({.learning_rate = 0.1, .amsgrad = true}); },
     {0x1.cccceep-1, 0x1.9a3586p-1, 0x1.68e53cp-1, 0x1.39d084p-1, 0x1.0e3e4p-1},
     {-0x1.e66674p+0, -0x1.ccd7d6p+0, -0x1.b35c36p+0, -0x1.99fc72p+0, -0x1.80c1fep+0}},
    {"adamw",
     [] { return o::AdamW({.learning_rate = 0.1}); },
     {0x1.cc988p-1, 0x1.99d2f8p-1, 0x1.685c22p-1, 0x1.392a5ep-1, 0x1.0d86fep-1},
     {-0x1.e63206p+0, -0x1.cc71bap+0, -0x1.b2c74p+0, -0x1.993b88p+0, -0x1.7fd81ep+0}},
    {"nadam",
     [] { return o::Nadam({.learning_rate = 0.1}); },
     {0x1.c995d4p-1, 0x1.a65032p-1, 0x1.883d02p-1, 0x1.6cbd02p-1, 0x1.5332p-1},
     {-0x1.e4caeap+0, -0x1.d1770cp+0, -0x1.bfedbep+0, -0x1.aed38ap+0, -0x1.9db57p+0}},
    {"adadelta",
     [] { return o::Adadelta({.learning_rate = 0.1}); },
     {0x1.ffed76p-1, 0x1.ffdabp-1, 0x1.ffc7c2p-1, 0x1.ffb4b6p-1, 0x1.ffa192p-1},
     {-0x1.fff6bcp+0, -0x1.ffed5ap+0, -0x1.ffe3e2p+0, -0x1.ffda5cp+0, -0x1.ffd0c8p+0}},
    {"adamax",
     [] { return o::Adamax({.learning_rate = 0.1}); },
     {0x1.cccccep-1, 0x1.9ef194p-1, 0x1.7639d2p-1, 0x1.526c42p-1, 0x1.334b4cp-1},
     {-0x1.e66666p+0, -0x1.cd72ep+0, -0x1.b5287p+0, -0x1.9d89ccp+0, -0x1.86995cp+0}},
    {"ftrl",
     [] { return o::Ftrl({.learning_rate = 0.1}); },
     {0x1.34cf14p-1, 0x1.2aed8cp-1, 0x1.22fe2cp-1, 0x1.1c9356p-1, 0x1.175ccp-1},
     {-0x1.96c0dp+0, -0x1.86f31cp+0, -0x1.79e2f4p+0, -0x1.6e8ffcp+0, -0x1.6477cp+0}},
    {"lion",
     [] { return o::Lion({.learning_rate = 0.1}); },
     {0x1.ccccccp-1, 0x1.999998p-1, 0x1.666664p-1, 0x1.33333p-1, 0x1.fffffap-2},
     {-0x1.e66666p+0, -0x1.ccccccp+0, -0x1.b33332p+0, -0x1.999998p+0, -0x1.7ffffep+0}},
    {"lamb",
     [] { return o::Lamb({.learning_rate = 0.1}); },
     {0x1.af0bb2p-1, 0x1.669e5p-1, 0x1.26e4cap-1, 0x1.e14798p-2, 0x1.8aaa44p-2},
     {-0x1.d785d8p+0, -0x1.b26c3ep+0, -0x1.8fe00cp+0, -0x1.6f00fp+0, -0x1.4f05b8p+0}},
    {"adafactor",
     [] { return o::Adafactor({.learning_rate = 0.1}); },
     {0x1.af0bb2p-1, 0x1.72dfccp-1, 0x1.47e2c6p-1, 0x1.2abacep-1, 0x1.1819c4p-1},
     {-0x1.d785dap+0, -0x1.b42f6cp+0, -0x1.94f11ep+0, -0x1.7906acp+0, -0x1.5fdd18p+0}},
};

// The gradient [2 w0 - 1, w1].
Tensor SlopeAt(const Tensor& w) {
  const Tensor two_one = Cast(Constant<float>({2, 1}), w.dtype());
  const Tensor one_zero = Cast(Constant<float>({1, 0}), w.dtype());
  return w * two_one - one_zero;
}

template <typename T>
Variable Start() {
  return Variable(Constant<T>({1, -2}), {.name = "w"});
}

TEST(OptimizersTest, WalksKerasTrajectories) {
  for (const Trajectory& expected : kTrajectories) {
    SCOPED_TRACE(expected.name);
    const OptimizerPtr optimizer = expected.make();
    const Variable w = Start<float>();
    for (size_t step = 0; step < 5; ++step) {
      optimizer->Apply({SlopeAt(w)}, std::vector<Variable>{w});
      EXPECT_NEAR(w.value().data<float>()[0], expected.first[step], 5e-7);
      EXPECT_NEAR(w.value().data<float>()[1], expected.second[step], 5e-7);
    }
    EXPECT_EQ(optimizer->iterations().value().scalar<int64_t>(), 5);
  }
}

// The float32 walk above has lost so much where powers near one were subtracted from one.
TEST(OptimizersTest, WalksTheSameWayInFloat64) {
  for (const Trajectory& expected : kTrajectories) {
    SCOPED_TRACE(expected.name);
    const OptimizerPtr optimizer = expected.make();
    const Variable w = Start<double>();
    for (size_t step = 0; step < 5; ++step) {
      optimizer->Apply({SlopeAt(w)}, std::vector<Variable>{w});
      EXPECT_NEAR(w.value().data<double>()[0], expected.first[step], 1e-5);
      EXPECT_NEAR(w.value().data<double>()[1], expected.second[step], 1e-5);
    }
  }
}

// Weights and slots of 16 bits are updated in float32 and rounded once; 1100 of them are more than
// one block.
TEST(OptimizersTest, UpdatesWeightsOfSixteenBits) {
  for (const DType dtype : {DType::kBFloat16, DType::kFloat16}) {
    const Variable w(Cast(Ones({2, 550}), dtype), {.name = "w"});
    const Tensor gradient = Cast(Ones({2, 550}) * 0.5, dtype);
    const OptimizerPtr momentum = o::Sgd({.learning_rate = 0.125, .momentum = 0.5});
    for (int step = 0; step < 2; ++step) momentum->Apply({gradient}, std::vector<Variable>{w});
    EXPECT_EQ(w.value().dtype(), dtype);
    for (const float value : Cast(w.value(), DType::kFloat32).ToVector<float>())
      ASSERT_EQ(value, 1 - 0.0625f - 0.09375f);
  }
}

// A matrix, a vector and a scalar, changed three times by gradients that follow from them.
std::vector<std::vector<float>> ThreeUpdates(Optimizer& optimizer, bool traced) {
  std::vector<float> values(6 * 17);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  const std::vector<Variable> weights{
      Variable(Constant(values, {6, 17}), {.name = "a/kernel"}),
      Variable(Constant<float>({1, -2, 3, 0.5, 7}), {.name = "a/bias"}),
      Variable(Scalar(2.5f), {.name = "scale"})};
  const auto step = [&] {
    std::vector<Tensor> gradients;
    for (const Variable& weight : weights) gradients.push_back(weight.value() * 0.5 - 0.125);
    optimizer.Apply(gradients, weights);
    return std::vector<Tensor>{};
  };
  const Function function([&](const std::vector<Tensor>&) { return step(); });
  for (int i = 0; i < 3; ++i) traced ? function.Call({}) : step();
  std::vector<std::vector<float>> results;
  for (const Variable& weight : weights) results.push_back(weight.value().ToVector<float>());
  for (const Variable& variable : optimizer.variables()) {
    if (variable.dtype() == DType::kFloat32) results.push_back(variable.value().ToVector<float>());
  }
  return results;
}

TEST(OptimizersTest, TracedUpdatesGiveTheEagerBits) {
  const UpdateOptions options[] = {
      {},
      {.weight_decay = 0.01, .clipnorm = 0.5},
      {.clipvalue = 0.2, .use_ema = true, .ema_momentum = 0.8, .ema_overwrite_frequency = 2},
      {.global_clipnorm = 0.5, .gradient_accumulation_steps = 2}};
  for (const std::string& name : o::Names()) {
    for (const UpdateOptions& update : options) {
      SCOPED_TRACE(name);
      const OptimizerPtr eager = o::Get(name, 0.1, update);
      const OptimizerPtr traced = o::Get(name, 0.1, update);
      EXPECT_EQ(ThreeUpdates(*eager, false), ThreeUpdates(*traced, true));
    }
  }
}

// Rows of a table, of which one occurs twice; Keras squares before it adds.
TEST(OptimizersTest, TakesSlicesAsKerasDoes) {
  const Tensor values = Constant<float>({1, 2, 3, 4, -0.5, 1}, {3, 2});
  const IndexedSlices slices{values, Constant<int32_t>({1, 3, 1}), Shape{4, 2}};
  const auto after = [&](OptimizerPtr optimizer) {
    const Variable w(Constant(std::vector<float>(8, 0), {4, 2}), {.name = "w"});
    optimizer->Apply({slices.ToTensor()}, std::vector<Variable>{w});
    return w.value().ToVector<float>();
  };
  EXPECT_EQ(after(o::Sgd({.learning_rate = 1.0})),
            (std::vector<float>{0, 0, -0.5, -3, 0, 0, -3, -4}));
  const auto adagrad = after(o::Adagrad({.learning_rate = 1.0}));
  EXPECT_NEAR(adagrad[2], -0.5 / std::sqrt(0.1 + 1 + 0.25), 1e-6);
  EXPECT_NEAR(adagrad[3], -3 / std::sqrt(0.1 + 4 + 1), 1e-6);
  EXPECT_EQ(adagrad[0], 0);
  const auto adamax = after(o::Adamax({.learning_rate = 1.0}));
  EXPECT_NEAR(adamax[2], -0.5 / (1 + 0.5), 1e-6);  // the magnitudes' sum
  const auto clipped = after(o::Sgd({.learning_rate = 1.0}, {.clipnorm = 1}));
  EXPECT_NEAR(clipped[3], -3 / std::sqrt(1 + 4 + 9 + 16 + 0.25 + 1), 1e-6);
}

TEST(OptimizersTest, AdamTakesAnyGradient) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> gradients{0,    1e-20f, -1e-15f, 1e-5f,    1,
                                     -300, 1e18f,  1e30f,   infinity, nan};
  const Variable w(Constant(std::vector<float>(gradients.size(), 1), {10}), {.name = "w"});
  o::Adam({.learning_rate = 0.5})->Apply({Constant(gradients)}, std::vector<Variable>{w});
  const auto result = w.value().ToVector<float>();
  for (size_t i = 0; i < 7; ++i) {
    const double g = gradients[i];
    const double correction = std::sqrt(1 - 0.999) / (1 - 0.9);
    const double step = 0.5 * correction * 0.1 * g / (std::sqrt(0.001 * g * g) + 1e-7);
    EXPECT_NEAR(result[i], 1 - step, 1e-4 * std::abs(step) + 1e-7) << g;
  }
  EXPECT_EQ(result[7], 1);  // the square overflows: a step of finite over infinite
  EXPECT_TRUE(std::isnan(result[8]));
  EXPECT_TRUE(std::isnan(result[9]));
}

// Through float64, whose updates use the exact root and quotient.
TEST(OptimizersTest, FastRootsOfAdamAreAccurate) {
  std::vector<float> gradients;
  for (int i = -40; i <= 40; ++i) gradients.push_back(std::pow(3.0f, 0.5f * static_cast<float>(i)));
  const std::vector<double> wide(gradients.begin(), gradients.end());
  const Shape shape{static_cast<int64_t>(gradients.size())};
  const Variable narrow(Constant(std::vector<float>(gradients.size(), 0), shape), {.name = "w"});
  const Variable exact(Constant(std::vector<double>(gradients.size(), 0), shape), {.name = "w"});
  // Powers of two, so that both dtypes have the same constants.
  const o::AdamOptions options{
      .learning_rate = 0.5, .beta_1 = 0.5, .beta_2 = 0.5, .epsilon = 0.125};
  o::Adam(options)->Apply({Constant(gradients)}, std::vector<Variable>{narrow});
  o::Adam(options)->Apply({Constant(wide)}, std::vector<Variable>{exact});
  for (size_t i = 0; i < gradients.size(); ++i) {
    const double expected = exact.value().data<double>()[i];
    EXPECT_NEAR(narrow.value().data<float>()[i] / expected, 1, 8 * 0x1p-24) << gradients[i];
  }
}

TEST(OptimizersTest, ClipsNormsValuesAndTheGlobalNorm) {
  const auto after = [](const UpdateOptions& update, float scale) {
    const Variable a(Constant<float>({0, 0}), {.name = "a"});
    const Variable b(Constant<float>({0}), {.name = "b"});
    o::Sgd({.learning_rate = 1.0}, update)
        ->Apply({Constant<float>({3 * scale, 4 * scale}), Constant<float>({12 * scale})},
                std::vector<Variable>{a, b});
    std::vector<float> all = a.value().ToVector<float>();
    all.push_back(b.value().data<float>()[0]);
    return all;
  };
  using Values = std::vector<float>;
  EXPECT_EQ(after({}, 1), (Values{-3, -4, -12}));
  EXPECT_EQ(after({.clipvalue = 3.5}, 1), (Values{-3, -3.5, -3.5}));
  EXPECT_EQ(after({.clipnorm = 10}, 1), (Values{-3, -4, -10}));
  EXPECT_EQ(after({.global_clipnorm = 6.5}, 1), (Values{-1.5, -2, -6}));
  EXPECT_EQ(after({.global_clipnorm = 26}, 1), (Values{-3, -4, -12}));
  EXPECT_EQ(after({.clipnorm = 1}, 0), (Values{-0.0f, -0.0f, -0.0f}));
  EXPECT_EQ(after({.global_clipnorm = 1}, 0), (Values{-0.0f, -0.0f, -0.0f}));
  EXPECT_TRUE(std::isnan(after({.global_clipnorm = 1}, INFINITY)[0]));
}

TEST(OptimizersTest, NotesNormsOfGradientsBeforeTheyAreClipped) {
  using Norms = std::vector<std::pair<std::string, double>>;
  const auto norms = [](const OptimizerPtr& optimizer, float scale, DType dtype) {
    const Variable a(Zeros({2}, dtype), {.name = "a"});
    const Variable b(Zeros({1}, dtype), {.name = "b"});
    const Tensor slope = Cast(Constant<float>({3 * scale, 4 * scale}), dtype);
    const std::vector<Variable> weights{a, b};
    optimizer->Apply({slope, Cast(Constant<float>({-12 * scale}), dtype)}, weights);
    EXPECT_EQ(optimizer->gradient_norms(), Norms());
    const size_t before = optimizer->variables().size();
    optimizer->KeepGradientNorms(true);
    optimizer->Apply({slope, Tensor()}, weights);
    EXPECT_EQ(optimizer->variables().size(), before);  // a save stays as it is
    return optimizer->gradient_norms();
  };
  const Norms expected{{"a", 5}, {"b", 0}};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16}) {
    EXPECT_EQ(norms(o::Sgd({}, {.clipnorm = 1}), 1, dtype), expected) << DTypeName(dtype);
    EXPECT_EQ(norms(o::LossScaleOptimizer(o::Adam(), {.initial_scale = 8}), 8, dtype), expected);
  }
}

TEST(OptimizersTest, DecaysAllWeightsButTheExcluded) {
  const Variable kernel(Constant<float>({2}), {.name = "dense/kernel"});
  const Variable bias(Constant<float>({2}), {.name = "dense/bias"});
  o::Sgd({.learning_rate = 0.5}, {.weight_decay = 0.5, .exclude_from_weight_decay = {"bias"}})
      ->Apply({Constant<float>({0}), Constant<float>({0})}, std::vector<Variable>{kernel, bias});
  EXPECT_EQ(kernel.value().data<float>()[0], 1.5);
  EXPECT_EQ(bias.value().data<float>()[0], 2);
}

TEST(OptimizersTest, AveragesWeightsAndTakesThemAtTheEnd) {
  const Variable w(Constant<float>({8}), {.name = "w"});
  const OptimizerPtr optimizer =
      o::Sgd({.learning_rate = 1.0}, {.use_ema = true, .ema_momentum = 0.5});
  for (int i = 0; i < 2; ++i) optimizer->Apply({Constant<float>({2})}, std::vector<Variable>{w});
  EXPECT_EQ(w.value().data<float>()[0], 4);
  optimizer->Finalize();
  EXPECT_EQ(w.value().data<float>()[0], 5);  // of 6 and 4
}

TEST(OptimizersTest, AccumulatesGradients) {
  const Variable w(Constant<float>({0}), {.name = "w"});
  const OptimizerPtr optimizer = o::Sgd({.learning_rate = 1.0}, {.gradient_accumulation_steps = 3});
  std::vector<float> path;
  for (float gradient : {1.0f, 2.0f, 6.0f, 3.0f}) {
    optimizer->Apply({Constant<float>({gradient})}, std::vector<Variable>{w});
    path.push_back(w.value().data<float>()[0]);
  }
  EXPECT_EQ(path, (std::vector<float>{0, 0, -3, -3}));
  EXPECT_EQ(optimizer->iterations().value().scalar<int64_t>(), 4);
}

// One that knows nothing of decay and accumulation.
class OwnDescent : public Optimizer {
 public:
  explicit OwnDescent(const UpdateOptions& options) : Optimizer("own", 0.5, options) {}

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override { return {"calls"}; }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor&) const override { return {}; }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    slots[0].AssignAdd(Constant<float>({1}));
    weight.AssignSub(context.rate * gradient.value);
  }
};

TEST(OptimizersTest, AdamRefusesMeansThatForgetNothing) {
  EXPECT_THROW(o::Adam({.beta_1 = 1}), Error);
  EXPECT_THROW(o::Adam({.beta_2 = 2}), Error);
  EXPECT_THROW(o::Nadam({.epsilon = -1}), Error);
  EXPECT_THROW(o::Adamax({.beta_2 = std::nan("")}), Error);
}

TEST(OptimizersTest, OwnRulesAreDecayedAndAccumulatedForThem) {
  const Variable w(Constant<float>({8}), {.name = "w"});
  OwnDescent optimizer({.weight_decay = 0.5, .gradient_accumulation_steps = 2});
  std::vector<float> path;
  for (float gradient : {1.0f, 3.0f, 5.0f, 3.0f}) {
    optimizer.Apply({Constant<float>({gradient})}, std::vector<Variable>{w});
    path.push_back(w.value().data<float>()[0]);
  }
  EXPECT_EQ(path, (std::vector<float>{8, 5, 5, 1.75}));  // 0.75 * 8 - 1, 0.75 * 5 - 2
  EXPECT_EQ(optimizer.variables().back().value().data<float>()[0], 2);
}

TEST(OptimizersTest, LossScaleSkipsWhatIsNotFinite) {
  const Variable w(Constant<float>({1}), {.name = "w"});
  const OptimizerPtr inner = o::Sgd({.learning_rate = 1.0});
  const OptimizerPtr optimizer =
      o::LossScaleOptimizer(inner, {.initial_scale = 8, .dynamic_growth_steps = 2});
  const auto scale = [&] { return optimizer->ScaleLoss(Scalar(1.0f)).scalar<float>(); };
  const auto apply = [&](float gradient) {
    optimizer->Apply({Constant<float>({gradient})}, std::vector<Variable>{w});
  };
  EXPECT_EQ(scale(), 8);
  apply(INFINITY);
  EXPECT_EQ(w.value().data<float>()[0], 1);
  EXPECT_EQ(inner->iterations().value().scalar<int64_t>(), 0);
  EXPECT_EQ(scale(), 4);
  apply(2);
  EXPECT_EQ(w.value().data<float>()[0], 0.5);
  EXPECT_EQ(scale(), 4);
  apply(2);
  EXPECT_EQ(w.value().data<float>()[0], 0);
  EXPECT_EQ(scale(), 8);
  EXPECT_EQ(optimizer->iterations().value().scalar<int64_t>(), 2);
}

TEST(OptimizersTest, LossScaleFactorDividesGradients) {
  const Variable w(Constant<float>({1}), {.name = "w"});
  const OptimizerPtr optimizer = o::Sgd({.learning_rate = 1.0}, {.loss_scale_factor = 4});
  EXPECT_EQ(optimizer->ScaleLoss(Scalar(3.0f)).scalar<float>(), 12);
  optimizer->Apply({Constant<float>({2})}, std::vector<Variable>{w});
  EXPECT_EQ(w.value().data<float>()[0], 0.5);
}

TEST(OptimizersTest, NamesSlotsAfterWeights) {
  const Variable w(Constant<float>({1}), {.name = "dense/kernel"});
  const OptimizerPtr optimizer = o::Adam({}, {.use_ema = true});
  optimizer->Build({w});
  std::vector<std::string> names;
  for (const Variable& variable : optimizer->variables()) names.push_back(variable.name());
  EXPECT_EQ(names, (std::vector<std::string>{
                       "adam/iterations", "adam/learning_rate", "adam/dense_kernel_average",
                       "adam/dense_kernel_momentum", "adam/dense_kernel_velocity"}));
}

TEST(OptimizersTest, SkipsEmptyGradients) {
  const Variable a(Constant<float>({1}), {.name = "a"});
  const Variable b(Constant<float>({1}), {.name = "b"});
  o::Sgd({.learning_rate = 1.0})
      ->Apply({Tensor(), Constant<float>({1})}, std::vector<Variable>{a, b});
  EXPECT_EQ(a.value().data<float>()[0], 1);
  EXPECT_EQ(b.value().data<float>()[0], 0);
}

TEST(OptimizersTest, RatesAreSetUnlessTheyFollowFromASchedule) {
  const OptimizerPtr fixed = o::Adam({.learning_rate = 0.25});
  fixed->SetLearningRate(0.5);
  EXPECT_EQ(fixed->learning_rate().scalar<float>(), 0.5);
  const OptimizerPtr scheduled =
      o::Adam({.learning_rate = schedules::PiecewiseConstantDecay({0}, {1, 0.5})});
  const Variable w(Constant<float>({1}), {.name = "w"});
  EXPECT_EQ(scheduled->learning_rate().scalar<float>(), 1);
  scheduled->Apply({Constant<float>({1})}, std::vector<Variable>{w});
  EXPECT_EQ(scheduled->learning_rate().scalar<float>(), 0.5);
}

void ExpectInvalid(const std::function<void()>& call, const char* part) {
  ExpectError(Code::kInvalidArgument, part, call);
}

TEST(OptimizersTest, RefusesOtherNames) {
  const Error error = ErrorOf([] { o::Get("adm"); });
  EXPECT_EQ(error.code(), Code::kNotFound);
  EXPECT_THAT(error.what(), HasSubstr("[optimizers] the name must be one of sgd, momentum, "));
  EXPECT_THAT(error.what(), HasSubstr("; got 'adm'"));
}

TEST(OptimizersTest, RefusesWrongOptions) {
  ExpectInvalid([] { o::Sgd({.learning_rate = -1.0}); },
                "[sgd] learning_rate must not be negative; got -1.0");
  ExpectInvalid([] { o::Adam({}, {.clipnorm = 1, .clipvalue = 2}); },
                "[adam] only one of clipnorm, clipvalue and global_clipnorm may be set; got 1.0");
  ExpectInvalid([] { o::Adam({}, {.clipnorm = -1}); }, "clipnorm must not be negative; got -1.0");
  ExpectInvalid([] { o::Adam({}, {.use_ema = true, .ema_momentum = 1.5}); },
                "ema_momentum must be in [0, 1]; got 1.5");
  ExpectInvalid([] { o::Adam({}, {.gradient_accumulation_steps = 1}); }, "got 1");
  ExpectInvalid([] { o::Sgd({.momentum = 2}); }, "momentum must be in [0, 1]; got 2.0");
  ExpectInvalid([] { o::Ftrl({.learning_rate_power = 0.5}); }, "must not be positive; got 0.5");
  ExpectInvalid([] { o::LossScaleOptimizer(o::Sgd({}, {.loss_scale_factor = 2})); },
                "got loss_scale_factor 2.0");
  ExpectError(Code::kFailedPrecondition,
              "[sgd] the rate follows from a schedule; got an assignment of 0.1", [] {
                o::Sgd({.learning_rate = schedules::PiecewiseConstantDecay({1}, {1, 2})})
                    ->SetLearningRate(0.1);
              });
}

TEST(OptimizersTest, RefusesGradientsThatDoNotFit) {
  const Variable w(Constant<float>({1, 2}), {.name = "w"});
  const auto apply = [&](const std::vector<Tensor>& gradients) {
    o::Adam()->Apply(gradients, std::vector<Variable>{w});
  };
  ExpectInvalid([&] { apply({Tensor()}); }, "at least one weight needs a gradient; got none for 1");
  ExpectInvalid([&] { apply({}); }, "got 0 gradients for 1 weights");
  ExpectInvalid(
      [&] {
        apply({Constant<float>({1, 2, 3})});
      },
      "[ResourceApplyAdam] the gradient must have the weight's shape; got float32[3]");
}

}  // namespace
}  // namespace lockstep
