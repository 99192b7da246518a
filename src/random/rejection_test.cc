#include "random/rejection.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "random/generator.h"

namespace lockstep::random {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

Stream OfGenerator(int64_t counter) { return GeneratorState{{counter, 0, 7}}.stream(); }

// TensorFlow 2.21: tf.random.stateless_gamma([4], [1, 2], 0.5), and with [3] and float64 5.
TEST(Rejection, GammasAreTensorFlows) {
  const std::vector<double> half{0.5}, five{5}, one{1};
  std::vector<double> out(4);
  FillGamma(StatelessStream(1, 2), half, out);
  EXPECT_THAT(out, Pointwise(DoubleNear(1e-7), {0.06695361, 0.62823546, 0.18136732, 0.04758992}));
  out.resize(3);
  FillGamma(StatelessStream(1, 2), five, out);
  EXPECT_THAT(out, Pointwise(DoubleNear(1e-8), {6.45635881, 5.08918533, 7.2003683}));
  FillGamma(StatelessStream(1, 2), one, out);
  for (double value : out) EXPECT_GT(value, 0);
  out.clear();
  FillGamma(StatelessStream(1, 2), {}, out);
}

// TensorFlow 2.21: tf.random.stateless_poisson([3, 2], [1, 2], [2.5, 40.]).
TEST(Rejection, PoissonsAreTensorFlows) {
  const std::vector<double> rates{2.5, 40};
  std::vector<double> out(6);
  FillPoisson(StatelessStream(1, 2), rates, 1e9, out);
  EXPECT_THAT(out, ElementsAre(4, 57, 4, 34, 4, 45));
  const std::vector<double> odd{-1, INFINITY, 0};
  out.resize(3);
  FillPoisson(StatelessStream(1, 2), odd, 100, out);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 100);
  EXPECT_EQ(out[2], 0);
}

// TensorFlow 2.21: Generator.from_state([0, 0, 7]).binomial(...).
TEST(Rejection, BinomialsAreTensorFlows) {
  const std::vector<double> counts{20, 5, 100, 3}, probabilities(4, 0.25);
  std::vector<double> out(4);
  FillBinomial(OfGenerator(0), counts, probabilities, out);
  EXPECT_THAT(out, ElementsAre(4, 1, 29, 1));
  FillBinomial(OfGenerator(0), std::vector<double>{20}, std::vector<double>{0.25}, out);
  EXPECT_THAT(out, ElementsAre(4, 4, 3, 6));
  EXPECT_EQ(BinomialBlocks(1, 4), 89600u);
  EXPECT_EQ(BinomialBlocks(2, 3), 153600u);
  const std::vector<double> odd{NAN, 0, 1, 0.5}, trials{5, 5, 5, -1};
  FillBinomial(OfGenerator(0), trials, odd, out);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_THAT(std::vector<double>(out.begin() + 1, out.end()), ElementsAre(0, 5, 0));
}

}  // namespace
}  // namespace lockstep::random
