#include "lockstep/nn/functional.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Ramp(const Shape& shape) {
  std::vector<float> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(0.1f * static_cast<float>(i));
  return Tensor::FromVector(values, shape);
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

std::vector<std::string> NamesOf(const Model& model) {
  std::vector<std::string> names;
  for (const Variable& variable : model.variables()) names.push_back(variable.name());
  return names;
}

TEST(FunctionalTest, InfersShapesWhereTheNumberOfExamplesIsOpen) {
  const Tensor x = Input({6, 6, 2});
  EXPECT_EQ(x.shape(), (Shape{-1, 6, 6, 2}));
  const Tensor h = Conv2D(4, 3, relu)(x);
  EXPECT_EQ(h.shape(), (Shape{-1, 4, 4, 4}));
  EXPECT_EQ(Flatten()(h).shape(), (Shape{-1, 64}));
  EXPECT_EQ(Embedding(5, 3)(Input({4}, DType::kInt32)).dtype(), DType::kFloat32);
  FunctionalModel({x}, {h});  // gives the names back
}

TEST(FunctionalTest, ComputesWhatItsLayersCompute) {
  const LayerPtr first = Dense(3, relu), second = Dense(3), shared = Dense(2);
  const Tensor a = Input({4}), b = Input({4});
  const Tensor sum = Add()({first(a), second(b)});
  FunctionalModel model({a, b}, {shared(sum), sum});
  const Tensor x = Ramp({5, 4}), y = Ramp({5, 4});
  const std::vector<Tensor> results = model.CallAll({x, y});
  const Tensor expected = Add()({first(x), second(y)});
  EXPECT_EQ(results[1].ToVector<float>(), expected.ToVector<float>());
  EXPECT_EQ(results[0].ToVector<float>(), shared(expected).ToVector<float>());
  EXPECT_THAT(NamesOf(model), ElementsAre("dense/kernel", "dense/bias", "dense_1/kernel",
                                          "dense_1/bias", "dense_2/kernel", "dense_2/bias"));
}

TEST(FunctionalTest, UsesALayerTwiceWithOneSetOfWeights) {
  const LayerPtr dense = Dense(4);
  const Tensor x = Input({4});
  FunctionalModel model({x}, {dense(dense(x))});
  EXPECT_EQ(model.CountParameters(), 4 * 4 + 4);
}

TEST(FunctionalTest, NamesStartAgainForTheNextModel) {
  for (int i = 0; i < 2; ++i) {
    const Tensor x = Input({4});
    FunctionalModel model({x}, {Dense(2)(Dense(3)(x))});
    EXPECT_THAT(NamesOf(model),
                ElementsAre("dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"));
  }
}

TEST(FunctionalTest, LayersOfAnotherModelKeepTheirNames) {
  const Tensor x = Input({4});
  const Tensor code = Dense(3)(x);
  FunctionalModel encoder({x}, {code});
  FunctionalModel whole({x}, {Dense(4)(code)});
  EXPECT_THAT(NamesOf(whole),
              ElementsAre("dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"));
}

TEST(FunctionalTest, TrainsAsASequenceOfTheSameLayersDoes) {
  const auto train = [](Model& model) {
    model.Compile(
        {.optimizer = optimizers::Adam(), .loss = losses::SparseCategoricalCrossentropy(true)});
    model.Fit(Ramp({32, 4}), Constant<int32_t>(std::vector<int32_t>(32, 1)),
              {.batch_size = 8, .epochs = 2, .verbose = Verbosity::kSilent});
    return model.WeightsDigest();
  };
  const Tensor x = Input({4});
  FunctionalModel functional({x}, {Dense(3)(Dense(5, relu)(x))});
  Sequential sequence{Dense(5, relu), Dense(3)};
  EXPECT_EQ(train(functional), train(sequence));
}

TEST(FunctionalTest, SaysWhatIsMissing) {
  const Tensor a = Input({4}), b = Input({3});
  const Tensor h = Dense(3)(a);
  EXPECT_THAT(MessageOf([&] { FunctionalModel({b}, {h}); }),
              HasSubstr("one that needs an input of shape [?,4] besides them"));
  EXPECT_THAT(MessageOf([&] { FunctionalModel({h}, {h}); }),
              HasSubstr("an input must be made by Input; got another tensor of shape [?,3]"));
  EXPECT_THAT(MessageOf([&] {
                Add()({h, Ramp({2, 3})});
              }),
              HasSubstr("[add] all inputs must be symbolic where one is"));
  EXPECT_THAT(MessageOf([&] { Conv2D(3, 3)(h); }),
              HasSubstr("[conv2d] the input must be images [n, h, w, channels]; got [?,3]"));
  EXPECT_THAT(MessageOf([&] {
                Concatenate()({h, Input({7, 2})});
              }),
              HasSubstr("got float32[?,3] and float32[?,7,2]"));
  FunctionalModel model({a}, {h});
  EXPECT_THAT(MessageOf([&] {
                model(Ramp({2, 5}));
              }),
              HasSubstr("[functional] input 0 must have the shape [?,4]; got [2,5]"));
  EXPECT_THAT(MessageOf([&] { model.CallAll({}); }), HasSubstr("the model has 1 inputs; got 0"));
}

TEST(SummaryTest, IsKerasTable) {
  Sequential model{Flatten(), Dense(128, relu), BatchNormalization(), Dense(10)};
  model(Ramp({2, 28, 28}));
  EXPECT_EQ(model.Summary(),
            "Model: \"sequential\"\n"
            "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓\n"
            "┃ Layer (type)                    ┃ Output Shape           ┃       Param # ┃\n"
            "┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩\n"
            "│ flatten (Flatten)               │ (None, 784)            │             0 │\n"
            "├─────────────────────────────────┼────────────────────────┼───────────────┤\n"
            "│ dense (Dense)                   │ (None, 128)            │       100,480 │\n"
            "├─────────────────────────────────┼────────────────────────┼───────────────┤\n"
            "│ batch_normalization             │ (None, 128)            │           512 │\n"
            "│ (BatchNormalization)            │                        │               │\n"
            "├─────────────────────────────────┼────────────────────────┼───────────────┤\n"
            "│ dense_1 (Dense)                 │ (None, 10)             │         1,290 │\n"
            "└─────────────────────────────────┴────────────────────────┴───────────────┘\n"
            " Total params: 102,282 (399.54 KB)\n"
            " Trainable params: 102,026 (398.54 KB)\n"
            " Non-trainable params: 256 (1.00 KB)\n");
}

TEST(SummaryTest, TellsLayersThatHaveNotSeenAnInput) {
  Sequential model{Dense(3, {.name = "first"})};
  EXPECT_THAT(model.Summary(), HasSubstr("│ first (Dense)                   │ ?"));
  EXPECT_THAT(model.Summary(), HasSubstr("0 (unbuilt) │"));
  EXPECT_THAT(model.Summary(), HasSubstr(" Total params: 0 (0.00 B)"));
}

}  // namespace
}  // namespace lockstep
