#include "lockstep/nn/layers.h"

#include <cmath>
#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/nn/model.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// -1, -0.9, ... in a fixed pattern.
Tensor Pattern(const Shape& shape) {
  std::vector<float> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i)
    values.push_back(static_cast<float>((i * 7) % 23 - 11) / 10);
  return Tensor::FromVector(values, shape);
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw_data(), b.raw_data(), a.num_bytes()) == 0;
}

std::string MessageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

struct ShapeCase {
  const char* what;
  LayerPtr layer;
  std::vector<Shape> inputs;
  Shape output;
  std::vector<std::string> weights;  // "kernel[3,3]"
};

std::vector<ShapeCase> ShapeCases() {
  const Shape image{2, 7, 6, 4}, steps{2, 7, 4};
  return {
      {"dense", Dense(3), {{2, 4}}, {2, 3}, {"kernel[4,3]", "bias[3]"}},
      {"dense rank 3", Dense(3, {.use_bias = false}), {{2, 5, 4}}, {2, 5, 3}, {"kernel[4,3]"}},
      {"embedding", Embedding(9, 3), {{2, 5}}, {2, 5, 3}, {"embeddings[9,3]"}},
      {"conv", Conv2D(8, 3), {image}, {2, 5, 4, 8}, {"kernel[3,3,4,8]", "bias[8]"}},
      {"conv strides",
       Conv2D(8, {3, 2}, {.strides = 2}),
       {image},
       {2, 3, 3, 8},
       {"kernel[3,2,4,8]", "bias[8]"}},
      {"conv same",
       Conv2D(8, 4, {.strides = {3, 2}, .padding = "same"}),
       {image},
       {2, 3, 3, 8},
       {"kernel[4,4,4,8]", "bias[8]"}},
      {"conv dilated",
       Conv2D(8, 3, {.dilation_rate = 2}),
       {image},
       {2, 3, 2, 8},
       {"kernel[3,3,4,8]", "bias[8]"}},
      {"conv groups",
       Conv2D(6, 1, {.groups = 2}),
       {image},
       {2, 7, 6, 6},
       {"kernel[1,1,2,6]", "bias[6]"}},
      {"depthwise",
       DepthwiseConv2D(3, {}, 2),
       {image},
       {2, 5, 4, 8},
       {"kernel[3,3,4,2]", "bias[8]"}},
      {"separable",
       SeparableConv2D(5, 3, {.padding = "same"}),
       {image},
       {2, 7, 6, 5},
       {"depthwise_kernel[3,3,4,1]", "pointwise_kernel[1,1,4,5]", "bias[5]"}},
      {"transposed",
       Conv2DTranspose(5, 3, {.strides = 2}),
       {image},
       {2, 15, 13, 5},
       {"kernel[3,3,5,4]", "bias[5]"}},
      {"transposed same",
       Conv2DTranspose(5, 3, {.strides = 2, .padding = "same"}),
       {image},
       {2, 14, 12, 5},
       {"kernel[3,3,5,4]", "bias[5]"}},
      {"transposed padded",
       Conv2DTranspose(5, 3, {.strides = {3, 2}, .output_padding = Size2D{1, 0}}),
       {image},
       {2, 22, 13, 5},
       {"kernel[3,3,5,4]", "bias[5]"}},
      {"transposed same padded",
       Conv2DTranspose(5, 3, {.strides = 2, .padding = "same", .output_padding = 0}),
       {image},
       {2, 13, 11, 5},
       {"kernel[3,3,5,4]", "bias[5]"}},
      {"conv1d", Conv1D(5, 3), {steps}, {2, 5, 5}, {"kernel[3,4,5]", "bias[5]"}},
      {"conv1d causal",
       Conv1D(5, 3, {.padding = "causal", .dilation_rate = 2}),
       {steps},
       {2, 7, 5},
       {"kernel[3,4,5]", "bias[5]"}},
      {"max pool", MaxPooling2D(), {image}, {2, 3, 3, 4}, {}},
      {"max pool same",
       MaxPooling2D(3, {.strides = 2, .padding = "same"}),
       {image},
       {2, 4, 3, 4},
       {}},
      {"average pool", AveragePooling2D({2, 3}), {image}, {2, 3, 2, 4}, {}},
      {"max pool 1d", MaxPooling1D(3), {steps}, {2, 2, 4}, {}},
      {"average pool 1d", AveragePooling1D(2, {.padding = "same"}), {steps}, {2, 4, 4}, {}},
      {"global average", GlobalAveragePooling2D(), {image}, {2, 4}, {}},
      {"global max kept", GlobalMaxPooling2D(true), {image}, {2, 1, 1, 4}, {}},
      {"global 1d", GlobalMaxPooling1D(), {steps}, {2, 4}, {}},
      {"up", UpSampling2D({2, 3}), {image}, {2, 14, 18, 4}, {}},
      {"up bilinear", BilinearUpSampling2D({2, 3}), {image}, {2, 14, 18, 4}, {}},
      {"simple rnn",
       SimpleRNN(3),
       {steps},
       {2, 3},
       {"simple_rnn_cell/kernel[4,3]", "simple_rnn_cell/recurrent_kernel[3,3]",
        "simple_rnn_cell/bias[3]"}},
      {"lstm",
       LSTM(3, {.return_sequences = true}),
       {steps},
       {2, 7, 3},
       {"lstm_cell/kernel[4,12]", "lstm_cell/recurrent_kernel[3,12]", "lstm_cell/bias[12]"}},
      {"gru before",
       GRU(3, {.go_backwards = true, .reset_after = false}),
       {steps},
       {2, 3},
       {"gru_cell/kernel[4,9]", "gru_cell/recurrent_kernel[3,9]", "gru_cell/bias[9]"}},
      {"bidirectional",
       Bidirectional(GRU(3, {.return_sequences = true})),
       {steps},
       {2, 7, 6},
       {"forward_gru/gru_cell/kernel[4,9]", "forward_gru/gru_cell/recurrent_kernel[3,9]",
        "forward_gru/gru_cell/bias[2,9]", "backward_gru/gru_cell/kernel[4,9]",
        "backward_gru/gru_cell/recurrent_kernel[3,9]", "backward_gru/gru_cell/bias[2,9]"}},
      {"time distributed",
       TimeDistributed(Dense(5)),
       {steps},
       {2, 7, 5},
       {"dense/kernel[4,5]", "dense/bias[5]"}},
      {"flatten", Flatten(), {image}, {2, 168}, {}},
      {"reshape", Reshape({-1, 8}), {image}, {2, 21, 8}, {}},
      {"permute", Permute({3, 1, 2}), {image}, {2, 4, 7, 6}, {}},
      {"repeat", RepeatVector(3), {{2, 5}}, {2, 3, 5}, {}},
      {"pad", ZeroPadding2D(Borders{1, 2, 0, 3}), {image}, {2, 10, 9, 4}, {}},
      {"crop", Cropping2D(Borders{1, 2, 0, 3}), {image}, {2, 4, 3, 4}, {}},
      {"crop 1d", Cropping1D(2, 1), {steps}, {2, 4, 4}, {}},
      {"batch norm",
       BatchNormalization(),
       {image},
       {2, 7, 6, 4},
       {"gamma[4]", "beta[4]", "moving_mean[4]", "moving_variance[4]"}},
      {"batch norm axis",
       BatchNormalization({.axis = 1, .scale = false}),
       {image},
       {2, 7, 6, 4},
       {"beta[7]", "moving_mean[7]", "moving_variance[7]"}},
      {"layer norm",
       LayerNormalization({.axis = {1, -1}}),
       {image},
       {2, 7, 6, 4},
       {"gamma[7,4]", "beta[7,4]"}},
      {"group norm",
       GroupNormalization({.groups = 2}),
       {image},
       {2, 7, 6, 4},
       {"gamma[4]", "beta[4]"}},
      {"rms norm", RMSNormalization(), {image}, {2, 7, 6, 4}, {"scale[4]"}},
      {"unit norm", UnitNormalization({1, 2}), {image}, {2, 7, 6, 4}, {}},
      {"prelu", PReLU({.shared_axes = {1, 2}}), {image}, {2, 7, 6, 4}, {"alpha[1,1,4]"}},
      {"attention heads",
       MultiHeadAttention(2, 3, {.value_dim = 5, .output_dim = 6}),
       {{2, 7, 4}, {2, 3, 8}},
       {2, 7, 6},
       {"query/kernel[4,2,3]", "query/bias[2,3]", "key/kernel[8,2,3]", "key/bias[2,3]",
        "value/kernel[8,2,5]", "value/bias[2,5]", "attention_output/kernel[2,5,6]",
        "attention_output/bias[6]"}},
      {"attention", Attention({.use_scale = true}), {steps, {2, 3, 4}}, {2, 7, 4}, {"scale[]"}},
      {"additive", AdditiveAttention(), {steps, {2, 3, 4}}, {2, 7, 4}, {"scale[4]"}},
      {"concatenate", Concatenate(), {{2, 3}, {2, 4}}, {2, 7}, {}},
      {"average", Average(), {{2, 3}, {2, 3}, {2, 3}}, {2, 3}, {}},
  };
}

