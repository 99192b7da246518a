// Ops whose sizes and places are values: as the ops with numbers, eagerly and in functions, with
// gradients.

#include "gmock/gmock.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/by_values.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"
#include "runtime/gradient_check_test.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using testing::Counting;
using ::testing::ElementsAre;
using testing::Random;

Tensor Sizes(const std::vector<int64_t>& sizes) { return Constant<int64_t>(sizes); }

// The part [begin : end, -1] of a matrix.
Tensor LastOfRows(const Tensor& x, const Tensor& begin, const Tensor& end) {
  StridedSliceByOptions options{{0, -1}, {0, 0}, {1, 1}, 0b01, {}};
  options.masks.shrink_axis = 0b10;
  const Tensor last = Sizes({-1});
  return StridedSliceBy(x, Concat({begin, last}, 0), Concat({end, last}, 0), options);
}

TEST(ByValuesTest, DoesWhatTheOpWithNumbersDoes) {
  const Tensor x = Counting({2, 3});
  const auto same = [](const Tensor& got, const Tensor& expected) {
    EXPECT_EQ(got.shape(), expected.shape());
    EXPECT_EQ(got.ToVector<float>(), expected.ToVector<float>());
  };
  same(ReshapeBy(x, Sizes({3, -1}), {-1, -1}), Reshape(x, {3, 2}));
  same(BroadcastBy(x, Sizes({2, 2, 3}), {-1, 2, 3}), BroadcastTo(x, {2, 2, 3}));
  same(TileBy(x, Sizes({2, 1}), {-1, 1}), Tile(x, {2, 1}));
  same(PadBy(x, Sizes({1, 0, 0, 2}), 7, {-1, -1, 0, 2}),
       Pad(x, {{1, 0}, {0, 2}}, PadMode::kConstant, 7));
  same(SliceBy(x, Sizes({1, 0}), Sizes({-1, 2}), {-1, 2}), Slice(x, {1, 0}, {1, 2}));
  same(LastOfRows(x, Sizes({-5}), Sizes({9})),
       StridedSlice(x, {0, 2}, {2, 3}, {}, {.shrink_axis = 2}));
  EXPECT_EQ(LastOfRows(x, Sizes({2}), Sizes({1})).shape(), (Shape{0}));
  EXPECT_THAT(TileBy(Tensor::FromStrings({"a"}, {1}), Sizes({2}), {-1}).ToVector<std::string>(),
              ElementsAre("a", "a"));
}

TEST(ByValuesTest, FunctionsAreTracedOnceForAllValues) {
  const Tensor x = Counting({4, 3});
  const Function part([&](const Tensor& begin, const Tensor& end) {
    const Tensor rows = LastOfRows(x, begin, end);
    EXPECT_EQ(rows.shape(), (Shape{Shape::kUnknown}));
    return Multiply(rows, 2.0f);
  });
  EXPECT_THAT(part(Sizes({1}), Sizes({3})).ToVector<float>(), ElementsAre(10, 16));
  EXPECT_THAT(part(Sizes({-1}), Sizes({4})).ToVector<float>(), ElementsAre(22));
  EXPECT_EQ(part.num_traces(), 1);

  const Function numbers(
      [](const Tensor& limit) { return RangeBy(Scalar<int32_t>(1), limit, Scalar<int32_t>(2)); });
  EXPECT_THAT(numbers(Scalar<int32_t>(6)).ToVector<int32_t>(), ElementsAre(1, 3, 5));
  EXPECT_EQ(numbers(Scalar<int32_t>(1)).num_elements(), 0);
}

TEST(ByValuesTest, SaysWhatItKnowsOfShapes) {
  const Tensor x = Counting({4, 3});
  const Function shapes([&](const Tensor& sizes) {
    EXPECT_EQ(ReshapeBy(x, sizes, {-1, 6}).shape(), (Shape{-1, 6}));
    EXPECT_EQ(TileBy(x, sizes, {-1, 2}).shape(), (Shape{-1, 6}));
    EXPECT_EQ(PadBy(x, Concat({sizes, sizes}, 0), 0, {-1, 6, 2, 6}).shape(), (Shape{-1, 11}));
    StridedSliceByOptions options{{0, 0, 0}, {0, 0, 2}, {1, 1, 1}, 0b001, {}};
    options.masks.new_axis = 0b010;
    const Tensor ends = Concat({sizes, Sizes({2})}, 0);
    EXPECT_EQ(StridedSliceBy(x, ends, ends, options).shape(), (Shape{-1, 1, 2}));
    return ReshapeBy(x, sizes, {-1, 6});
  });
  EXPECT_EQ(shapes(Sizes({2, 6})).shape(), (Shape{2, 6}));
}

TEST(ByValuesTest, HasGradients) {
  const std::vector<Tensor> x{Random({3, 2}, 1, DType::kFloat64)};
  const std::vector<TensorFunction> functions{
      [](const auto& t) {
        return ReshapeBy(t[0], Sizes({2, 3}), {-1, -1});
      },
      [](const auto& t) {
        return BroadcastBy(t[0], Sizes({2, 3, 2}), {-1, 3, 2});
      },
      [](const auto& t) {
        return TileBy(t[0], Sizes({2, 3}), {-1, -1});
      },
      [](const auto& t) {
        return PadBy(t[0], Sizes({1, 2, 0, 1}), 0, {-1, 2, 0, 1});
      },
      [](const auto& t) {
        return SliceBy(t[0], Sizes({1, 0}), Sizes({2, 1}), {-1, 1});
      },
      [](const auto& t) { return LastOfRows(t[0], Sizes({1}), Sizes({3})); },
  };
  for (const TensorFunction& function : functions) {
    EXPECT_LT(GapOfGradients(function, x).size, 1e-8);
    const auto gradient = [&](const std::vector<Tensor>& t) {
      return Outputs(TapeGradients([&](const auto& u) { return Square(function(u)[0]); }, t,
                                   {OnesLike(function(t)[0])}));
    };
    EXPECT_LT(GapOfGradients(gradient, x).size, 1e-6);
  }
}

TEST(ByValuesTest, RefusesWhatDoesNotFitWhenItRuns) {
  const Tensor x = Counting({4, 3});
  const Function slice([&](const Tensor& begin) {
    return SliceBy(x, begin, Sizes({2, 3}), {2, 3});
  });
  EXPECT_THAT(testing::MessageOf([&] {
                slice(Sizes({3, 0}));
              }),
              ::testing::HasSubstr("begin 3 and size 2 in [4,3] (axis 0)"));
  EXPECT_EQ(slice(Sizes({2, 0})).shape(), (Shape{2, 3}));
  EXPECT_EQ(CodeOf([&] { ReshapeBy(x, Sizes({5, -1}), {-1, -1}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              ReshapeBy(x, Constant<int32_t>({3, 4}), {-1, -1});
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(testing::MessageOf([] {
              BroadcastBy(Scalar(1.0f), Sizes({-1, 2}), {-1, 2});
            }),
            "[BroadcastTo] sizes must not be negative; got [?,2]");
  EXPECT_EQ(CodeOf([&] { RangeBy(Scalar<int32_t>(0), Scalar<int32_t>(3), Scalar<int32_t>(0)); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::runtime
