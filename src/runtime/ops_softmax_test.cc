// Softmax and the cross entropies, carried out eagerly.

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "kernels/division_test.h"
#include "lockstep/ops/nn.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;

template <typename T>
Tensor Random(const Shape& shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<T> values(static_cast<size_t>(shape.num_elements()));
  for (T& value : values) {
    value = static_cast<T>(static_cast<float>(static_cast<int>(engine() % 2001) - 1000) / 200);
  }
  return Tensor::FromVector(values, shape);
}

Tensor Labels(int64_t rows, int64_t classes) {
  std::vector<int32_t> labels;
  for (int64_t r = 0; r < rows; ++r) labels.push_back(static_cast<int32_t>(r * 7 % classes));
  return Constant<int32_t>(labels);
}

TEST(Softmax, IsTheExponentialsShare) {
  for (const int64_t classes : {1, 2, 10, 16, 17, 33, 100}) {
    const Tensor x = Random<float>({5, classes}, 1);
    const Tensor y = Softmax(x), log = LogSoftmax(x);
    for (int64_t r = 0; r < 5; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < classes; ++c)
        sum += std::exp(double{x.data<float>()[r * classes + c]});
      for (int64_t c = 0; c < classes; ++c) {
        const double logit = x.data<float>()[r * classes + c];
        EXPECT_NEAR(y.data<float>()[r * classes + c], std::exp(logit) / sum, 3e-7);
        EXPECT_NEAR(log.data<float>()[r * classes + c], logit - std::log(sum), 2e-6);
      }
    }
  }
}

TEST(Softmax, StandsLargeLogits) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Softmax(Tensor{1000, 1000}).ToVector<float>(), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(Softmax(Tensor{-inf, 3}).ToVector<float>(), (std::vector<float>{0, 1}));
  EXPECT_EQ(LogSoftmax(Tensor{-1000, 1000}).ToVector<float>(), (std::vector<float>{-2000, 0}));
  EXPECT_TRUE(std::isnan(Softmax(Tensor{std::nanf(""), 3}).data<float>()[1]));
}

TEST(Softmax, AnyDivisionOfRowsGivesTheSameBits) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    ExpectDivisionKeepsBits({op, {Random<float>({13, 10}, 1)}});
    ExpectDivisionKeepsBits({op, {Random<double>({2, 3, 37}, 1)}});
    ExpectDivisionKeepsBits({op, {Random<bfloat16>({9, 2, 5}, 1)}});
    ExpectDivisionKeepsBits({op, {Random<float>({20}, 1)}});
    ExpectDivisionKeepsBits({op, {Random<float>({0, 20}, 1)}});
    ExpectDivisionKeepsBits({op, {Random<float>({20, 0}, 1)}});
  }
  ExpectDivisionKeepsBits(
      {"SparseSoftmaxCrossEntropyWithLogits", {Random<float>({13, 10}, 1), Labels(13, 10)}});
  ExpectDivisionKeepsBits(
      {"SparseSoftmaxCrossEntropyWithLogits", {Random<float16>({13, 18}, 1), Labels(13, 18)}});
  ExpectDivisionKeepsBits(
      {"SoftmaxCrossEntropyWithLogits", {Random<float>({13, 10}, 1), Random<float>({13, 10}, 2)}});
  ExpectDivisionKeepsBits({"SoftmaxCrossEntropyWithLogits",
                           {Random<double>({13, 33}, 1), Random<double>({13, 33}, 2)}});
}

TEST(SparseCrossEntropy, IsTheLabelsLogarithm) {
  const Tensor x = Random<double>({4, 6}, 1);
  const Tensor labels = Labels(4, 6);
  const Tensor loss = SparseSoftmaxCrossEntropyWithLogits(labels, x);
  std::vector<double> one_hot(24, 0.0);
  for (int r = 0; r < 4; ++r) {
    const int place = r * 6 + labels.data<int32_t>()[r];
    one_hot[place] = 1;
    EXPECT_NEAR(loss.data<double>()[r], -LogSoftmax(x).data<double>()[place], 1e-14);
  }
  const Tensor dense = SoftmaxCrossEntropyWithLogits(Tensor::FromVector(one_hot, {4, 6}), x);
  for (int r = 0; r < 4; ++r) EXPECT_NEAR(dense.data<double>()[r], loss.data<double>()[r], 1e-14);
  const Tensor cube = Random<float>({2, 2, 6}, 1);
  EXPECT_EQ(SparseSoftmaxCrossEntropyWithLogits(Labels(4, 6).WithShape({2, 2}), cube).shape(),
            (Shape{2, 2}));
}