TEST(LayersTest, HaveKerasShapesAndWeights) {
  for (const ShapeCase& one : ShapeCases()) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : one.inputs) {
      inputs.push_back(one.layer->type() == "embedding"
                           ? Constant<int64_t>(std::vector<int64_t>(shape.num_elements(), 8), shape)
                           : Pattern(shape));
    }
    const Tensor y = one.layer(inputs);
    EXPECT_EQ(y.shape(), one.output) << one.what;
    EXPECT_EQ(one.layer->output_shape(), one.output) << one.what;
    std::vector<std::string> weights;
    for (const Weight& weight : one.layer->weights()) {
      weights.push_back(weight.variable.name().substr(one.layer->name().size() + 1) +
                        weight.variable.shape().ToString());
    }
    EXPECT_EQ(weights, one.weights) << one.what;
  }
}

// The same bits eagerly and traced, and for an example whatever the other one is.
TEST(LayersTest, GiveTheSameBitsTracedAndBesideOtherExamples) {
  for (const ShapeCase& one : ShapeCases()) {
    if (one.layer->type() == "embedding") continue;
    std::vector<Tensor> inputs, others;
    for (const Shape& shape : one.inputs) {
      inputs.push_back(Pattern(shape));
      std::vector<float> values = inputs.back().ToVector<float>();
      for (size_t i = values.size() / 2; i < values.size(); ++i) values[i] = 3 - values[i];
      others.push_back(Tensor::FromVector(values, shape));
    }
    const Tensor y = one.layer(inputs);
    const Function traced(
        [&](const std::vector<Tensor>& given) { return std::vector<Tensor>{one.layer(given)}; });
    EXPECT_TRUE(SameBytes(traced.Call(inputs)[0], y)) << one.what;
    const Tensor beside = one.layer(others);
    EXPECT_EQ(std::memcmp(beside.raw_data(), y.raw_data(), y.num_bytes() / 2), 0) << one.what;
    EXPECT_NE(std::memcmp(beside.raw_data(), y.raw_data(), y.num_bytes()), 0) << one.what;
  }
}

