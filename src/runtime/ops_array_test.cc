// Ops that move elements, carried out.

#include "lockstep/ops/array.h"

#include <gtest/gtest.h>

#include <numeric>

#include "graph/graph.h"
#include "lockstep/ops/reduce.h"
#include "ops/builder.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using testing::Counting;
using testing::MessageOf;
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

}  // namespace
}  // namespace lockstep::runtime
