// Normalisations, carried out eagerly.

#include <cmath>

#include "kernels/division_test.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/normalization.h"
#include "lockstep/ops/reduce.h"
#include "ops/builder.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;
using runtime::ExpectGradients;
using runtime::ExpectSecondGradients;
using runtime::RandomTensor;

TEST(LayerNorm, CentresAndScalesEachVector) {
  for (const int64_t columns : {1, 5, 16, 40}) {
    const Tensor x = RandomTensor<float>({2, 3, columns}, 1);
    const Tensor scale = RandomTensor<float>({columns}, 2),
                 offset = RandomTensor<float>({columns}, 3);
    const Tensor y = LayerNormalization(x, scale, offset, 1e-3);
    for (int64_t v = 0; v < 6; ++v) {
      const auto row = x.data<float>().subspan(v * columns, columns);
      double mean = 0, variance = 0;
      for (const float value : row) mean += value / static_cast<double>(columns);
      for (const float value : row) {
        variance += (value - mean) * (value - mean) / static_cast<double>(columns);
      }
      for (int64_t c = 0; c < columns; ++c) {
        const double want = (row[c] - mean) / std::sqrt(variance + 1e-3) * scale.data<float>()[c] +
                            offset.data<float>()[c];
        EXPECT_NEAR(y.data<float>()[v * columns + c], want, 3e-6) << columns;
      }
    }
  }
}

TEST(LayerNorm, GradientsAreTheDerivativeToAnyOrder) {
  auto function = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{LayerNormalization(in[0], in[1], in[2], 0.25)};
  };
  const std::vector<Tensor> inputs = {RandomTensor<double>({3, 2, 4}, 1),
                                      RandomTensor<double>({4}, 2), RandomTensor<double>({4}, 3)};
  ExpectGradients(function, inputs);
  auto without_offset = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{
        LayerNormalization(in[0], in[1], Constant<double>({1, 2, 3, 4}), 0.25)};
  };
  ExpectSecondGradients(without_offset, {inputs[0], inputs[1]});
}

TEST(LayerNorm, AnyDivisionOfRowsGivesTheSameBits) {
  for (const int64_t rows : {3, 9}) {
    const Tensor x = RandomTensor<float>({rows, 4, 37}, 1),
                 g = RandomTensor<float>({rows, 4, 37}, 2);
    const Tensor scale = RandomTensor<float>({37}, 3), offset = RandomTensor<float>({37}, 4);
    const ops::Attributes attributes = {{"epsilon", 0.125}};
    const auto outputs = ops::Emit("LayerNorm", {x, scale, offset}, attributes);
    ExpectDivisionKeepsBits({"LayerNorm", {x, scale, offset}, attributes});
    ExpectDivisionKeepsBits({"LayerNormGrad", {x, scale, outputs[1], outputs[2], g}});
    ExpectDivisionKeepsBits(
        {"LayerNormScaleGrad", {x, outputs[1], outputs[2], g}, {}, {0, 1, 1, rows}});
    ExpectDivisionKeepsBits({"LayerNorm",
                             {RandomTensor<bfloat16>({rows, 4, 37}, 1),
                              RandomTensor<bfloat16>({37}, 3), RandomTensor<bfloat16>({37}, 4)},
                             attributes});
  }
}

TEST(LayerNorm, AddsTheScalesGradientByTheTree) {
  const Tensor x = RandomTensor<float>({3, 2, 1}, 1), g = RandomTensor<float>({3, 2, 1}, 2);
  const Tensor mean = RandomTensor<float>({3, 2}, 3), inverse = RandomTensor<float>({3, 2}, 4);
  const kernels::KernelCase given = {"LayerNormScaleGrad", {x, mean, inverse, g}, {}, {0, 1, 2, 3}};
  float term[6];
  for (int i = 0; i < 6; ++i) {
    term[i] = g.data<float>()[i] *
              ((x.data<float>()[i] - mean.data<float>()[i]) * inverse.data<float>()[i]);
  }
  EXPECT_EQ(kernels::DividedKernel(given).RunWhole()[0].data<float>()[0],
            ((term[0] + term[1]) + (term[2] + term[3])) + (term[4] + term[5]));
}

