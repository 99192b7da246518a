// Layers that compute in another dtype than they keep their weights in.

#include "lockstep/nn/dtype_policy.h"
#include "base/folder_test.h"

#include <gmock/gmock.h>

#include "base/error_of_test.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/functional.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "nn/trained_test.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

// The policy of a test, and float32 again behind it.
class PolicyScope {
 public:
  explicit PolicyScope(std::string_view name) { SetGlobalPolicy(DTypePolicy::Named(name)); }
  ~PolicyScope() { SetGlobalPolicy({}); }
};

TEST(DTypePolicies, HaveKerasNames) {
  for (const char* name :
       {"float32", "float64", "bfloat16", "float16", "mixed_bfloat16", "mixed_float16"}) {
    EXPECT_EQ(DTypePolicy::Named(name).name(), name);
  }
  const DTypePolicy mixed = DTypePolicy::Named("mixed_bfloat16");
  EXPECT_EQ(mixed.compute, DType::kBFloat16);
  EXPECT_EQ(mixed.variable, DType::kFloat32);
  ExpectError(Code::kInvalidArgument, "mixed_bfloat16 or mixed_float16; got mixed_int8",
              [] { DTypePolicy::Named("mixed_int8"); });
  ExpectError(Code::kInvalidArgument, "got int32", [] { DTypePolicy::Named("int32"); });
}

Tensor Waves(const Shape& shape) {
  std::vector<float> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.3f * static_cast<float>(i));
  return Tensor::FromVector(values, shape);
}

struct Case {
  const char* name;
  LayerPtr (*make)();
  Shape input;
};

const Case kCases[] = {
    {"dense", [] { return Dense(3, relu); }, {4, 6}},
    {"dense of steps", [] { return Dense(3); }, {2, 3, 6}},
    {"conv1d", [] { return Conv1D(3, 2); }, {2, 5, 3}},
    {"conv2d", [] { return Conv2D(3, 2, {.padding = "same"}); }, {2, 5, 5, 2}},
    {"transposed", [] { return Conv2DTranspose(3, 2); }, {2, 4, 4, 2}},
    {"depthwise", [] { return DepthwiseConv2D(2); }, {2, 4, 4, 2}},
    {"batch normalization", [] { return BatchNormalization(); }, {6, 3}},
    {"layer normalization", [] { return LayerNormalization(); }, {4, 6}},
    {"in the middle", [] { return LayerNormalization({.axis = {1}}); }, {4, 6, 2}},
    {"group normalization", [] { return GroupNormalization({.groups = 2}); }, {3, 5, 4}},
    {"rms normalization", [] { return RMSNormalization(); }, {4, 6}},
    {"unit normalization", [] { return UnitNormalization(); }, {4, 6}},
    {"attention", [] { return MultiHeadAttention(2, 3, {.use_causal_mask = true}); }, {2, 5, 4}},
    {"dropped", [] { return MultiHeadAttention(2, 3, {.dropout = 0.1}); }, {2, 5, 4}},
    {"lstm", [] { return LayerPtr(LSTM(3)); }, {2, 4, 3}},
    {"gru", [] { return LayerPtr(GRU(3, {.return_sequences = true})); }, {2, 4, 3}},
    {"rnn", [] { return LayerPtr(SimpleRNN(3)); }, {2, 4, 3}},
    {"both ways", [] { return LayerPtr(Bidirectional(LSTM(3))); }, {2, 4, 3}},
    {"distributed", [] { return TimeDistributed(Dense(3)); }, {2, 4, 3}},
    {"prelu", [] { return PReLU(); }, {4, 6}},
    {"softmax", [] { return Softmax(); }, {4, 6}},
    {"dropout", [] { return Dropout(0.5); }, {4, 6}},
    {"noise", [] { return GaussianNoise(0.5); }, {4, 6}},
    {"pooling", [] { return MaxPooling2D(); }, {2, 4, 4, 2}},
    {"average", [] { return AveragePooling2D(); }, {2, 4, 4, 2}},
    {"flatten", [] { return Flatten(); }, {2, 4, 4, 2}},
    {"rescaling", [] { return Rescaling(0.5); }, {4, 6}},
};