TEST(Softmax, GradientsAreTheDerivativeToAnyOrder) {
  for (const int axis : {-1, 0}) {
    for (const bool log : {false, true}) {
      auto function = [&](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{log ? LogSoftmax(in[0], axis) : Softmax(in[0], axis)};
      };
      runtime::ExpectGradients(function, {Random<double>({2, 3, 4}, 1)});
      runtime::ExpectSecondGradients(function, {Random<double>({3, 4}, 1)});
    }
  }
}

TEST(CrossEntropy, GradientsAreTheDerivativeToAnyOrder) {
  const Tensor x = Random<double>({2, 3}, 1), labels = Random<double>({2, 3}, 2);
  auto dense = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{SoftmaxCrossEntropyWithLogits(in[1], in[0])};
  };
  // The logits' gradient takes labels that add up to one; the labels themselves may be anything.
  const Tensor shares = Softmax(labels);
  auto of_logits = [&](const std::vector<Tensor>& in) { return dense({in[0], shares}); };
  auto of_labels = [&](const std::vector<Tensor>& in) { return dense({x, in[0]}); };
  runtime::ExpectGradients(of_logits, {x});
  runtime::ExpectSecondGradients(of_logits, {x});
  runtime::ExpectGradients(of_labels, {labels});
  auto sparse = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{SparseSoftmaxCrossEntropyWithLogits(Labels(2, 3), in[0])};
  };
  runtime::ExpectGradients(sparse, {x});
  runtime::ExpectSecondGradients(sparse, {x});
}

TEST(SparseCrossEntropy, NamesTheLabelThatIsOutOfRange) {
  try {
    SparseSoftmaxCrossEntropyWithLogits(Constant<int32_t>({1, 2, -3, 0}), Random<float>({4, 3}, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_EQ(
        error.status().message(),
        "[SparseSoftmaxCrossEntropyWithLogits] a label must lie in [0, 3); got -3 (example 2, "
        "3 classes); check the labels or the width of the last layer");
  }
}

TEST(SigmoidCrossEntropy, StandsLargeLogits) {
  const Tensor x = Constant<float>({0, 100, -100, 2}), z = Constant<float>({1, 1, 1, 0.25f});
  const std::vector<float> loss = SigmoidCrossEntropyWithLogits(z, x).ToVector<float>();
  EXPECT_NEAR(loss[0], std::log(2.0), 1e-7);
  EXPECT_EQ(loss[1], 0);
  EXPECT_EQ(loss[2], 100);
  EXPECT_NEAR(loss[3], 2 - 0.5 + std::log1p(std::exp(-2.0)), 1e-6);
  ExpectDivisionKeepsBits(
      {"SigmoidCrossEntropyWithLogits", {Random<float>({3, 37}, 1), Random<float>({3, 37}, 2)}});
  ExpectDivisionKeepsBits(
      {"SigmoidCrossEntropyWithLogits", {Random<float16>({9, 5}, 1), Random<float16>({9, 5}, 2)}});
}

TEST(SigmoidCrossEntropy, GradientsAreTheDerivativeToAnyOrder) {
  auto function = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{SigmoidCrossEntropyWithLogits(in[1], in[0])};
  };
  const std::vector<Tensor> inputs = {Random<double>({2, 3}, 1), Random<double>({2, 3}, 2)};
  runtime::ExpectGradients(function, inputs);
  runtime::ExpectSecondGradients(function, inputs);
}

TEST(InTopK, CountsTheLargerOnes) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor predictions =
      Constant<float>({1, 5, 5, 2, 1, 5, 5, 2, inf, 1, 0, 2, 1, 5, 5, 2}, {4, 4});
  auto hits = [&](const Tensor& targets, int64_t k) {
    return InTopK(targets, predictions, k).ToVector<bool>();
  };
  EXPECT_EQ(hits(Constant<int32_t>({1, 3, 1, 7}), 1),
            (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(hits(Constant<int64_t>({2, 3, 1, -1}), 3),
            (std::vector<bool>{true, true, false, false}));
  ExpectDivisionKeepsBits(
      {"InTopKV2", {Random<float>({13, 10}, 1), Labels(13, 10)}, {{"k", int64_t{3}}}});
}

}  // namespace
}  // namespace lockstep