TEST(LayersTest, MaskedStepsRepeatWhatWasBefore) {
  const Tensor x = Pattern({2, 4, 3});
  const Tensor ids = Constant<int32_t>({5, 2, 0, 0, 1, 0, 3, 4}, {2, 4});
  const Tensor mask = StepMask()(ids);
  EXPECT_EQ(mask.ToVector<bool>(),
            (std::vector<bool>{true, true, false, false, true, false, true, true}));
  const RecurrentPtr lstm = LSTM(2, {.return_sequences = true});
  const std::vector<Tensor> results = lstm->CallWithStates({x, mask});
  ASSERT_EQ(results.size(), 3);
  const auto y = results[0].ToVector<float>(), h = results[1].ToVector<float>();
  for (int unit = 0; unit < 2; ++unit) {
    EXPECT_EQ(y[2 * 2 + unit], y[1 * 2 + unit]);  // example 0, steps 2 and 3
    EXPECT_EQ(y[3 * 2 + unit], y[1 * 2 + unit]);
    EXPECT_EQ(y[8 + 1 * 2 + unit], y[8 + unit]);  // example 1, step 1
    EXPECT_NE(y[8 + 2 * 2 + unit], y[8 + unit]);
    EXPECT_EQ(h[unit], y[3 * 2 + unit]);
  }
  // Going on from the states gives what the whole gives.
  const Tensor first = lockstep::Slice(x, {0, 0, 0}, {-1, 2, -1});
  const Tensor rest = lockstep::Slice(x, {0, 2, 0}, {-1, 2, -1});
  const std::vector<Tensor> half = lstm->CallWithStates({first});
  const std::vector<Tensor> end = lstm->CallWithStates({rest, half[1], half[2]});
  EXPECT_TRUE(SameBytes(end[1], lstm->CallWithStates({x})[1]));
}