class Policies : public testing::TestWithParam<const char*> {};

TEST_P(Policies, DecideTheDtypesOfAllLayers) {
  const PolicyScope scope(GetParam());
  const DTypePolicy policy = GlobalPolicy();
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    SetRandomSeed(5);
    const LayerPtr layer = one.make();
    const Tensor x = Waves(one.input);
    Tensor y;
    std::vector<Tensor> gradients;
    std::vector<Variable> weights;
    {
      GradientTape tape;
      y = layer(x, true);
      for (const Weight& weight : layer->trainable_weights()) weights.push_back(weight.variable);
      gradients = tape.Gradient(ReduceSum(y * y), weights);
    }
    EXPECT_EQ(y.dtype(), policy.compute);
    for (const Weight& weight : layer->weights())
      EXPECT_EQ(weight.variable.dtype(), policy.variable) << weight.variable.name();
    for (size_t i = 0; i < weights.size(); ++i) {
      ASSERT_TRUE(gradients[i].defined());
      EXPECT_EQ(gradients[i].dtype(), policy.variable);
    }
    EXPECT_EQ(layer(x).dtype(), policy.compute);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Policies,
                         testing::Values("float32", "float64", "bfloat16", "float16",
                                         "mixed_bfloat16", "mixed_float16"),
                         [](const auto& info) { return std::string(info.param); });

// What is computed in half precision lies near what float32 gives.
TEST(DTypePolicies, ChangeTheValuesALittle) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    std::vector<Tensor> results;
    for (const char* policy : {"float32", "mixed_bfloat16", "mixed_float16"}) {
      const PolicyScope scope(policy);
      SetRandomSeed(5);
      const LayerPtr layer = one.make();
      results.push_back(Cast(layer(Waves(one.input)), DType::kFloat32));
    }
    const auto error = [&](int i) {
      return ReduceMax(Abs(results[i] - results[0])).scalar<float>();
    };
    const float size = ReduceMax(Abs(results[0])).scalar<float>();
    EXPECT_LT(error(1), 0.03f * size);
    EXPECT_LT(error(2), 0.004f * size);
  }
}

TEST(DTypePolicies, ReadsWeightsOnlyInsideOfTheLayerInHalf) {
  const PolicyScope scope("mixed_bfloat16");
  const LayerPtr layer = Dense(2);
  layer(Waves({3, 4}));
  const Variable kernel = layer->weights()[0].variable;
  EXPECT_EQ(kernel.value().dtype(), DType::kFloat32);
  EXPECT_EQ(kernel.AssignAdd(Waves({4, 2})).dtype(), DType::kFloat32);
}

TEST(DTypePolicies, MayDifferInALayer) {
  const PolicyScope scope("mixed_bfloat16");
  const LayerPtr last = WithPolicy(DTypePolicy::Named("float32"), Dense(4));
  EXPECT_EQ(last(Cast(Waves({3, 4}), DType::kBFloat16)).dtype(), DType::kFloat32);
  ExpectError(Code::kFailedPrecondition,
              "keeps its dtype policy, float32, once it has weights; got mixed_bfloat16",
              [&] { last->set_dtype_policy(DTypePolicy::Named("mixed_bfloat16")); });
  // For the layers inside, too.
  const LayerPtr outer = WithPolicy(DTypePolicy::Named("float16"), TimeDistributed(Dense(2)));
  EXPECT_EQ(outer(Waves({2, 3, 4})).dtype(), DType::kFloat16);
  // The symbols of functional models have the dtypes that the values will have.
  const Tensor x = Input({4});
  EXPECT_EQ(Dense(3)(x).dtype(), DType::kBFloat16);
}