TEST(LayerNorm, RefusesWhatDoesNotFit) {
  try {
    LayerNormalization(RandomTensor<float>({2, 3}, 1), RandomTensor<float>({2}, 1),
                       RandomTensor<float>({3}, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_EQ(
        error.status().message(),
        "[LayerNorm] floating vectors [..., c] and vectors [c] of their dtype are needed; got "
        "float32[2,3], float32[2], float32[3]");
  }
}

TEST(Moments, AreMeanAndBiasedVariance) {
  const Tensor x = Constant<float>({1, 10, 2, 20, 6, 60}, {3, 2});
  const MeanAndVariance moments = Moments(x, {0});
  EXPECT_EQ(moments.mean.ToVector<float>(), (std::vector<float>{3, 30}));
  EXPECT_NEAR(moments.variance.data<float>()[0], 14.0f / 3, 1e-6);
  EXPECT_NEAR(moments.variance.data<float>()[1], 1400.0f / 3, 1e-4);
  EXPECT_EQ(Moments(x, {0, 1}, true).mean.shape(), (Shape{1, 1}));
  ExpectGradients(
      [](const std::vector<Tensor>& in) {
        const MeanAndVariance both = Moments(in[0], {0, 1});
        return std::vector<Tensor>{both.mean, both.variance};
      },
      {RandomTensor<double>({3, 2, 2}, 1)});
}

TEST(BatchNormalization, GradientsAreTheDerivative) {
  auto function = [](const std::vector<Tensor>& in) {
    const MeanAndVariance moments = Moments(in[0], {0, 1});
    return std::vector<Tensor>{
        BatchNormalization(in[0], moments.mean, moments.variance, in[1], in[2], 0.25)};
  };
  ExpectGradients(function, {RandomTensor<double>({3, 2, 2}, 1), RandomTensor<double>({2}, 2),
                             RandomTensor<double>({2}, 3)});
  const Tensor one = Constant<float>({1, 3}, {2, 1});
  EXPECT_EQ(BatchNormalization(one, Constant<float>({2}), Constant<float>({3.75f}), Tensor(),
                               Tensor(), 0.25)
                .ToVector<float>(),
            (std::vector<float>{-0.5f, 0.5f}));
}

TEST(L2, NormalizesAndAddsUp) {
  EXPECT_EQ(L2Normalize(Tensor{3, 4}, 0).ToVector<float>()[0], 0.6f);
  EXPECT_EQ(L2Normalize(Tensor{0, 0}, 0).ToVector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(L2Loss(Tensor{3, 4}).scalar<float>(), 12.5f);
  ExpectGradients(
      [](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{L2Normalize(in[0], 1), L2Loss(in[0])};
      },
      {RandomTensor<double>({2, 3}, 1)});
}

TEST(LocalResponseNormalization, DividesByTheNeighbours) {
  const Tensor x = Constant<float>({1, 2, 3, 4}, {1, 4});
  const std::vector<float> y =
      LocalResponseNormalization(x, {.depth_radius = 1, .bias = 2, .alpha = 0.5, .beta = 0.75})
          .ToVector<float>();
  const double sums[] = {5, 14, 29, 25};
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(y[c], (c + 1) / std::pow(2 + 0.5 * sums[c], 0.75), 1e-6);
  auto function = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{LocalResponseNormalization(in[0], {.depth_radius = 2})};
  };
  ExpectGradients(function, {RandomTensor<double>({2, 2, 5}, 1)});
  ExpectSecondGradients(function, {RandomTensor<double>({2, 5}, 1)});
}

}  // namespace
}  // namespace lockstep
