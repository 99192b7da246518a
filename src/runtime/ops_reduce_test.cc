// Reductions, carried out.

#include "lockstep/ops/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "runtime/gradient_check_test.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using testing::Counting;
using testing::MessageOf;
using testing::Random;
using testing::RunSplit;
using testing::RunWithLeaves;

std::vector<std::vector<int64_t>> Subsets(int rank) {
  std::vector<std::vector<int64_t>> result;
  for (int bits = 0; bits < 1 << rank; ++bits) {
    std::vector<int64_t> axes;
    for (int i = 0; i < rank; ++i) {
      if (bits >> i & 1) axes.push_back(i);
    }
    result.push_back(axes);
  }
  return result;
}

// The sum of integers, which is exact in any order.
std::vector<float> NaiveSum(const Tensor& x, const std::vector<int64_t>& axes) {
  const Shape& shape = x.shape();
  std::vector<int64_t> stride(shape.rank(), 0);
  int64_t results = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (std::find(axes.begin(), axes.end(), i) != axes.end()) continue;
    stride[i] = results;
    results *= shape[i];
  }
  std::vector<float> sums(results, 0);
  for (int64_t n = 0; n < x.num_elements(); ++n) {
    int64_t place = 0;
    for (int i = 0; i < shape.rank(); ++i) {
      place += n / shape.product(i + 1, shape.rank()) % shape[i] * stride[i];
    }
    sums[place] += x.data<float>()[n];
  }
  return sums;
}

TEST(ReduceSumTest, IsItsDefinitionForAllAxes) {
  for (const Shape& shape :
       {Shape{3, 5, 2, 7}, Shape{1, 4, 1, 9}, Shape{17, 1, 33, 2}, Shape{2, 0, 3, 2}}) {
    const Tensor x = Counting(shape);
    for (const auto& axes : Subsets(4)) {
      EXPECT_EQ(ReduceSum(x, axes).ToVector<float>(), NaiveSum(x, axes))
          << shape.ToString() << " over " << Shape(axes).ToString();
      EXPECT_TRUE(RunSplit("Sum", {x}, {{"axes", axes}, {"keep_dims", true}}));
    }
  }
}

