// Ops that move elements, carried out.

#include "lockstep/ops/array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/graph.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "ops/builder.h"
#include "runtime/gradient_check_test.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using testing::Counting;
using testing::MessageOf;
using testing::Random;
using testing::RunSplit;

// The transpose by its definition.
std::vector<float> NaiveTranspose(const Tensor& x, const std::vector<int64_t>& perm) {
  const Shape& shape = x.shape();
  std::vector<float> result;
  std::vector<int64_t> place(perm.size(), 0);
  for (int64_t n = 0; n < x.num_elements(); ++n) {
    int64_t offset = 0;
    for (size_t i = 0; i < perm.size(); ++i) {
      const int axis = static_cast<int>(perm[i]);
      offset += place[i] * shape.product(axis + 1, shape.rank());
    }
    result.push_back(x.data<float>()[offset]);
    for (int i = static_cast<int>(perm.size()) - 1; i >= 0; --i) {
      if (++place[i] < shape[static_cast<int>(perm[i])]) break;
      place[i] = 0;
    }
  }
  return result;
}

TEST(TransposeTest, IsItsDefinitionForAllPermutations) {
  for (const Shape& shape : {Shape{3, 5, 2, 7}, Shape{1, 9, 17, 1}, Shape{2, 3, 16, 8}}) {
    const Tensor x = Counting(shape);
    std::vector<int64_t> perm{0, 1, 2, 3};
    do {
      const Tensor y = Transpose(x, perm);
      EXPECT_EQ(y.ToVector<float>(), NaiveTranspose(x, perm)) << Shape(perm).ToString();
      EXPECT_TRUE(RunSplit("Transpose", {x}, {{"perm", perm}}));
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
}

TEST(TransposeTest, TakesEveryElementSizeAndNoElements) {
  const Tensor x = Constant<int8_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(Transpose(x).ToVector<int8_t>(), (std::vector<int8_t>{1, 4, 2, 5, 3, 6}));
  const Tensor y = Constant<int64_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(Transpose(y).ToVector<int64_t>(), (std::vector<int64_t>{1, 4, 2, 5, 3, 6}));
  const Tensor z = Constant<int16_t>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(Transpose(z).ToVector<int16_t>(), (std::vector<int16_t>{1, 3, 2, 4}));
  EXPECT_EQ(Transpose(Counting({0, 3})).shape(), (Shape{3, 0}));
  EXPECT_EQ(Transpose(Scalar(4.0f)).scalar<float>(), 4.0f);
}

TEST(TransposeTest, RefusesWhatIsNoPermutation) {
  const Tensor x = Counting({2, 3});
  EXPECT_EQ(CodeOf([&] { Transpose(x, {0, 0}); }), Code::kInvalidArgument);
  EXPECT_EQ(MessageOf([&] {
              Transpose(x, {1, 1});
            }),
            "[Transpose] perm must be a permutation of the axes; got [2,3] and perm [1,1]");
  EXPECT_EQ(CodeOf([&] { Transpose(x, {0, 2}); }), Code::kInvalidArgument);
}

TEST(ConcatTest, JoinsAlongEveryAxisAndSplitUndoesIt) {
  const Tensor a = Counting({2, 3, 2});
  for (int axis : {0, 1, 2, -1}) {
    Shape other{2, 3, 2};
    other.set_dim(axis < 0 ? 3 + axis : axis, 5);
    const Tensor b = Counting(other);
    Shape none = other;
    none.set_dim(axis < 0 ? 3 + axis : axis, 0);
    const Tensor joined = Concat({a, b, Counting(none)}, axis);
    const auto parts = SplitV(joined, {a.shape().dim(axis), -1, 0}, axis);
    EXPECT_EQ(parts[0].ToVector<float>(), a.ToVector<float>());
    EXPECT_EQ(parts[1].ToVector<float>(), b.ToVector<float>());
    EXPECT_EQ(parts[2].num_elements(), 0);
  }
  EXPECT_EQ(Concat({Counting({2, 1}), Counting({2, 2})}, 1).ToVector<float>(),
            (std::vector<float>{0, 0, 1, 1, 2, 3}));
}

TEST(ConcatTest, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(MessageOf([&] {
              Concat({Counting({2, 3}), Counting({3, 3})}, 1);
            }),
            "[ConcatV2] dtypes, and shapes but along the axis, must agree; got float32[2,3] and "
            "float32[3,3] (value 1, axis 1)");
  EXPECT_EQ(CodeOf([&] { Concat({}, 0); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { SplitV(Counting({4}), {1, 2}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { SplitV(Counting({4}), {-1, 5}); }), Code::kInvalidArgument);
}

TEST(GatherTest, TakesAlongEveryAxis) {
  const Tensor x = Counting({3, 4});
  const Tensor indices = Constant<int32_t>({2, 0, 2}, {3});
  EXPECT_EQ(Gather(x, indices).ToVector<float>(),
            (std::vector<float>{8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11}));
  const Tensor columns = Gather(x, indices, {.axis = 1});
  EXPECT_EQ(columns.shape(), (Shape{3, 3}));
  EXPECT_EQ(columns.ToVector<float>(), (std::vector<float>{2, 0, 2, 6, 4, 6, 10, 8, 10}));
  const Tensor each = Gather(x, Constant<int64_t>({3, 1, 0}, {3, 1}), {.axis = 1, .batch_dims = 1});
  EXPECT_EQ(each.shape(), (Shape{3, 1}));
  EXPECT_EQ(each.ToVector<float>(), (std::vector<float>{3, 5, 8}));
  EXPECT_EQ(Gather(x, Scalar<int32_t>(1)).ToVector<float>(), (std::vector<float>{4, 5, 6, 7}));
  EXPECT_EQ(Gather(x, Constant<int32_t>({}, {0})).shape(), (Shape{0, 4}));
}

TEST(GatherTest, NamesAnIndexOutOfRange) {
  const Tensor x = Counting({3, 4});
  EXPECT_EQ(MessageOf([&] {
              Gather(x, Constant<int32_t>({1, 3}));
            }),
            "[GatherV2] an index must be in [0, 3); got indices[1] = 3");
  EXPECT_EQ(CodeOf([&] { Gather(x, Constant<int32_t>({-1})); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { Gather(x, Counting({2})); }), Code::kInvalidArgument);
}

TEST(GatherTest, AdjointAddsInOrderInsideALeafAndLeavesByTheTree) {
  // Values whose sum depends on the order: 2^24 swallows a one.
  const float big = 16777216;
  const Tensor g = Constant<float>({big, 1, 1, 1, 1, 2}, {6, 1});
  const Tensor ids = Constant<int32_t>({1, 1, 1, 1, 1, 0});
  const Tensor table = Counting({3, 1});
  const ops::Attributes attributes{{"axis", int64_t{0}}, {"batch_dims", int64_t{0}}};
  const auto sum = [&](const kernels::LeafTable& leaves) {
    return testing::RunWithLeaves("GatherAdjoint", {g, ids, table}, attributes, leaves)
        .ToVector<float>();
  };
  EXPECT_EQ(sum({}), (std::vector<float>{2, big, 0}));
  EXPECT_EQ(sum({0, 1, 3, 6}), (std::vector<float>{2, big + 4, 0}));
  EXPECT_EQ(sum({0, 1, 2, 2, 6}), (std::vector<float>{2, big + 4, 0}));
}

TEST(OneHotTest, MarksPlacesAlongEveryAxis) {
  const Tensor indices = Constant<int32_t>({1, -1, 3, 0}, {4});
  EXPECT_EQ(OneHot(indices, 2).ToVector<float>(), (std::vector<float>{0, 1, 0, 0, 0, 0, 1, 0}));
  const Tensor first =
      OneHot(indices, 2, {.on_value = 5, .off_value = 7, .axis = 0, .dtype = DType::kInt32});
  EXPECT_EQ(first.shape(), (Shape{2, 4}));
  EXPECT_EQ(first.ToVector<int32_t>(), (std::vector<int32_t>{7, 7, 7, 5, 5, 7, 7, 7}));
  EXPECT_EQ(OneHot(indices, 0).shape(), (Shape{4, 0}));
  EXPECT_EQ(CodeOf([&] { OneHot(indices, -1); }), Code::kInvalidArgument);
}

TEST(ExpandDimsTest, AddsAndRemovesAxes) {
  const Tensor x = Counting({2, 3});
  EXPECT_EQ(ExpandDims(x, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(ExpandDims(x, {0, 2}).shape(), (Shape{1, 2, 1, 3}));
  EXPECT_EQ(Squeeze(ExpandDims(x, {0, 2})).shape(), (Shape{2, 3}));
  EXPECT_EQ(Squeeze(ExpandDims(x, {0, 2}), {0}).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(MessageOf([&] { Squeeze(x, {1}); }),
            "[Squeeze] an axis that goes must have size 1; got [2,3] and axis 1");
}

TEST(StackTest, JoinsAlongANewAxisAndUnstackUndoesIt) {
  const Tensor a = Counting({2, 3});
  for (int axis : {0, 1, 2, -1}) {
    const Tensor stacked = Stack({a, a + 10, a + 20}, axis);
    EXPECT_EQ(stacked.shape().dim(axis), 3);
    EXPECT_EQ(Unstack(stacked, axis)[2].ToVector<float>(), (a + 20).ToVector<float>());
  }
  EXPECT_EQ(Stack({Scalar(1.0f), Scalar(2.0f)}).ToVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(MessageOf([&] {
              Stack({a, Counting({2})});
            }),
            "[Pack] shapes must agree; got [2,3] and [2]");
  EXPECT_EQ(MessageOf([&] { Split(a, 2, 1); }),
            "[Split] the number of parts must divide the axis; got 2 parts of float32[2,3] along "
            "axis 1");
}

TEST(SliceTest, TakesAWindow) {
  const Tensor x = Counting({3, 4});
  EXPECT_EQ(Slice(x, {1, 1}, {2, 2}).ToVector<float>(), (std::vector<float>{5, 6, 9, 10}));
  EXPECT_EQ(Slice(x, {0, 2}, {-1, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(Slice(x, {3, 0}, {0, 4}).shape(), (Shape{0, 4}));
  EXPECT_EQ(MessageOf([&] {
              Slice(x, {0, 3}, {1, 2});
            }),
            "[Slice] the slice must lie inside the axis; got begin 3 and size 2 in [3,4] (axis 1)");
  EXPECT_EQ(CodeOf([&] { Slice(x, {-1, 0}, {1, 1}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { Slice(x, {0}, {1}); }), Code::kInvalidArgument);
}

TEST(SliceTest, RefusesExtremeArguments) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const Tensor x = Tensor::FromVector(std::vector<float>{1, 2, 3, 4}, Shape{4});
  for (const int64_t begin : {kMax, kMax - 1, kMax - 63, kMin, kMin + 1, int64_t{5}, int64_t{-1}}) {
    for (const int64_t size : {kMax, int64_t{1}, int64_t{68}, int64_t{-1}, int64_t{-2}, kMin}) {
      EXPECT_EQ(CodeOf([&] { Slice(x, {begin}, {size}); }), Code::kInvalidArgument)
          << begin << " " << size;
    }
  }
  EXPECT_EQ(CodeOf([&] { Slice(x, {1}, {kMax}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { Slice(x, {1}, {kMin}); }), Code::kInvalidArgument);
}

TEST(StridedSliceTest, TakesExtremeArgumentsAsPythonDoes) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const Tensor x = Tensor::FromVector(std::vector<float>{1, 2, 3, 4}, Shape{4});
  using Values = std::vector<float>;
  EXPECT_EQ(StridedSlice(x, {0}, {kMax}, {kMax}).ToVector<float>(), (Values{1}));
  EXPECT_EQ(StridedSlice(x, {kMin}, {kMax}, {1}).ToVector<float>(), (Values{1, 2, 3, 4}));
  EXPECT_EQ(StridedSlice(x, {kMax}, {kMin}, {-1}).ToVector<float>(), (Values{4, 3, 2, 1}));
  EXPECT_EQ(StridedSlice(x, {kMax}, {kMin}, {kMin}).ToVector<float>(), (Values{4}));
  EXPECT_EQ(StridedSlice(x, {kMax}, {kMax}, {kMax}).ToVector<float>(), (Values{}));
  const std::vector<int64_t> many(33, 0);
  EXPECT_EQ(CodeOf([&] { StridedSlice(x, many, many, many); }), Code::kInvalidArgument);
}

TEST(StridedSliceTest, IsPythonsSliceInOneDimension) {
  for (int64_t size : {0, 1, 5}) {
    const Tensor x = Counting({size});
    for (int64_t stride : {1, 2, 3, -1, -2, -7}) {
      for (int64_t begin = -7; begin <= 7; ++begin) {
        for (int64_t end = -7; end <= 7; ++end) {
          // Python's rule, step by step.
          const int64_t low = stride > 0 ? 0 : -1;
          const int64_t high = stride > 0 ? size : size - 1;
          const int64_t from = std::clamp(begin < 0 ? begin + size : begin, low, high);
          const int64_t to = std::clamp(end < 0 ? end + size : end, low, high);
          std::vector<float> wanted;
          for (int64_t i = from; stride > 0 ? i < to : i > to; i += stride) {
            wanted.push_back(static_cast<float>(i));
          }
          ASSERT_EQ(StridedSlice(x, {begin}, {end}, {stride}).ToVector<float>(), wanted)
              << begin << ":" << end << ":" << stride << " of " << size;
        }
      }
    }
  }
}

TEST(StridedSliceTest, Masks) {
  const Tensor x = Counting({2, 3, 4});
  const auto slice = [&](std::vector<int64_t> begin, std::vector<int64_t> end,
                         const StridedSliceMasks& masks) {
    return StridedSlice(x, begin, end, {}, masks);
  };
  EXPECT_EQ(slice({0, 1}, {0, 2}, {.ellipsis = 1}).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(slice({1, 0, 0}, {2, 0, 0}, {.ellipsis = 2, .shrink_axis = 5}).ToVector<float>(),
            (std::vector<float>{12, 16, 20}));
  EXPECT_EQ(slice({0, 0, 1}, {0, 0, 2}, {.begin = 2, .end = 2, .new_axis = 1}).shape(),
            (Shape{1, 2, 1, 4}));
  EXPECT_EQ(slice({-1}, {0}, {.shrink_axis = 1}).shape(), (Shape{3, 4}));
  EXPECT_EQ(slice({0, -1}, {0, 0}, {.ellipsis = 1, .new_axis = 2}).shape(), (Shape{2, 3, 4, 1}));
  EXPECT_EQ(MessageOf([&] { slice({2}, {3}, {.shrink_axis = 1}); }),
            "[StridedSlice] an index must lie inside its axis; got index 2 in [2,3,4] (axis 0)");
  EXPECT_EQ(CodeOf([&] { StridedSlice(x, {0}, {1}, {0}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { slice({0, 0, 0, 0}, {1, 1, 1, 1}, {}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { slice({0, 0}, {0, 0}, {.ellipsis = 3}); }), Code::kInvalidArgument);
}

TEST(PadTest, FillsAndMirrors) {
  const Tensor x = Counting({2, 3});
  EXPECT_EQ(Pad(x, {{1, 0}, {0, 1}}, PadMode::kConstant, 7).ToVector<float>(),
            (std::vector<float>{7, 7, 7, 7, 0, 1, 2, 7, 3, 4, 5, 7}));
  EXPECT_EQ(Pad(x, {{0, 0}, {2, 1}}, PadMode::kReflect).ToVector<float>(),
            (std::vector<float>{2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4}));
  EXPECT_EQ(Pad(x, {{0, 0}, {2, 1}}, PadMode::kSymmetric).ToVector<float>(),
            (std::vector<float>{1, 0, 0, 1, 2, 2, 4, 3, 3, 4, 5, 5}));
  EXPECT_EQ(Pad(Counting({0, 2}), {{1, 1}, {0, 0}}).ToVector<float>(),
            (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(Pad(Scalar(3.0f), {}).scalar<float>(), 3.0f);
  EXPECT_EQ(MessageOf([&] {
              Pad(x, {{0, 0}, {3, 0}}, PadMode::kReflect);
            }),
            "[MirrorPad] a mirrored padding must not reach beyond the axis; got padding 3 of [2,3] "
            "(axis 1)");
  EXPECT_EQ(CodeOf([&] { Pad(x, {{0, -1}, {0, 0}}); }), Code::kInvalidArgument);
}

TEST(TileTest, RepeatsAndReverses) {
  const Tensor x = Counting({2, 2});
  EXPECT_EQ(
      Tile(x, {2, 3}).ToVector<float>(),
      (std::vector<float>{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}));
  EXPECT_EQ(Tile(x, {0, 1}).shape(), (Shape{0, 2}));
  EXPECT_EQ(Tile(Scalar(4.0f), {}).scalar<float>(), 4.0f);
  EXPECT_EQ(Reverse(Counting({2, 3}), {1}).ToVector<float>(),
            (std::vector<float>{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(Reverse(Counting({2, 3}), {0, 1}).ToVector<float>(),
            (std::vector<float>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(CodeOf([&] { Reverse(x, {0, -2}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { Tile(x, {1}); }), Code::kInvalidArgument);
}

TEST(ScatterTest, PutsSlicesInPlaces) {
  const Tensor x = Counting({3, 2});
  const Tensor places = Constant<int32_t>({2, 1, 0, 0}, {2, 2});
  EXPECT_EQ(GatherNd(x, places).ToVector<float>(), (std::vector<float>{5, 0}));
  EXPECT_EQ(GatherNd(x, Constant<int64_t>({1}, {1, 1})).ToVector<float>(),
            (std::vector<float>{2, 3}));
  const Tensor rows = Constant<int32_t>({2, 0, 2}, {3, 1});
  const Tensor updates = Constant<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(ScatterNd(rows, updates, {3, 2}).ToVector<float>(),
            (std::vector<float>{3, 4, 0, 0, 6, 8}));
  EXPECT_EQ(TensorScatterUpdate(x, rows, updates).ToVector<float>(),
            (std::vector<float>{3, 4, 2, 3, 5, 6}));
  EXPECT_EQ(TensorScatterAdd(x, rows, updates).ToVector<float>(),
            (std::vector<float>{3, 5, 2, 3, 10, 13}));
  EXPECT_EQ(MessageOf([&] {
              GatherNd(x, Constant<int32_t>({0, 2}, {1, 2}));
            }),
            "[GatherNd] an index must be in [0, 2); got 2 (place 0, axis 1)");
  EXPECT_EQ(CodeOf([&] { ScatterNd(rows, x, {3, 3}); }), Code::kInvalidArgument);
}

TEST(SparseToDenseTest, PutsValuesAtPlaces) {
  const auto dense = [](std::vector<int64_t> places, std::vector<int64_t> sizes,
                        bool ordered = true) {
    const auto count = static_cast<int64_t>(places.size()) / 2;
    return SparseToDense(Tensor::FromVector(places, Shape{count, 2}),
                         Tensor::FromVector(sizes, Shape{2}), Counting({count}) + 1,
                         Constant<float>({-1}, {}), ordered);
  };
  EXPECT_EQ(dense({0, 1, 1, 0}, {2, 2}).ToVector<float>(), (std::vector<float>{-1, 1, 2, -1}));
  EXPECT_EQ(dense({}, {2, 0}).shape(), (Shape{2, 0}));
  EXPECT_EQ(dense({1, 0, 0, 1}, {2, 2}, false).ToVector<float>(),
            (std::vector<float>{-1, 2, 1, -1}));
  const auto text = [&](std::vector<int64_t> places, std::vector<int64_t> sizes) {
    return MessageOf([&] { dense(std::move(places), std::move(sizes)); });
  };
  const std::string rule =
      "[SparseToDense] places must lie within [2,2] and rise; got places of which ";
  EXPECT_EQ(text({1, 0, 0, 1}, {2, 2}),
            rule + "indices[1] = [0,1] is out of order; sort them by tf.sparse.reorder");
  EXPECT_EQ(text({1, 0, 1, 0}, {2, 2}), rule + "indices[1] = [1,0] is repeated");
  EXPECT_EQ(text({0, 2}, {2, 2}), rule + "indices[0] = [0,2] is out of bounds");
  EXPECT_EQ(text({}, {1LL << 40, 1LL << 40}),
            "[SparseToDense] the product of sizes must be at most 2^63 - 1; got "
            "[1099511627776,1099511627776]");
  EXPECT_EQ(SparseToDense(Constant<int64_t>({1}, {1, 1}), Constant<int64_t>({2}),
                          Tensor::FromStrings({"a"}, {1}), Tensor::FromStrings({"?"}, {}))
                .ToVector<std::string>(),
            (std::vector<std::string>{"?", "a"}));
}

TEST(SortTest, IsStableAndPutsNanLast) {
  const float nan = NAN;
  const Tensor x = Constant<float>({3, 1, nan, 3, 2}, {5});
  EXPECT_EQ(ArgSort(x).ToVector<int32_t>(), (std::vector<int32_t>{1, 4, 0, 3, 2}));
  EXPECT_EQ(ArgSort(x, 0, SortDirection::kDescending).ToVector<int32_t>(),
            (std::vector<int32_t>{2, 0, 3, 4, 1}));
  EXPECT_EQ(TopK(x, 3).indices.ToVector<int32_t>(), (std::vector<int32_t>{2, 0, 3}));
  const Tensor columns = Sort(Constant<int32_t>({3, 1, 2, 5, 1, 0}, {3, 2}), 0);
  EXPECT_EQ(columns.ToVector<int32_t>(), (std::vector<int32_t>{1, 0, 2, 1, 3, 5}));
  EXPECT_EQ(CodeOf([&] { TopK(x, 6); }), Code::kInvalidArgument);
  EXPECT_EQ(TopK(x, 0).values.num_elements(), 0);
}

TEST(ArrayGradientTest, AgreesWithCentralDifferencesTwice) {
  const Tensor x = Random({3, 4}, 1, DType::kFloat64);
  const Tensor y = Random({3, 4}, 2, DType::kFloat64);
  const Tensor ids = Constant<int32_t>({2, 0, 2, 1});
  using Inputs = std::vector<Tensor>;
  const std::vector<std::pair<const char*, TensorFunction>> functions{
      {"transpose", [](const Inputs& t) { return Transpose(t[0] * t[1]); }},
      {"concat",
       [](const Inputs& t) {
         return Concat({t[0] * t[0], t[1]}, 1);
       }},
      {"split",
       [](const Inputs& t) {
         return SplitV(t[0] * t[1], {1, 3}, 1)[1];
       }},
      {"stack",
       [](const Inputs& t) {
         return Stack({t[0] * t[1], t[1]}, 1);
       }},
      {"slice",
       [](const Inputs& t) {
         return Slice(t[0] * t[1], {1, 0}, {2, 3});
       }},
      {"strided",
       [](const Inputs& t) {
         return StridedSlice(t[0] * t[1], {2, 3}, {-4, 0}, {-1, -2});
       }},
      {"pad",
       [](const Inputs& t) {
         return Pad(t[0] * t[1], {{1, 2}, {0, 1}});
       }},
      {"reflect",
       [](const Inputs& t) {
         return Pad(t[0] * t[1], {{1, 2}, {0, 3}}, PadMode::kReflect);
       }},
      {"symmetric",
       [](const Inputs& t) {
         return Pad(t[0] * t[1], {{3, 2}, {0, 4}}, PadMode::kSymmetric);
       }},
      {"tile",
       [](const Inputs& t) {
         return Tile(t[0] * t[1], {2, 3});
       }},
      {"reverse", [](const Inputs& t) { return Reverse(t[0] * t[1], {0}); }},
      {"gather columns", [&](const Inputs& t) { return Gather(t[0] * t[1], ids, {.axis = 1}); }},
      {"gather rows", [&](const Inputs& t) { return Gather(t[0] * t[1], ids); }},
      {"gather in batch",
       [](const Inputs& t) {
         const Tensor each = Constant<int32_t>({3, 3, 0, 1, 2, 2}, {3, 2});
         return Gather(t[0] * t[1], each, {.axis = 1, .batch_dims = 1});
       }},
      {"gather places",
       [](const Inputs& t) {
         return GatherNd(t[0] * t[1], Constant<int32_t>({2, 1, 0, 3, 2, 1}, {3, 2}));
       }},
      {"scatter",
       [](const Inputs& t) {
         return ScatterNd(Constant<int32_t>({4, 0, 4}, {3, 1}), t[0] * t[1], {5, 4});
       }},
      {"update",
       [](const Inputs& t) {
         const Tensor rows = Constant<int32_t>({2, 0}, {2, 1});
         return TensorScatterUpdate(t[0] * t[1], rows, Slice(t[1] * t[1], {0, 0}, {2, 4}));
       }},
      {"add",
       [](const Inputs& t) {
         const Tensor rows = Constant<int32_t>({2, 2}, {2, 1});
         return TensorScatterAdd(t[0] * t[1], rows, Slice(t[1] * t[1], {0, 0}, {2, 4}));
       }},
      {"sparse",
       [](const Inputs& t) {
         return SparseToDense(Constant<int64_t>({0, 1, 2, 0}, {2, 2}), Constant<int64_t>({3, 2}),
                              ReduceSum(Slice(t[0] * t[1], {0, 0}, {2, 4}), 1),
                              ReduceSum(t[0] * t[1]));
       }},
      {"top k", [](const Inputs& t) { return TopK(t[0] * t[1], 2).values; }},
      {"sort", [](const Inputs& t) { return Sort(t[0] * t[1], 0); }},
      {"expand",
       [](const Inputs& t) {
         return Squeeze(ExpandDims(t[0] * t[1], {0, 2}), {2});
       }},
  };
  for (const auto& [name, function] : functions) {
    EXPECT_LT(GapOfGradients(function, {x, y}, 2).size, 1e-6) << name;
  }
}

}  // namespace
}  // namespace lockstep::runtime
