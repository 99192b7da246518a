// Convolutions and their gradients, carried out eagerly.

#include <cmath>

#include "kernels/division_test.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/convolution.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;
using runtime::ExpectGradients;
using runtime::ExpectSecondGradients;
using runtime::RandomTensor;

std::string MessageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.status().message();
  }
  return "nothing thrown";
}

// One output element by the definition.
float Reference(const Tensor& x, const Tensor& w, const ConvolutionOptions& options, int64_t groups,
                const Shape& at, int64_t top, int64_t left) {
  const Shape &xs = x.shape(), &ws = w.shape();
  const int64_t group = at[3] / (ws[3] / groups);
  float sum = 0;
  for (int64_t i = 0; i < ws[0]; ++i) {
    for (int64_t j = 0; j < ws[1]; ++j) {
      const int64_t h = at[1] * options.strides[0] + i * options.dilations[0] - top;
      const int64_t v = at[2] * options.strides[1] + j * options.dilations[1] - left;
      if (h < 0 || h >= xs[1] || v < 0 || v >= xs[2]) continue;
      for (int64_t c = 0; c < ws[2]; ++c) {
        sum =
            std::fma(x.data<float>()[((at[0] * xs[1] + h) * xs[2] + v) * xs[3] + group * ws[2] + c],
                     w.data<float>()[((i * ws[1] + j) * ws[2] + c) * ws[3] + at[3]], sum);
      }
    }
  }
  return sum;
}

void ExpectReference(const ConvolutionOptions& options, int64_t groups, const Shape& expected,
                     int64_t top, int64_t left) {
  const Tensor x = RandomTensor<float>({2, 5, 6, 4}, 1);
  const Tensor w = RandomTensor<float>({3, 2, 4 / groups, 6}, 2);
  const Tensor y = Conv2D(x, w, options);
  ASSERT_EQ(y.shape(), expected);
  int64_t e = 0;
  for (int64_t n = 0; n < expected[0]; ++n) {
    for (int64_t h = 0; h < expected[1]; ++h) {
      for (int64_t v = 0; v < expected[2]; ++v) {
        for (int64_t c = 0; c < expected[3]; ++c, ++e) {
          const Shape at{n, h, v, c};
          ASSERT_EQ(y.data<float>()[e], Reference(x, w, options, groups, at, top, left))
              << at.ToString();
        }
      }
    }
  }
}

TEST(Conv2D, IsCrossCorrelation) {
  ExpectReference({}, 1, {2, 3, 5, 6}, 0, 0);
  ExpectReference({.padding = Padding::kSame}, 1, {2, 5, 6, 6}, 1, 0);
  ExpectReference({.strides = {2, 3}, .padding = Padding::kSame}, 2, {2, 3, 2, 6}, 1, 0);
  ExpectReference({.padding = Padding::kSame, .dilations = {2, 2}}, 1, {2, 5, 6, 6}, 2, 1);
  ExpectReference(
      {.strides = {2, 2}, .padding = Padding::kExplicit, .explicit_paddings = {2, 0, 1, 3}}, 1,
      {2, 3, 5, 6}, 2, 1);
}

const std::vector<ConvolutionOptions> kOptions = {
    {},
    {.strides = {2, 1}, .padding = Padding::kSame},
    {.strides = {2, 2}, .padding = Padding::kExplicit, .explicit_paddings = {2, 0, 1, 3}},
    {.padding = Padding::kSame, .dilations = {2, 1}}};

TEST(Conv2D, GradientsAreTheDerivativeToAnyOrder) {
  for (const ConvolutionOptions& options : kOptions) {
    for (const int64_t groups : {1, 2}) {
      auto function = [&](const std::vector<Tensor>& a) {
        return std::vector<Tensor>{Conv2D(a[0], a[1], options)};
      };
      const std::vector<Tensor> inputs = {RandomTensor<double>({2, 4, 3, 2}, 1),
                                          RandomTensor<double>({3, 2, 2 / groups, 2}, 2)};
      ExpectGradients(function, inputs);
      ExpectSecondGradients(function, inputs);
    }
  }
}

TEST(DepthwiseConv2D, GivesEachChannelItsFilter) {
  const Tensor x = RandomTensor<float>({1, 4, 4, 2}, 1), w = RandomTensor<float>({3, 3, 2, 3}, 2);
  const Tensor y = DepthwiseConv2D(x, w, {.padding = Padding::kSame});
  ASSERT_EQ(y.shape(), (Shape{1, 4, 4, 6}));
  float sum = 0;  // channel 1, multiplier 2, in the corner
  for (int i = 1; i < 3; ++i) {
    for (int j = 1; j < 3; ++j) {
      sum = std::fma(x.data<float>()[((i - 1) * 4 + j - 1) * 2 + 1],
                     w.data<float>()[((i * 3 + j) * 2 + 1) * 3 + 2], sum);
    }
  }
  EXPECT_EQ(y.data<float>()[5], sum);
  for (const ConvolutionOptions& options : kOptions) {
    auto function = [&](const std::vector<Tensor>& a) {
      return std::vector<Tensor>{DepthwiseConv2D(a[0], a[1], options)};
    };
    const std::vector<Tensor> inputs = {RandomTensor<double>({2, 4, 3, 2}, 1),
                                        RandomTensor<double>({3, 2, 2, 2}, 2)};
    ExpectGradients(function, inputs);
    ExpectSecondGradients(function, inputs);
  }
}