TEST(LayersTest, RecurrentLayersSayWhatDoesNotFit) {
  const RecurrentPtr gru = GRU(2);
  gru(Pattern({2, 4, 3}));
  const auto message = [&](const std::vector<Tensor>& inputs) {
    try {
      gru(inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.status().message();
    }
    return std::string();
  };
  EXPECT_EQ(
      message({Pattern({2, 4, 5})}),
      "[gru] the input must be [examples, steps, 3] with at least one step, as the kernel was "
      "built for; got [2,4,5]");
  EXPECT_EQ(message({Pattern({2, 4, 3}), Pattern({2, 2}), Pattern({2, 2})}),
            "[gru] the first states must be 1 tensors, not 2, for the input; got [2,4,3]");
  EXPECT_EQ(message({Pattern({2, 4, 3}), Pattern({2, 5})}),
            "[gru] a state must be [examples, 2]; got [2,5]");
  EXPECT_EQ(message({Pattern({2, 4, 3}), StepMask()(Pattern({2, 3}))}),
            "[gru] the mask must be [examples, 4]; got [2,3]");
}

// Its weight is made before anybody has named the layer.
class Early : public Layer {
 public:
  Early() : Layer("early"), weight_(AddWeight("w", Shape{4})) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override { return inputs[0] * weight_; }

 private:
  Variable weight_;
};

TEST(LayersTest, WeightsOfConstructorsHaveNamesOfTheirOwn) {
  Sequential model{std::make_shared<Early>(), std::make_shared<Early>(), Dense(2)};
  model(Pattern({1, 4}));
  const std::vector<Weight> weights = model.weights();
  ASSERT_EQ(weights.size(), 4u);
  EXPECT_EQ(weights[0].variable.name(), "early/w");
  EXPECT_EQ(weights[1].variable.name(), "early_1/w");
  EXPECT_EQ(weights[2].variable.name(), "dense/kernel");
  EXPECT_NE(weights[0].variable.value().ToVector<float>(),
            weights[1].variable.value().ToVector<float>());
}

TEST(LayersTest, DenseTakesWholeNumbers) {
  const LayerPtr dense = Dense(2, {.kernel_initializer = initializers::Ones()});
  for (DType dtype : {DType::kInt32, DType::kInt64, DType::kUInt8, DType::kFloat32}) {
    const Tensor y = (*dense)(Cast(Tensor::FromVector<float>({1, 2, 3, 4}, {2, 2}), dtype));
    EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{3, 3, 7, 7})) << DTypeName(dtype);
  }
}

TEST(LayersTest, TakeWholeNumbersAsFloating) {
  const Tensor steps = Constant<int32_t>({1, 2, 3, 5, 4, 0, 2, 1, 7, 3, 1, 6}, {2, 3, 2});
  const Tensor images = steps.WithShape({1, 3, 2, 2});
  const std::pair<LayerPtr, Tensor> cases[] = {
      {LayerNormalization(), steps},     {GroupNormalization({.groups = 2}), steps},
      {LayerPtr(LSTM(2)), steps},        {LayerPtr(GRU(2, {.return_sequences = true})), steps},
      {MultiHeadAttention(2, 3), steps}, {GlobalAveragePooling2D(), images},
  };
  for (const auto& [layer, x] : cases) {
    const Tensor y = layer(x);
    EXPECT_EQ(y.dtype(), DType::kFloat32) << layer->name();
    EXPECT_EQ(y.ToVector<float>(), layer(Cast(x, DType::kFloat32)).ToVector<float>())
        << layer->name();
  }
  const Tensor row = Constant<int32_t>({0, 3, 1, 2, 7, 100}, {1, 1, 6, 1});
  EXPECT_EQ(BilinearUpSampling2D(Size2D(1, 2))(row).ToVector<int32_t>(),
            (std::vector<int32_t>{0, 1, 2, 2, 2, 1, 2, 3, 6, 30, 77, 100}));
}

