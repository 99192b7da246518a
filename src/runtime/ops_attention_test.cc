// Attention, carried out eagerly.

#include <cmath>

#include "kernels/division_test.h"
#include "lockstep/ops/attention.h"
#include "ops/builder.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;
using runtime::ExpectGradients;
using runtime::ExpectSecondGradients;
using runtime::RandomTensor;

// The result of one head by the definition.
std::vector<double> Reference(std::span<const double> q, std::span<const double> k,
                              std::span<const double> v, int64_t queries, int64_t keys,
                              int64_t depth, int64_t width, bool causal) {
  std::vector<double> result(static_cast<size_t>(queries * width), 0.0);
  for (int64_t t = 0; t < queries; ++t) {
    const int64_t seen = causal ? t + 1 + keys - queries : keys;
    std::vector<double> power(static_cast<size_t>(seen));
    double sum = 0;
    for (int64_t s = 0; s < seen; ++s) {
      double score = 0;
      for (int64_t d = 0; d < depth; ++d) score += q[t * depth + d] * k[s * depth + d];
      sum += power[s] = std::exp(score / std::sqrt(static_cast<double>(depth)));
    }
    for (int64_t s = 0; s < seen; ++s) {
      for (int64_t e = 0; e < width; ++e) {
        result[t * width + e] += power[s] / sum * v[s * width + e];
      }
    }
  }
  return result;
}

TEST(Attention, IsTheWeightedMeanOfTheValuesSeen) {
  for (const auto& [queries, keys] :
       {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {70, 130}, {130, 130}, {1, 9}}) {
    for (const bool causal : {false, true}) {
      const Tensor q = RandomTensor<double>({2, queries, 3}, 1);
      const Tensor k = RandomTensor<double>({2, keys, 3}, 2);
      const Tensor v = RandomTensor<double>({2, keys, 4}, 3);
      const Tensor y = ScaledDotProductAttention(q, k, v, {.causal = causal});
      ASSERT_EQ(y.shape(), (Shape{2, queries, 4}));
      for (int64_t head = 0; head < 2; ++head) {
        const std::vector<double> want = Reference(
            q.data<double>().subspan(head * queries * 3, queries * 3),
            k.data<double>().subspan(head * keys * 3, keys * 3),
            v.data<double>().subspan(head * keys * 4, keys * 4), queries, keys, 3, 4, causal);
        for (size_t i = 0; i < want.size(); ++i) {
          ASSERT_NEAR(y.data<double>()[head * queries * 4 + static_cast<int64_t>(i)], want[i],
                      1e-13);
        }
      }
    }
  }
}

TEST(Attention, GradientsAreTheDerivativeToAnyOrder) {
  for (const bool causal : {false, true}) {
    auto function = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{
          ScaledDotProductAttention(in[0], in[1], in[2], {.causal = causal, .scale = 0.75})};
    };
    const std::vector<Tensor> inputs = {RandomTensor<double>({2, 2, 3, 2}, 1),
                                        RandomTensor<double>({2, 2, 4, 2}, 2),
                                        RandomTensor<double>({2, 2, 4, 3}, 3)};
    ExpectGradients(function, inputs);
    const std::vector<Tensor> small = {RandomTensor<double>({1, 3, 2}, 1),
                                       RandomTensor<double>({1, 3, 2}, 2),
                                       RandomTensor<double>({1, 3, 2}, 3)};
    ExpectSecondGradients(function, small);
  }
}

// Blocks of queries and keys that do not end together.
TEST(Attention, GradientsHoldAcrossBlocks) {
  auto function = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{ScaledDotProductAttention(in[0], in[1], in[2], {.causal = true})};
  };
  ExpectGradients(function,
                  {RandomTensor<double>({1, 66, 1}, 1), RandomTensor<double>({1, 131, 1}, 2),
                   RandomTensor<double>({1, 131, 1}, 3)});
}

TEST(Attention, AnyDivisionOfRowsGivesTheSameBits) {
  for (const int64_t batch : {2, 9}) {
    const Tensor q = RandomTensor<float>({batch, 2, 5, 3}, 1);
    const Tensor k = RandomTensor<float>({batch, 2, 7, 3}, 2);
    const Tensor v = RandomTensor<float>({batch, 2, 7, 4}, 3);
    const Tensor g = RandomTensor<float>({batch, 2, 5, 4}, 4);
    const ops::Attributes attributes = {{"causal", true}, {"scale", 0.5}};
    const auto y = ops::Emit("ScaledDotProductAttention", {q, k, v}, attributes);
    ExpectDivisionKeepsBits({"ScaledDotProductAttention", {q, k, v}, attributes});
    ExpectDivisionKeepsBits(
        {"ScaledDotProductAttentionGrad", {q, k, v, y[0], y[1], g}, attributes});
  }
}

TEST(Attention, RefusesWhatDoesNotFit) {
  auto message = [](const Shape& q, const Shape& k, const Shape& v, bool causal) -> std::string {
    try {
      ScaledDotProductAttention(RandomTensor<float>(q, 1), RandomTensor<float>(k, 1),
                                RandomTensor<float>(v, 1), {.causal = causal});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.status().message();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message({1, 3, 2}, {1, 2, 2}, {1, 2, 2}, true),
            "[ScaledDotProductAttention] causal attention needs at least as many keys as queries; "
            "got float32[1,3,2], float32[1,2,2], float32[1,2,2]");
  EXPECT_EQ(message({1, 3, 2}, {1, 2, 3}, {1, 2, 2}, false),
            "[ScaledDotProductAttention] query and key must be as deep; got float32[1,3,2], "
            "float32[1,2,3], float32[1,2,2]");
}

}  // namespace
}  // namespace lockstep