TEST(Conv2DTranspose, IsTheGradientOfConv2D) {
  const ConvolutionOptions options = {.strides = {2, 2}, .padding = Padding::kSame};
  auto function = [&](const std::vector<Tensor>& a) {
    return std::vector<Tensor>{Conv2DTranspose(a[0], a[1], {-1, 5, 5, 2}, options)};
  };
  const std::vector<Tensor> inputs = {RandomTensor<double>({2, 3, 3, 3}, 1),
                                      RandomTensor<double>({3, 3, 2, 3}, 2)};
  EXPECT_EQ(function(inputs)[0].shape(), (Shape{2, 5, 5, 2}));
  ExpectGradients(function, inputs);
  EXPECT_EQ(MessageOf([&] {
              Conv2DTranspose(inputs[0], inputs[1], {-1, 7, 5, 2}, options);
            }),
            "[Conv2DBackpropInput] the last input must have the convolution's output's shape and "
            "dtype; got float64[2,3,3,3], float64[3,3,2,3], float64[2,3,3,3]");
}

TEST(Conv1D, IsAConvolutionOfRows) {
  auto function = [&](const std::vector<Tensor>& a) {
    return std::vector<Tensor>{
        Conv1D(a[0], a[1], {.stride = 2, .padding = Padding::kSame, .dilation = 1})};
  };
  const std::vector<Tensor> inputs = {RandomTensor<double>({2, 5, 3}, 1),
                                      RandomTensor<double>({3, 3, 2}, 2)};
  EXPECT_EQ(function(inputs)[0].shape(), (Shape{2, 3, 2}));
  ExpectGradients(function, inputs);
}

TEST(FusedConv2D, IsTheThreeOpsInOne) {
  const Tensor x = RandomTensor<float>({2, 5, 4, 3}, 1), w = RandomTensor<float>({2, 3, 3, 7}, 2);
  const Tensor bias = RandomTensor<float>({7}, 3);
  const Tensor sum = BiasAdd(Conv2D(x, w), bias);
  auto fused = [&](const char* ops) {
    return ops::Emit1("_FusedConv2D", {x, w, bias}, {{"fused_ops", std::string(ops)}});
  };
  EXPECT_EQ(fused("bias").ToVector<float>(), sum.ToVector<float>());
  EXPECT_EQ(fused("bias,relu").ToVector<float>(), Relu(sum).ToVector<float>());
}

TEST(Conv2D, RefusesWhatDoesNotFit) {
  const Tensor x = RandomTensor<float>({1, 4, 4, 3}, 1);
  EXPECT_EQ(MessageOf([&] {
              Conv2D(x, RandomTensor<float>({3, 3, 2, 4}, 1));
            }),
            "[Conv2D] the filter's input channels must divide the images' channels; got "
            "float32[1,4,4,3], float32[3,3,2,4]");
  EXPECT_EQ(MessageOf([&] {
              Conv2D(x, RandomTensor<float>({3, 3, 1, 4}, 1));
            }),
            "[Conv2D] the groups must divide the output channels; got float32[1,4,4,3], "
            "float32[3,3,1,4]");
  EXPECT_EQ(MessageOf([&] {
              Conv2D(x, RandomTensor<float>({6, 3, 3, 4}, 1));
            }),
            "[Conv2D] the window must fit into the padded input; got a window that reaches over 6 "
            "cells of 4");
  EXPECT_EQ(MessageOf([&] {
              Conv2D(x, RandomTensor<float>({3, 3, 3, 4}, 1), {.strides = {0, 1}});
            }),
            "[Conv2D] strides must be two positive sizes; got [0,1]");
}

TEST(Conv2D, AnyDivisionOfRowsGivesTheSameBits) {
  for (const int64_t images : {2, 9}) {
    const Tensor x = RandomTensor<float>({images, 7, 6, 4}, 1);
    const Tensor w = RandomTensor<float>({3, 2, 2, 6}, 2);
    const Tensor depthwise = RandomTensor<float>({3, 2, 4, 2}, 2);
    const ops::Attributes attributes = {{"strides", std::vector<int64_t>{2, 1}},
                                        {"padding", std::string("SAME")}};
    const Tensor g = RandomTensor<float>({images, 4, 6, 6}, 3);
    const Tensor g8 = RandomTensor<float>({images, 4, 6, 8}, 3);
    const kernels::LeafTable leaves =
        images == 9 ? kernels::LeafTable{0, 2, 5, 5, 9} : kernels::LeafTable{0, 1, 2};
    ExpectDivisionKeepsBits({"Conv2D", {x, w}, attributes});
    ExpectDivisionKeepsBits({"Conv2DBackpropInput", {x, w, g}, attributes});
    ExpectDivisionKeepsBits({"Conv2DBackpropFilter", {x, w, g}, attributes, leaves});
    ExpectDivisionKeepsBits({"DepthwiseConv2dNative", {x, depthwise}, attributes});
    ExpectDivisionKeepsBits({"DepthwiseConv2dNativeBackpropInput", {x, depthwise, g8}, attributes});
    ExpectDivisionKeepsBits(
        {"DepthwiseConv2dNativeBackpropFilter", {x, depthwise, g8}, attributes, leaves});
    ops::Attributes fused = attributes;
    fused.Set("fused_ops", std::string("bias,relu"));
    ExpectDivisionKeepsBits({"_FusedConv2D", {x, w, RandomTensor<float>({6}, 4)}, fused});
    ExpectDivisionKeepsBits(
        {"Conv2D",
         {RandomTensor<bfloat16>({images, 7, 6, 4}, 1), RandomTensor<bfloat16>({3, 2, 2, 6}, 2)},
         attributes});
  }
}

}  // namespace
}  // namespace lockstep