TEST(LayersTest, SayWhatDoesNotFitWithTheirName) {
  struct Refusal {
    LayerPtr layer;
    std::vector<Shape> inputs;
    const char* text;
  };
  const Refusal refusals[] = {
      {Dense(3, {.name = "head"}), {{4}}, "[head] the input needs an axis of examples"},
      {Conv2D(3, 3),
       {{2, 7, 7}},
       "[conv2d] the input must be images [n, h, w, channels]; got [2,7,7]"},
      {Conv2D(3, 9, {.name = "first"}),
       {{2, 7, 7, 1}},
       "[first] the window of 9 x 9 must fit into the image; got [2,7,7,1]"},
      {Conv2D(4, 3, {.groups = 2}),
       {{2, 7, 7, 3}},
       "[conv2d] the 2 groups must divide the channels; got [2,7,7,3]"},
      {Conv1D(4, 3), {{2, 2, 3}}, "[conv1d] the window of 3 must fit into the steps; got [2,2,3]"},
      {MaxPooling2D(4), {{2, 3, 5, 1}}, "[max_pooling2d] the pool must fit into the input"},
      {GlobalMaxPooling1D(),
       {{2, 3}},
       "[global_max_pooling1d] the input must be [n, steps, channels]"},
      {Reshape({5}),
       {{2, 6}},
       "[reshape] each example must have as many elements as [5]; got [2,6]"},
      {Permute({2, 1}), {{2, 6}}, "[permute] the input needs rank 3; got [2,6]"},
      {Cropping2D(2), {{2, 4, 9, 1}}, "[cropping2d] something must be left of axis 1"},
      {LayerNormalization({.axis = {0}}), {{2, 4}}, "[layer_normalization] examples must not be"},
      {GroupNormalization({.groups = 3}),
       {{2, 4}},
       "[group_normalization] 3 groups must divide the 4 channels; got [2,4]"},
      {Add(), {{2, 4}}, "[add] at least two inputs are needed; got 1"},
      {Subtract(), {{2, 4}, {2, 4}, {2, 4}}, "[subtract] two inputs are needed; got 3"},
      {Add(), {{2, 4}, {2, 3}}, "[add] "},
      {Concatenate(0), {{2, 4}, {2, 4}}, "[concatenate] examples are not joined"},
      {MultiHeadAttention(2, 3), {{2, 4}}, "[multi_head_attention] query, value and key must be"},
      {Attention(), {{2, 3, 4}, {2, 3, 5}}, "[attention] a query [n, t, d], values [n, s, v]"},
  };
  for (const Refusal& refusal : refusals) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : refusal.inputs) inputs.push_back(Pattern(shape));
    EXPECT_THAT(MessageOf([&] { refusal.layer(inputs); }), HasSubstr(refusal.text));
  }
  const LayerPtr built = Dense(3);
  built(Pattern({2, 4}));
  EXPECT_THAT(MessageOf([&] {
                built(Pattern({2, 5}));
              }),
              HasSubstr("[dense] the last axis must have the 4 features"));
}

TEST(LayersTest, RefuseOptionsThatCannotBeMeant) {
  EXPECT_THAT(MessageOf([] { Dense(0); }), HasSubstr("units must be positive; got 0"));
  EXPECT_THAT(MessageOf([] { Conv2D(3, 3, {.padding = "full"}); }),
              HasSubstr("[conv2d] padding must be \"valid\" or \"same\"; got \"full\""));
  EXPECT_THAT(MessageOf([] { Conv2D(3, 3, {.strides = 2, .dilation_rate = 2}); }),
              HasSubstr("strides and dilation_rate cannot both exceed 1"));
  EXPECT_THAT(MessageOf([] { Conv2D(3, 3, {.groups = 2}); }),
              HasSubstr("groups must divide filters; got 3 filters, 2 groups"));
  EXPECT_THAT(MessageOf([] { Dropout(1.5); }), HasSubstr("the rate must be in [0, 1]; got 1.5"));
  EXPECT_THAT(MessageOf([] { Reshape({-1, -1}); }), HasSubstr("at most one size may be -1"));
  EXPECT_THAT(MessageOf([] {
                Permute({1, 3});
              }),
              HasSubstr("a permutation of 1, 2, ...; got [1,3]"));
  EXPECT_THAT(MessageOf([] { LeakyReLU(-1); }), HasSubstr("negative_slope must not be negative"));
}