TEST(ReduceSumTest, ShapesFollowAxes) {
  const Tensor x = Counting({2, 3, 4});
  EXPECT_EQ(ReduceSum(x).shape(), Shape{});
  EXPECT_EQ(ReduceSum(x, {}, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(ReduceSum(x, -1).shape(), (Shape{2, 3}));
  EXPECT_EQ(ReduceSum(x, {0, -1}).shape(), (Shape{3}));
  EXPECT_EQ(ReduceSum(x, {2, 0}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(ReduceSum(x, std::vector<int64_t>{}).ToVector<float>(), x.ToVector<float>());
  EXPECT_EQ(ReduceSum(Scalar(3.0f)).scalar<float>(), 3.0f);
  EXPECT_EQ(CodeOf([&] { ReduceSum(x, 3); }), Code::kInvalidArgument);
  EXPECT_EQ(MessageOf([&] {
              ReduceSum(x, {1, -2});
            }),
            "[Sum] an axis may be given once; got axis 1 twice");
}

TEST(ReduceSumTest, ElementsOfOneRowGoThroughSixteenLanesAndTiles) {
  for (int64_t count : {1, 15, 16, 17, 100, 4096, 4097, 20000}) {
    const Tensor x = Random({2, count}, 3);
    std::vector<float> tiles;
    for (int64_t begin = 0; begin < count; begin += 4096) {
      float lanes[16] = {};
      for (int64_t i = begin; i < std::min(count, begin + 4096); ++i) {
        lanes[(i - begin) % 16] += x.data<float>()[i];
      }
      for (int width = 8; width > 0; width /= 2) {
        for (int j = 0; j < width; ++j) lanes[j] += lanes[j + width];
      }
      tiles.push_back(lanes[0]);
    }
    std::function<float(size_t, size_t)> tree = [&](size_t a, size_t b) -> float {
      if (b - a == 1) return tiles[a];
      size_t half = 1;
      while (half * 2 < b - a) half *= 2;
      return tree(a, a + half) + tree(a + half, b);
    };
    EXPECT_EQ(ReduceSum(x, 1).data<float>()[0], tree(0, tiles.size())) << count;
  }
}

// Chains inside leaves, leaves by the tree: for a column, by the definition.
float ColumnByLeaves(const Tensor& x, int64_t column, const kernels::LeafTable& leaves, size_t a,
                     size_t b, bool* present) {
  if (b - a == 1) {
    *present = leaves[a + 1] > leaves[a];
    float sum = 0;
    for (int64_t r = leaves[a]; r < leaves[b]; ++r) {
      const float value = x.data<float>()[r * x.shape()[1] + column];
      sum = r == leaves[a] ? value : sum + value;
    }
    return sum;
  }
  size_t half = 1;
  while (half * 2 < b - a) half *= 2;
  bool left_present = false;
  bool right_present = false;
  const float left = ColumnByLeaves(x, column, leaves, a, a + half, &left_present);
  const float right = ColumnByLeaves(x, column, leaves, a + half, b, &right_present);
  *present = left_present || right_present;
  return left_present && right_present ? left + right : left_present ? left : right;
}

TEST(ReduceSumTest, RowsAddInLeavesAndByTheTree) {
  const Tensor x = Random({23, 37}, 5);
  const ops::Attributes attributes{{"axes", std::vector<int64_t>{0}}, {"keep_dims", false}};
  for (const kernels::LeafTable& leaves :
       {kernels::LeafTable{0, 23}, kernels::LeafTable{0, 5, 5, 11, 16, 23},
        kernels::LeafTable{0, 0, 8, 16, 16, 23, 23}}) {
    const Tensor sum = RunWithLeaves("Sum", {x}, attributes, leaves);
    for (int64_t c = 0; c < 37; ++c) {
      bool present = false;
      EXPECT_EQ(sum.data<float>()[c], ColumnByLeaves(x, c, leaves, 0, leaves.size() - 1, &present));
    }
    EXPECT_TRUE(RunSplit("Sum", {x}, attributes, leaves));
  }
  // Without leaves, up to 1024 rows count as one leaf.
  EXPECT_EQ(ReduceSum(x, 0).ToVector<float>(),
            RunWithLeaves("Sum", {x}, attributes, {0, 23}).ToVector<float>());
}

TEST(ReduceSumTest, LeavesOfExamplesWithInnerAxes) {
  const Tensor x = Counting({6, 5, 4});
  for (const auto& axes : Subsets(3)) {
    if (axes.empty() || axes[0] != 0) continue;
    const ops::Attributes attributes{{"axes", axes}, {"keep_dims", true}};
    EXPECT_EQ(RunWithLeaves("Sum", {x}, attributes, {0, 2, 2, 5, 6}).ToVector<float>(),
              NaiveSum(x, axes));
    EXPECT_TRUE(RunSplit("Sum", {Random({6, 5, 4}, 2)}, attributes, {0, 2, 2, 5, 6}));
  }
}

TEST(ReduceSumTest, AddsManyOnes) {
  const int64_t count = 20'000'000;
  const Tensor ones = Tensor::FromVector(std::vector<float>(count, 1), {count});
  EXPECT_EQ(ReduceSum(ones).scalar<float>(), 2e7f);
}

TEST(ReduceMeanTest, DividesByTheCount) {
  EXPECT_EQ(ReduceMean(Counting({2, 3}), 0).ToVector<float>(), (std::vector<float>{1.5, 2.5, 3.5}));
  EXPECT_EQ(ReduceMean(Constant<int32_t>({-3, -4}, {2})).scalar<int32_t>(), -3);
  EXPECT_TRUE(std::isnan(ReduceMean(Counting({0})).scalar<float>()));
  EXPECT_EQ(ReduceSum(Counting({0, 2}), 0).ToVector<float>(), (std::vector<float>{0, 0}));
  const Tensor half = Tensor::FromVector(std::vector<bfloat16>(1000, bfloat16(1)), {1000});
  EXPECT_EQ(float(ReduceSum(half).scalar<bfloat16>()), 1000.0f);
}

// One outer element: the reduced axis is the outermost level of the walk.
TEST(ReduceMeanTest, DividesEachOfManyResultsByTheCount) {
  for (const Shape& shape : {Shape{1, 4, 3}, Shape{1, 1, 5, 6}, Shape{2, 3, 1, 7}, Shape{6, 2}}) {
    const Tensor x = Counting(shape);
    for (const auto& axes : Subsets(shape.rank())) {
      std::vector<float> wanted = NaiveSum(x, axes);
      const float count = static_cast<float>(x.num_elements()) / static_cast<float>(wanted.size());
      for (float& value : wanted) value /= count;
      EXPECT_EQ(ReduceMean(x, axes).ToVector<float>(), wanted) << shape.ToString();
      const Tensor half = ReduceMean(Cast(x, DType::kFloat16), axes);
      for (size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(static_cast<float>(half.data<float16>()[i]), wanted[i], 0.02F)
            << shape.ToString();
      }
    }
  }
}

TEST(ArgMaxTest, TakesTheFirstOfEqualOnes) {
  const Tensor x = Constant<float>({1, 3, 3, 2, 7, 0, 7, 0}, {2, 4});
  EXPECT_EQ(ArgMax(x, 1).ToVector<int64_t>(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(ArgMin(x, 1, DType::kInt32).ToVector<int32_t>(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(ArgMax(x, 0).ToVector<int64_t>(), (std::vector<int64_t>{1, 0, 1, 0}));
  EXPECT_EQ(MessageOf([&] {
              ArgMax(Counting({2, 0}), 1);
            }),
            "[ArgMax] there must be elements along the axis; got [2,0] and axis 1");
  EXPECT_EQ(ArgMax(Counting({0, 2}), 1).shape(), Shape{0});
}

TEST(ReduceExtremeTest, OfNothingWithNanAndTies) {
  const Tensor none = Counting({0, 2});
  EXPECT_EQ(ReduceMax(none, 0).ToVector<float>(), (std::vector<float>{-INFINITY, -INFINITY}));
  EXPECT_EQ(ReduceMin(none, 0).ToVector<float>(), (std::vector<float>{INFINITY, INFINITY}));
  EXPECT_EQ(ReduceMax(Constant<int32_t>({}, {0})).scalar<int32_t>(), INT32_MIN);
  EXPECT_EQ(ReduceMin(Constant<uint8_t>({}, {0})).scalar<uint8_t>(), 255);
  EXPECT_EQ(ReduceProd(none, 0).ToVector<float>(), (std::vector<float>{1, 1}));
  for (int64_t place : {0, 5, 16, 40}) {
    std::vector<float> values(41, 1);
    values[place] = NAN;
    EXPECT_TRUE(std::isnan(ReduceMax(Constant<float>(values)).scalar<float>()));
    EXPECT_TRUE(std::isnan(ReduceMin(Tensor::FromVector(values, {1, 41}), 1).data<float>()[0]));
  }
  const Tensor x = Constant<double>({1, 3, 3, 2, 2, 2}, {2, 3});
  const Tensor ones = Constant<double>({1, 3}, {2});
  EXPECT_EQ(TapeGradients([](const auto& t) { return ReduceMax(t[0], 1); }, {x}, {ones})[0]
                .ToVector<double>(),
            (std::vector<double>{0, 0.5, 0.5, 1, 1, 1}));
}

TEST(ReduceExtremeTest, IsItsDefinitionForAllAxes) {
  const Tensor x = Random({3, 5, 2, 17}, 4);
  for (const auto& axes : Subsets(4)) {
    const Tensor largest = ReduceMax(x, axes, true);
    EXPECT_TRUE(ReduceAll(LessEqual(x, largest)).scalar<bool>());
    EXPECT_TRUE(ReduceAll(ReduceAny(Equal(x, largest), axes)).scalar<bool>());
    EXPECT_EQ(ReduceMin(x, axes, true).ToVector<float>(),
              Negative(ReduceMax(Negative(x), axes, true)).ToVector<float>());
    EXPECT_TRUE(RunSplit("Max", {x}, {{"axes", axes}, {"keep_dims", true}}));
  }
  EXPECT_EQ(ReduceProd(Constant<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}), {0, 1}).scalar<int32_t>(),
            720);
  EXPECT_EQ(CodeOf([&] { ReduceAll(x); }), Code::kInvalidArgument);
}

TEST(ReduceLogSumExpTest, DoesNotOverflow) {
  EXPECT_EQ(ReduceLogSumExp(Constant<float>({1000, -INFINITY})).scalar<float>(), 1000.0f);
  EXPECT_EQ(ReduceLogSumExp(Constant<float>({-INFINITY, -INFINITY})).scalar<float>(), -INFINITY);
  EXPECT_EQ(ReduceLogSumExp(Counting({0})).scalar<float>(), -INFINITY);
}

TEST(ReduceProdTest, GradientIsExactWithZeros) {
  const Tensor x = Constant<double>({2, 0, 3, 0, 0, 5}, {2, 3});
  const Tensor ones = Constant<double>({1, 1}, {2});
  EXPECT_EQ(TapeGradients([](const auto& t) { return ReduceProd(t[0], 1); }, {x}, {ones})[0]
                .ToVector<double>(),
            (std::vector<double>{0, 6, 0, 0, 0, 0}));
}

TEST(SumOfSquaresTest, AddsTilesByTheTree) {
  const Tensor x = Random({3, 5000}, 8);
  double exact = 0;
  for (float value : x.data<float>()) exact += static_cast<double>(value) * value;
  EXPECT_NEAR(SumOfSquares(x).scalar<float>(), exact, 1e-6 * exact);
  EXPECT_NEAR(GlobalNorm({x, x}).scalar<float>(), std::sqrt(2 * exact), 1e-6 * exact);
  EXPECT_TRUE(RunSplit("TileSumSquares", {x}, {}));
  EXPECT_EQ(SumOfSquares(Counting({0, 4})).scalar<float>(), 0.0f);
  EXPECT_EQ(ReduceEuclideanNorm(Constant<float>({3, 4})).scalar<float>(), 5.0f);
}

TEST(ScanTest, ExclusiveAndReverse) {
  const Tensor x = Constant<float>({1, 2, 3, 4}, {1, 4});
  EXPECT_EQ(Cumsum(x, 1).ToVector<float>(), (std::vector<float>{1, 3, 6, 10}));
  EXPECT_EQ(Cumsum(x, 1, {.exclusive = true}).ToVector<float>(), (std::vector<float>{0, 1, 3, 6}));
  EXPECT_EQ(Cumsum(x, 1, {.reverse = true}).ToVector<float>(), (std::vector<float>{10, 9, 7, 4}));
  EXPECT_EQ(Cumprod(x, -1, {.exclusive = true, .reverse = true}).ToVector<float>(),
            (std::vector<float>{24, 12, 4, 1}));
}

TEST(SegmentSumTest, AddsRowsById) {
  const Tensor x = Counting({4, 2});
  EXPECT_EQ(SegmentSum(x, Constant<int32_t>({0, 0, 1, 3})).ToVector<float>(),
            (std::vector<float>{2, 4, 4, 5, 0, 0, 6, 7}));
  EXPECT_EQ(UnsortedSegmentSum(x, Constant<int64_t>({2, -1, 2, 0}), 3).ToVector<float>(),
            (std::vector<float>{6, 7, 0, 0, 4, 6}));
  EXPECT_EQ(MessageOf([&] {
              SegmentSum(x, Constant<int32_t>({0, 2, 1, 3}));
            }),
            "[SegmentSum] ids must rise and not be negative; got segment_ids[2] = 1 after 2");
  EXPECT_EQ(MessageOf([&] {
              UnsortedSegmentSum(x, Constant<int32_t>({0, 2, 1, 3}), 3);
            }),
            "[UnsortedSegmentSum] an index must be in [0, 3); got indices[3] = 3");
  EXPECT_EQ(SegmentSum(Counting({0, 2}), Constant<int32_t>({}, {0})).shape(), (Shape{0, 2}));
}

TEST(ReduceGradientTest, AgreesWithCentralDifferencesTwice) {
  const Tensor x = Random({3, 4, 2}, 1, DType::kFloat64);
  const Tensor y = Random({3, 4, 2}, 2, DType::kFloat64);
  const Tensor ids = Constant<int32_t>({1, -1, 1});
  using Inputs = std::vector<Tensor>;
  const std::vector<std::pair<const char*, TensorFunction>> functions{
      {"sum", [](const Inputs& t) { return ReduceSum(t[0] * t[1], 1); }},
      {"mean",
       [](const Inputs& t) {
         return ReduceMean(t[0] * t[1], {0, 2});
       }},
      {"mean of all", [](const Inputs& t) { return ReduceMean(t[0] * t[1], {}, true); }},
      {"max", [](const Inputs& t) { return ReduceMax(t[0] * t[1], 1); }},
      {"min",
       [](const Inputs& t) {
         return ReduceMin(t[0] * t[1], {0, 1}, true);
       }},
      {"prod",
       [](const Inputs& t) {
         return ReduceProd(t[0] * t[1], {0, 2});
       }},
      {"variance", [](const Inputs& t) { return ReduceVariance(t[0] * t[1], 1); }},
      {"std",
       [](const Inputs& t) {
         return ReduceStd(t[0] * t[1], {0, 1});
       }},
      {"log-sum-exp",
       [](const Inputs& t) {
         return ReduceLogSumExp(t[0] * t[1], {0, 2});
       }},
      {"norm", [](const Inputs& t) { return ReduceEuclideanNorm(t[0] * t[1], 0); }},
      {"squares", [](const Inputs& t) { return L2Loss(t[0] * t[1]); }},
      {"global norm",
       [](const Inputs& t) {
         return GlobalNorm({t[0], t[1]});
       }},
      {"cumsum", [](const Inputs& t) { return Cumsum(t[0] * t[1], 1, {.exclusive = true}); }},
      {"cumprod", [](const Inputs& t) { return Cumprod(t[0] * t[1], 1, {.reverse = true}); }},
      {"segments", [&](const Inputs& t) { return UnsortedSegmentSum(t[0] * t[1], ids, 3); }},
      {"sorted segments",
       [](const Inputs& t) {
         return SegmentSum(t[0] * t[1], Constant<int32_t>({0, 2, 2}));
       }},
  };
  for (const auto& [name, function] : functions) {
    EXPECT_LT(GapOfGradients(function, {x, y}, 2).size, 2e-6) << name;
  }
}

}  // namespace
}  // namespace lockstep::runtime