TEST(DTypePolicies, CastFewRowsOfAnEmbedding) {
  const PolicyScope scope("mixed_bfloat16");
  const LayerPtr layer = Embedding(50, 3);
  GradientTape tape;
  const Tensor rows = layer(Constant<int32_t>({4, 9}));
  EXPECT_EQ(rows.dtype(), DType::kBFloat16);
  const Tensor gradient = tape.Gradient(ReduceSum(rows), layer->weights()[0].variable);
  EXPECT_NE(IndexedSlices::Of(gradient), nullptr);
  EXPECT_EQ(gradient.dtype(), DType::kFloat32);
}

std::unique_ptr<Sequential> MakeModel() {
  auto model = std::make_unique<Sequential>(
      std::initializer_list<LayerPtr>{Dense(24, relu), BatchNormalization(), Dropout(0.1),
                                      Dense(16, gelu), LayerNormalization(), Dense(4)});
  model->Compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                  .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                  .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  return model;
}

Trained TrainUnder(Strategy&& strategy) {
  SetRandomSeed(3);
  const auto scope = strategy.scope();
  const auto model = MakeModel();
  const History history =
      model->Fit(Features(), Labels(),
                 {.batch_size = 20, .epochs = 4, .verbose = Verbosity::kSilent, .shards = 4});
  return EndOf(*model, history);
}

class HalfPolicies : public testing::TestWithParam<const char*> {};

TEST_P(HalfPolicies, TrainToOneDigestOnAnyNumberOfDevices) {
  const PolicyScope scope(GetParam());
  const Trained one = TrainUnder(MirroredStrategy({.devices = 1, .replicas = 1}));
  const std::vector<double>& loss = one.history.at("loss");
  // Weights in bfloat16 do not see small changes.
  if (GlobalPolicy().variable == DType::kFloat32) {
    EXPECT_LT(loss.back(), loss.front());
  }
  // Replicas are other leaves of the sums: the batch is cut.
  EXPECT_NE(TrainUnder(MirroredStrategy({.devices = 1, .replicas = 3})).weights, one.weights);
  for (const int devices : {2, 3, 4}) {
    ExpectIs(one, TrainUnder(MirroredStrategy({.devices = devices, .replicas = 1})),
             std::to_string(devices) + " devices");
  }
  ExpectIs(one, TrainUnder(CentralStorageStrategy({.devices = 3})), "central storage");
}

INSTANTIATE_TEST_SUITE_P(All, HalfPolicies,
                         testing::Values("bfloat16", "mixed_bfloat16", "mixed_float16"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DTypePolicies, ScaleTheLossInMixedFloat16) {
  const PolicyScope scope("mixed_float16");
  auto model = MakeModel();
  EXPECT_EQ(model->compiled().optimizer->name(), "loss_scale_optimizer");
  // One that is there already stays the only one.
  model->Compile({.optimizer = optimizers::LossScaleOptimizer(optimizers::Adam()),
                  .loss = losses::MeanSquaredError()});
  EXPECT_EQ(model->compiled().optimizer->name(), "loss_scale_optimizer");
  SetGlobalPolicy(DTypePolicy::Named("mixed_bfloat16"));
  EXPECT_EQ(MakeModel()->compiled().optimizer->name(), "adam");
}

TEST(DTypePolicies, BelongToASave) {
  const base::TestFolder place;
  const std::string folder = place.Path("saves");
  {
    const PolicyScope scope("mixed_bfloat16");
    const auto model = MakeModel();
    model->Fit(Features(), Labels(), {.batch_size = 20, .verbose = Verbosity::kSilent});
    model->SaveTraining(folder);
  }
  const auto model = MakeModel();
  model->ResumeTraining(folder);
  ExpectError(Code::kFailedPrecondition,
              "a training with dtype_policy \"mixed_bfloat16\"; got \"float32\"", [&] {
                model->Fit(Features(), Labels(),
                           {.batch_size = 20, .epochs = 2, .verbose = Verbosity::kSilent});
              });
}

}  // namespace
}  // namespace lockstep