TEST(LayersTest, BentActivationsAreTheirDefinition) {
  const Tensor x = Constant<float>({-2, -0.5f, 0, 0.5f, 2, 8}, {1, 6});
  const auto values = [&](const LayerPtr& layer) { return layer(x).ToVector<float>(); };
  EXPECT_THAT(values(ReLU()), ElementsAre(0, 0, 0, 0.5f, 2, 8));
  EXPECT_THAT(values(ReLU({.max_value = 6, .negative_slope = 0.5})),
              ElementsAre(-1, -0.25f, 0, 0.5f, 2, 6));
  EXPECT_THAT(values(ReLU({.negative_slope = 0.5, .threshold = 1})),
              ElementsAre(-1.5f, -0.75f, -0.5f, -0.25f, 2, 8));
  EXPECT_THAT(values(LeakyReLU()), ElementsAre(-2 * 0.3f, -0.5f * 0.3f, 0, 0.5f, 2, 8));
  EXPECT_THAT(values(PReLU()), ElementsAre(0, 0, 0, 0.5f, 2, 8));
  const Tensor seen = Tensor::FromBools({true, false, true, false, false, false}, {1, 6});
  const Tensor y = Softmax()({x, seen});
  EXPECT_THAT(y.ToVector<float>()[1], 0);
  EXPECT_NEAR(y.data<float>()[2] / y.data<float>()[0], std::exp(2.0f), 1e-5);
}

// Layers inside layers have names below the outer one's, and are counted with it.
class Twice : public Layer {
 public:
  Twice() : Layer("twice"), first_(Track(Dense(3))), second_(Track(Dense(2))) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    return second_(first_(inputs[0]));
  }

 private:
  LayerPtr first_, second_;
};

TEST(LayerTest, NamesInnerLayersBelowItself) {
  Sequential model{std::make_shared<Twice>(), std::make_shared<Twice>()};
  model(Pattern({2, 4}));
  std::vector<std::string> names;
  for (const Variable& variable : model.variables()) names.push_back(variable.name());
  EXPECT_THAT(names, ElementsAre("twice/dense/kernel", "twice/dense/bias", "twice/dense_1/kernel",
                                 "twice/dense_1/bias", "twice_1/dense/kernel", "twice_1/dense/bias",
                                 "twice_1/dense_1/kernel", "twice_1/dense_1/bias"));
  EXPECT_EQ(model.CountParameters(), 4 * 3 + 3 + 3 * 2 + 2 + 2 * 3 + 3 + 3 * 2 + 2);
}

TEST(LayerTest, OfAFrozenLayerNothingIsTrained) {
  const LayerPtr twice = std::make_shared<Twice>();
  twice(Pattern({2, 4}));
  EXPECT_EQ(twice->trainable_weights().size(), 4u);
  twice->inner_layers()[0]->set_trainable(false);
  EXPECT_EQ(twice->trainable_weights().size(), 2u);
  twice->set_trainable(false);
  EXPECT_TRUE(twice->trainable_weights().empty());
  EXPECT_EQ(twice->weights().size(), 4u);
}

TEST(LayerTest, KeepsItsNameOnceItHasWeights) {
  const LayerPtr dense = Dense(3);
  dense(Pattern({2, 4}));
  try {
    dense->set_name("other");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    EXPECT_THAT(error.what(),
                HasSubstr("[dense] a layer keeps its name once it has weights; got other"));
  }
}

