#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/ops/math.h"
#include "ops/batch_statistics.h"
#include "runtime/gradient_check_test.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using ops::ReplicaRows;
using ::testing::HasSubstr;

struct Layout {
  Shape shape;
  ReplicaRows replicas;
  kernels::LeafTable leaves;
};

// One row, several, replicas without rows, blocks of channels and what is left of them.
const Layout kLayouts[] = {
    {{1, 1}, {}, {}},
    {{7, 3}, {}, {0, 3, 4, 7}},
    {{5, 2, 3, 17}, {}, {0, 2, 5}},
    {{6, 4, 16}, {0, 2, 6}, {0, 1, 2, 4, 6}},
    {{8, 33}, {0, 0, 3, 8, 8}, {0, 0, 0, 1, 3, 4, 8, 8, 8}},
};

TEST(BatchStatisticsTest, AreTheirDefinition) {
  for (const Layout& layout : kLayouts) {
    const Tensor x = testing::Random(layout.shape, 1, DType::kFloat64);
    const int64_t channels = layout.shape.dim(-1);
    const int64_t places = layout.shape.product(1, layout.shape.rank() - 1);
    const ReplicaRows rows =
        layout.replicas.empty() ? ReplicaRows{0, layout.shape[0]} : layout.replicas;
    const int64_t replicas = static_cast<int64_t>(rows.size()) - 1;
    const auto result = ops::BatchMoments(x, layout.replicas);
    ASSERT_EQ(result.mean.shape(), (Shape{channels, replicas}));
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t r = 0; r < replicas; ++r) {
        const double count = static_cast<double>((rows[r + 1] - rows[r]) * places);
        double sum = 0, squares = 0;
        for (int64_t i = rows[r] * places; i < rows[r + 1] * places; ++i) {
          sum += x.data<double>()[i * channels + c];
          squares += x.data<double>()[i * channels + c] * x.data<double>()[i * channels + c];
        }
        const double mean = count > 0 ? sum / count : 0;
        const double variance = count > 0 ? squares / count - mean * mean : 0;
        EXPECT_NEAR(result.mean.data<double>()[c * replicas + r], mean, 1e-12);
        EXPECT_NEAR(result.variance.data<double>()[c * replicas + r], variance, 1e-12);
        EXPECT_EQ(ops::BatchInverseCounts(x, layout.replicas).data<double>()[r],
                  count > 0 ? 1 / count : 0);
      }
    }
  }
}

TEST(BatchStatisticsTest, GiveTheSameBitsForAnyDivision) {
  for (const Layout& layout : kLayouts) {
    const ops::Attributes attributes{{"replicas", layout.replicas}};
    const int64_t replicas =
        layout.replicas.empty() ? 1 : static_cast<int64_t>(layout.replicas.size()) - 1;
    const Tensor x = testing::Random(layout.shape, 2), g = testing::Random(layout.shape, 3);
    const Tensor scale = testing::Random({layout.shape.dim(-1), replicas}, 4);
    EXPECT_TRUE(testing::RunSplit("_BatchMoments", {x}, attributes, layout.leaves));
    EXPECT_TRUE(testing::RunSplit("_BatchSum", {x}, attributes, layout.leaves));
    EXPECT_TRUE(testing::RunSplit("_BatchDot", {x, g}, attributes, layout.leaves));
    EXPECT_TRUE(testing::RunSplit("_BatchAffine", {x, scale, scale}, attributes));
    EXPECT_TRUE(testing::RunSplit("_BatchAffine", {x, scale}, attributes));
    EXPECT_TRUE(testing::RunSplit("_BatchSpread", {scale, x}, attributes));
  }
}

// A replica's statistics are those of its rows alone, by the tree over its own leaves.
TEST(BatchStatisticsTest, KnowNothingOfOtherReplicas) {
  const Tensor x = testing::Random({6, 5}, 5);
  const Tensor all = testing::RunWithLeaves("_BatchMoments", {x},
                                            {{"replicas", ReplicaRows{0, 3, 6}}}, {0, 1, 3, 4, 6});
  const std::vector<float> last(x.data<float>().begin() + 15, x.data<float>().end());
  const Tensor alone = testing::RunWithLeaves("_BatchMoments", {Constant<float>(last, {3, 5})},
                                              {{"replicas", ReplicaRows{}}}, {0, 1, 3});
  for (int64_t c = 0; c < 5; ++c) EXPECT_EQ(all.data<float>()[c * 2 + 1], alone.data<float>()[c]);
}

TEST(BatchStatisticsTest, HaveTheGradientsThatSmallStepsShow) {
  for (const ReplicaRows& replicas : {ReplicaRows{}, ReplicaRows{0, 2, 2, 5}}) {
    const int64_t count = replicas.empty() ? 1 : 3;
    const Tensor x = RandomTensor<double>({5, 2, 3}, 1);
    const Tensor scale = RandomTensor<double>({3, count}, 3);
    const Tensor offset = RandomTensor<double>({3, count}, 4);
    const TensorFunction functions[] = {
        [&](const auto& in) {
          const auto result = ops::BatchMoments(in[0], replicas);
          return std::vector<Tensor>{result.mean, result.variance};
        },
        [&](const auto& in) {
          return std::vector<Tensor>{ops::BatchDot(in[0], in[0] * in[0], replicas)};
        },
        [&](const auto& in) {
          return std::vector<Tensor>{ops::BatchSum(in[0] * in[0], replicas)};
        }};
    for (const TensorFunction& function : functions) {
      ExpectGradients(function, {x});
      ExpectSecondGradients(function, {x}, 1e-5);
    }
    const TensorFunction affine = [&](const auto& in) {
      return std::vector<Tensor>{Square(ops::BatchAffine(in[0], in[1], in[2], replicas))};
    };
    ExpectGradients(affine, {x, scale, offset});
    ExpectSecondGradients(affine, {x, scale, offset}, 1e-5);
  }
}

TEST(BatchStatisticsTest, RefuseWhatDoesNotFit) {
  EXPECT_EQ(testing::CodeOf([] { ops::BatchSum(testing::Random({3}, 1), {}); }),
            Code::kInvalidArgument);
  EXPECT_THAT(testing::MessageOf([] {
                ops::BatchSum(testing::Random({3, 2}, 1), {0, 2});
              }),
              HasSubstr("[_BatchSum] the replicas must have all rows; got float32[3,2] and [0,2]"));
  EXPECT_THAT(testing::MessageOf([] {
                ops::BatchDot(testing::Random({3, 2}, 1), testing::Random({2, 2}, 1), {});
              }),
              HasSubstr("both batches must be alike; got float32[3,2] and float32[2,2]"));
}

}  // namespace
}  // namespace lockstep::runtime
