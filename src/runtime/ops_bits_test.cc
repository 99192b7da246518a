// The bits of integers.

#include "gmock/gmock.h"
#include "lockstep/ops/bits.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using ::testing::ElementsAre;

template <typename T>
class BitsTest : public ::testing::Test {};
using Integers = ::testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t>;
TYPED_TEST_SUITE(BitsTest, Integers);

TYPED_TEST(BitsTest, AreJoinedAndMoved) {
  using T = TypeParam;
  const auto is = [](const Tensor& got, std::vector<T> expected) {
    EXPECT_EQ(got.ToVector<T>(), expected);
  };
  const Tensor a = Constant<T>({5, 3, 0, T(-1)});
  const Tensor b = Constant<T>({6, 1, 7, 4});
  is(BitwiseAnd(a, b), {4, 1, 0, 4});
  is(BitwiseOr(a, b), {7, 3, 7, T(-1)});
  is(BitwiseXor(a, b), {3, 2, 7, T(~4)});
  is(LeftShift(a, Constant<T>({1, 0, 3, 2})), {10, 3, 0, T(-4)});
  is(RightShift(a, Constant<T>({1, 0, 3, 2})), {2, 1 + 2, 0, T(T(-1) >> 2)});
  is(Invert(a), {T(~5), T(~3), T(-1), 0});
  is(LeftShift(Constant<T>({1, 1}), Constant<T>({100, T(-1)})),
     {T(uint64_t{1} << (8 * sizeof(T) - 1)), std::is_signed_v<T> ? T(1) : T(uint64_t{1} << 7)});
}

TEST(BitsOfIntegersTest, BroadcastAndNeedIntegers) {
  EXPECT_THAT(
      BitwiseOr(Constant<int32_t>({1, 2}, {2, 1}), Constant<int32_t>({4, 8})).ToVector<int32_t>(),
      ElementsAre(5, 9, 6, 10));
  EXPECT_EQ(CodeOf([] { BitwiseAnd(Scalar(1.0f), Scalar(2.0f)); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Invert(Scalar(true)); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { BitwiseAnd(Scalar<int32_t>(1), Scalar<int64_t>(2)); }),
            Code::kInvalidArgument);
  const Function traced(
      [](const Tensor& x) { return BitwiseXor(x, LeftShift(x, Scalar<int32_t>(1))); });
  EXPECT_THAT(traced(Constant<int32_t>({1, 6})).ToVector<int32_t>(), ElementsAre(3, 10));
}

}  // namespace
}  // namespace lockstep::runtime
