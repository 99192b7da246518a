// Ops whose results are places, shapes or ranges, and updates of a variable's rows.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lockstep/ops/array.h"
#include "lockstep/runtime/variable.h"
#include "runtime/gradient_check_test.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using testing::Counting;
using testing::MessageOf;
using testing::Random;

TEST(WhereTest, GivesPlacesRowMajor) {
  const Tensor places = Where(Constant<int32_t>({0, 2, 3, 0, 0, 1}, {2, 3}));
  EXPECT_EQ(places.shape(), (Shape{3, 2}));
  EXPECT_EQ(places.ToVector<int64_t>(), (std::vector<int64_t>{0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(Where(Constant<float>({0, 0})).shape(), (Shape{0, 1}));
  EXPECT_EQ(Where(Scalar(true)).shape(), (Shape{1, 0}));
}

Tensor Mask(const std::vector<float>& values, const Shape& shape) {
  auto flags = std::make_unique<bool[]>(values.size());
  for (size_t i = 0; i < values.size(); ++i) flags[i] = values[i] != 0;
  return Tensor::FromHost(std::span<const bool>(flags.get(), values.size()), shape);
}

TEST(BooleanMaskTest, KeepsWhatIsMarked) {
  const Tensor x = Counting({2, 3});
  EXPECT_EQ(BooleanMask(x, Mask({0, 1}, {2})).ToVector<float>(), (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(BooleanMask(x, Mask({1, 0, 1, 0, 0, 1}, {2, 3})).ToVector<float>(),
            (std::vector<float>{0, 2, 5}));
  EXPECT_EQ(BooleanMask(x, Mask({0, 0}, {2})).shape(), (Shape{0, 3}));
  EXPECT_EQ(MessageOf([&] {
              BooleanMask(x, Mask({1, 1, 1}, {3}));
            }),
            "[BooleanMask] a bool mask must have the shape of the first axes; got bool[3] for "
            "[2,3]");
  const auto masked = [](const std::vector<Tensor>& t) {
    return BooleanMask(t[0], Mask({1, 0, 1}, {3}));
  };
  EXPECT_LT(GapOfGradients(masked, {Random({3, 2}, 1, DType::kFloat64)}).size, 1e-8);
}

TEST(UniqueTest, KeepsTheOrderOfFirstOccurrence) {
  const auto [values, places] = Unique(Constant<int32_t>({4, 1, 4, 0, 1}));
  EXPECT_EQ(values.ToVector<int32_t>(), (std::vector<int32_t>{4, 1, 0}));
  EXPECT_EQ(places.ToVector<int32_t>(), (std::vector<int32_t>{0, 1, 0, 2, 1}));
  EXPECT_EQ(Unique(Constant<float>({NAN, 1, NAN, 1})).values.num_elements(), 3);
  EXPECT_EQ(CodeOf([] { Unique(Counting({2, 2})); }), Code::kInvalidArgument);
}

TEST(SearchSortedTest, FindsBothBounds) {
  const Tensor sorted = Constant<float>({1, 2, 2, 5, 0, 0, 0, 1}, {2, 4});
  const Tensor values = Constant<float>({2, 6, 0, 0.5}, {2, 2});
  EXPECT_EQ(SearchSorted(sorted, values).ToVector<int32_t>(), (std::vector<int32_t>{1, 4, 0, 3}));
  EXPECT_EQ(SearchSorted(sorted, values, true).ToVector<int32_t>(),
            (std::vector<int32_t>{3, 4, 3, 3}));
  EXPECT_EQ(CodeOf([&] { SearchSorted(sorted, Counting({3})); }), Code::kInvalidArgument);
}

TEST(MatrixBandPartTest, KeepsTheBand) {
  const Tensor ones = Constant<float>(std::vector<float>(9, 1), {3, 3});
  EXPECT_EQ(MatrixBandPart(ones, -1, 0).ToVector<float>(),
            (std::vector<float>{1, 0, 0, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(MatrixBandPart(ones, 0, 1).ToVector<float>(),
            (std::vector<float>{1, 1, 0, 0, 1, 1, 0, 0, 1}));
  const auto band = [](const std::vector<Tensor>& t) { return MatrixBandPart(t[0], 1, 0); };
  EXPECT_LT(GapOfGradients(band, {Random({2, 4, 3}, 1, DType::kFloat64)}).size, 1e-8);
  EXPECT_TRUE(testing::RunSplit("MatrixBandPart", {Random({2, 5, 3}, 1)},
                                {{"lower", int64_t{1}}, {"upper", int64_t{0}}}));
}

TEST(RangeTest, CountsAndDivides) {
  EXPECT_EQ(Range(2, 9, 3).ToVector<int32_t>(), (std::vector<int32_t>{2, 5, 8}));
  EXPECT_EQ(Range(3, 0, -1).ToVector<int32_t>(), (std::vector<int32_t>{3, 2, 1}));
  EXPECT_EQ(Range(0, 1, 0.25).ToVector<float>(), (std::vector<float>{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(Range(0, 0).num_elements(), 0);
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto whole = [&](int64_t start, int64_t limit, int64_t delta) {
    return Range(Scalar(start), Scalar(limit), Scalar(delta)).ToVector<int64_t>();
  };
  EXPECT_EQ(whole(kMost - 2, kMost, 1), (std::vector<int64_t>{kMost - 2, kMost - 1}));
  EXPECT_EQ(whole(kLeast, kMost, kMost), (std::vector<int64_t>{kLeast, -1, kMost - 1}));
  EXPECT_EQ(whole(kMost, kLeast, kLeast), (std::vector<int64_t>{kMost, -1}));
  EXPECT_EQ(CodeOf([&] { whole(0, kMost, 1); }), Code::kResourceExhausted);
  EXPECT_EQ(CodeOf([] { Range(0, 3, -1); }), Code::kInvalidArgument);
  EXPECT_EQ(LinSpace(0, 1, 5).ToVector<float>(), (std::vector<float>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(LinSpace(3, 9, 1).ToVector<float>(), (std::vector<float>{3}));
  EXPECT_EQ(MessageOf([] { LinSpace(0, 1, 0); }), "[LinSpace] num must be positive; got 0");
}

TEST(ShapeOfTest, IsAConstantWhereItIsKnown) {
  EXPECT_EQ(ShapeOf(Counting({2, 3})).ToVector<int32_t>(), (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(SizeOf(Counting({2, 3}), DType::kInt64).scalar<int64_t>(), 6);
}

TEST(ScatterIntoTest, UpdatesRowsInTheOrderOfTheirOccurrence) {
  const Variable variable(Constant<float>({1, 2, 3, 4}, {2, 2}));
  const Tensor rows = Constant<int32_t>({1, 1});
  const Tensor updates = Constant<float>({2, 4, 3, 5}, {2, 2});
  const Tensor before = variable.value();
  const auto after = [&](ScatterKind kind) {
    variable.Assign(before);
    ScatterInto(variable.handle(), kind, rows, updates);
    return variable.value().ToVector<float>();
  };
  EXPECT_EQ(after(ScatterKind::kAdd), (std::vector<float>{1, 2, 8, 13}));
  EXPECT_EQ(after(ScatterKind::kSubtract), (std::vector<float>{1, 2, -2, -5}));
  EXPECT_EQ(after(ScatterKind::kMultiply), (std::vector<float>{1, 2, 18, 80}));
  EXPECT_EQ(after(ScatterKind::kDivide), (std::vector<float>{1, 2, 0.5, 0.2f}));
  EXPECT_EQ(after(ScatterKind::kUpdate), (std::vector<float>{1, 2, 3, 5}));
  EXPECT_EQ(after(ScatterKind::kMinimum), (std::vector<float>{1, 2, 2, 4}));
  EXPECT_EQ(after(ScatterKind::kMaximum), (std::vector<float>{1, 2, 3, 5}));
  EXPECT_EQ(before.ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(MessageOf([&] {
              ScatterInto(variable.handle(), ScatterKind::kAdd, Constant<int32_t>({0, 2}), updates);
            }),
            "[ResourceScatterAdd] an index must be in [0, 2); got indices[1] = 2");
  EXPECT_EQ(CodeOf([&] {
              ScatterInto(variable.handle(), ScatterKind::kAdd, rows, Counting({2, 3}));
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::runtime