TEST(ActivationsTest, AreFoundByTheirKerasNames) {
  EXPECT_EQ(activations::Get("swish").name, "silu");
  EXPECT_EQ(activations::Get("hard_swish").name, "hard_silu");
  for (const std::string& name : activations::Names()) EXPECT_EQ(activations::Get(name).name, name);
  try {
    activations::Get("tanhh");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_THAT(error.what(), HasSubstr("tanh_shrink, threshold; got 'tanhh'"));
  }
}

// Values of Keras 3 at -3, -0.75, 0, 0.25, 2.
TEST(ActivationsTest, AreTheirDefinition) {
  const std::vector<float> x = {-3, -0.75f, 0, 0.25f, 2};
  struct Known {
    const char* name;
    double (*value)(double);
  };
  const Known all[] = {
      {"linear", [](double v) { return v; }},
      {"exponential", [](double v) { return std::exp(v); }},
      {"gelu", [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); }},
      {"celu", [](double v) { return v > 0 ? v : std::expm1(v); }},
      {"elu", [](double v) { return v > 0 ? v : std::expm1(v); }},
      {"hard_shrink", [](double v) { return std::abs(v) > 0.5 ? v : 0; }},
      {"hard_sigmoid", [](double v) { return std::min(std::max(v / 6 + 0.5, 0.0), 1.0); }},
      {"hard_silu", [](double v) { return v * std::min(std::max(v / 6 + 0.5, 0.0), 1.0); }},
      {"hard_tanh", [](double v) { return std::min(std::max(v, -1.0), 1.0); }},
      {"leaky_relu", [](double v) { return v > 0 ? v : 0.2 * v; }},
      {"log_sigmoid", [](double v) { return -std::log1p(std::exp(-v)); }},
      {"mish", [](double v) { return v * std::tanh(std::log1p(std::exp(v))); }},
      {"relu6", [](double v) { return std::min(std::max(v, 0.0), 6.0); }},
      {"selu",
       [](double v) {
         return 1.0507009873554805 * (v > 0 ? v : 1.6732632423543772 * std::expm1(v));
       }},
      {"sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
      {"silu", [](double v) { return v / (1 + std::exp(-v)); }},
      {"soft_shrink", [](double v) { return v > 0.5    ? v - 0.5
                                            : v < -0.5 ? v + 0.5
                                                       : 0; }},
      {"softplus", [](double v) { return std::log1p(std::exp(v)); }},
      {"softsign", [](double v) { return v / (1 + std::abs(v)); }},
      {"sparse_plus", [](double v) { return v <= -1 ? 0
                                            : v < 1 ? 0.25 * (v + 1) * (v + 1)
                                                    : v; }},
      {"sparse_sigmoid", [](double v) { return std::min(std::max(0.5 * (v + 1), 0.0), 1.0); }},
      {"squareplus", [](double v) { return (v + std::sqrt(v * v + 4)) / 2; }},
      {"tanh", [](double v) { return std::tanh(v); }},
      {"tanh_shrink", [](double v) { return v - std::tanh(v); }},
      {"threshold", [](double v) { return v > 1 ? v : 0; }},
  };
  for (const Known& known : all) {
    const Tensor y = activations::Get(known.name)(Constant<float>(x));
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(y.data<float>()[i], known.value(x[i]), 2e-6) << known.name << " at " << x[i];
  }
  const Tensor points = activations::sparsemax(
      Constant<float>({0.1f, 0.2f, 0.3f, 1, 2, 3, 0, 0, 0, 5, 4.5f, -9}, {4, 3}));
  const std::vector<double> nearest = {0.7 / 3, 1.0 / 3, 1.3 / 3, 0,    0,    1,
                                       1.0 / 3, 1.0 / 3, 1.0 / 3, 0.75, 0.25, 0};
  for (size_t i = 0; i < nearest.size(); ++i)
    EXPECT_NEAR(points.data<float>()[i], nearest[i], 1e-6) << i;
  const Tensor halves = activations::glu(Constant<float>({1, 2, 0, 3}, {1, 4}));
  EXPECT_NEAR(halves.data<float>()[0], 0.5, 1e-6);
  EXPECT_NEAR(halves.data<float>()[1], 2 / (1 + std::exp(-3.0)), 1e-6);
}

}  // namespace
}  // namespace lockstep
