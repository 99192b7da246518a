#include "lockstep/tensor/tensor.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "gmock/gmock.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string MessageOf(const std::function<void()>& call, Code code = Code::kInvalidArgument) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return std::string(error.status().message());
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(Shape, CountsAndNames) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.num_elements(), 24);
  EXPECT_EQ(shape.product(1, 3), 12);
  EXPECT_EQ(shape.dim(-1), 4);
  EXPECT_EQ(shape.ToString(), "[2,3,4]");
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{3, 0}).num_elements(), 0);
  EXPECT_EQ((Shape{Shape::kUnknown, 2}).ToString(), "[?,2]");
  EXPECT_FALSE((Shape{Shape::kUnknown, 2}).fully_known());
  EXPECT_TRUE((Shape{Shape::kUnknown, 2}).CompatibleWith({5, 2}));
  EXPECT_FALSE((Shape{Shape::kUnknown, 2}).CompatibleWith({5, 3}));
  EXPECT_FALSE((Shape{2}).CompatibleWith({2, 1}));
  EXPECT_NE((Shape{2}), (Shape{2, 1}));
}

TEST(Shape, CountsAxesFromTheEndAndInTheirRange) {
  Shape shape{4, 3};
  EXPECT_EQ(shape[-1], 3);
  shape.set_dim(-2, 5);
  EXPECT_EQ(shape, (Shape{5, 3}));
  EXPECT_THROW(shape[2], Error);
  EXPECT_THROW(shape[-3], Error);
  EXPECT_THROW(Shape()[0], Error);
}

TEST(Shape, CountsNoMoreElementsThanThereCanBe) {
  constexpr int64_t kLarge = int64_t{1} << 40;
  EXPECT_THROW((Shape{kLarge, kLarge}.num_elements()), Error);
  EXPECT_EQ((Shape{kLarge, kLarge, 0}.num_elements()), 0);
  EXPECT_EQ((Shape{kLarge, 1 << 22}.num_elements()), int64_t{1} << 62);
}

TEST(Shape, RefusesWhatCannotBe) {
  EXPECT_EQ(MessageOf([] { Shape({2, -2}); }), "[shape] a size must not be negative; got -2");
  EXPECT_EQ(MessageOf([] {
              Shape({1, 1, 1, 1, 1, 1, 1, 1, 1});
            }),
            "[shape] a tensor has at most 8 axes; got more");
  EXPECT_THAT(MessageOf([] { (Shape{2, 3}).dim(2); }), HasSubstr("must lie in [-2, 2); got 2"));
  EXPECT_THAT(MessageOf([] { (Shape{Shape::kUnknown}).num_elements(); }, Code::kFailedPrecondition),
              HasSubstr("got [?]"));
}

TEST(Shape, Broadcasts) {
  const auto broadcast = [](const Shape& a, const Shape& b) {
    return BroadcastShapes(a, b, "add");
  };
  EXPECT_EQ(broadcast({2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast({2, 1}, {1, 5}), (Shape{2, 5}));
  EXPECT_EQ(broadcast({}, {4}), (Shape{4}));
  EXPECT_EQ(broadcast({0, 3}, {1, 1}), (Shape{0, 3}));
  EXPECT_EQ(broadcast({Shape::kUnknown, 3}, {1}), (Shape{Shape::kUnknown, 3}));
  EXPECT_EQ(broadcast({Shape::kUnknown}, {7}), (Shape{7}));
  EXPECT_EQ(MessageOf([&] {
              broadcast({2, 3}, {2});
            }),
            "[add] shapes must broadcast; got [2,3] and [2]");
}

TEST(DType, HasTensorFlowsNumbersAndSizes) {
  EXPECT_EQ(static_cast<int>(DType::kFloat32), 1);
  EXPECT_EQ(static_cast<int>(DType::kInt64), 9);
  EXPECT_EQ(static_cast<int>(DType::kBFloat16), 14);
  EXPECT_EQ(DTypeName(DType::kFloat16), "float16");
  EXPECT_EQ(DTypeSize(DType::kBFloat16), 2U);
  EXPECT_EQ(DTypeSize(DType::kBool), 1U);
  EXPECT_TRUE(IsFloating(DType::kBFloat16) && !IsFloating(DType::kInt8));
  EXPECT_TRUE(IsInteger(DType::kUInt8) && !IsInteger(DType::kBool));
}

TEST(BFloat16, RoundsToTheNearestEven) {
  EXPECT_EQ(float(bfloat16(1.0f)), 1.0f);
  EXPECT_EQ(float(bfloat16(1.0f + 0x1p-8f)), 1.0f);              // half way, 1 is even
  EXPECT_EQ(float(bfloat16(1.0f + 0x1.8p-7f)), 1.0f + 0x1p-6f);  // half way, up to even
  EXPECT_EQ(float(bfloat16(1.0f + 0x1.02p-8f)), 1.0f + 0x1p-7f);
  EXPECT_EQ(float(bfloat16(3.4e38f)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(bfloat16(-0.0f).bits, 0x8000);
  EXPECT_TRUE(std::isnan(float(bfloat16(std::nanf("")))));
  // A NaN whose upper bits are those of infinity stays a NaN.
  uint32_t word = 0x7f800001;
  float nan;
  std::memcpy(&nan, &word, 4);
  EXPECT_TRUE(std::isnan(float(bfloat16(nan))));
  EXPECT_FALSE(bfloat16(std::nanf("")) == bfloat16(std::nanf("")));
}

TEST(Float16, RoundsToTheNearestEven) {
  EXPECT_EQ(float(float16(1.0f + 0x1p-11f)), 1.0f);
  EXPECT_EQ(float(float16(1.0f + 0x1.8p-10f)), 1.0f + 0x1p-9f);
  EXPECT_EQ(float(float16(65504.0f)), 65504.0f);
  EXPECT_EQ(float(float16(65520.0f)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(float(float16(0x1p-24f)), 0x1p-24f);  // the smallest
  EXPECT_EQ(float(float16(0x1p-25f)), 0.0f);
  EXPECT_TRUE(std::isnan(float(float16(std::nanf("")))));
  for (int bits = 0; bits < 0x7c00; ++bits) {
    float16 half;
    half.bits = static_cast<uint16_t>(bits);
    ASSERT_EQ(float16(float(half)).bits, bits);
  }
}

TEST(Tensor, CopiesFromAndToTheHost) {
  std::vector<float> values = {1, 2, 3, 4};
  const Tensor t = Tensor::FromVector(values, {2, 2});
  values[0] = 9;
  EXPECT_THAT(t.ToVector<float>(), ElementsAre(1, 2, 3, 4));
  std::vector<float> copy = t.ToVector<float>();
  copy[1] = 9;
  EXPECT_EQ(t.data<float>()[1], 2);
  EXPECT_EQ(t.num_bytes(), 16U);
  EXPECT_EQ(t.dtype(), DType::kFloat32);
  const Tensor same = t;
  EXPECT_EQ(same.id(), t.id());
  EXPECT_EQ(same.raw_data(), t.raw_data());
  EXPECT_THAT(Constant<bool>({true, false}).ToVector<bool>(), ElementsAre(true, false));
  EXPECT_THAT(Tensor::FromStrings({"a", ""}, {2}).ToVector<std::string>(), ElementsAre("a", ""));
  EXPECT_EQ(Constant<int64_t>({}, {0, 3}).num_elements(), 0);
  EXPECT_EQ((Tensor{{1, 2}, {3, 4}, {5, 6}}).shape(), (Shape{3, 2}));
  EXPECT_FALSE(Tensor().defined());
}

TEST(Tensor, NamesWhatDoesNotFit) {
  EXPECT_EQ(MessageOf([] {
              Constant<int32_t>({1, 2, 3}, {2, 2});
            }),
            "[tensor] the shape must hold as many elements as given; got 3 elements for [2,2]");
  EXPECT_THAT(MessageOf([] { Tensor::FromStrings({"a"}, {2}); }),
              HasSubstr("got 1 strings for [2]"));
  EXPECT_THAT(MessageOf([] { Constant<bool>({true}, {}).WithShape({2}); }),
              HasSubstr("got [] and [2]"));
  EXPECT_EQ(MessageOf([] {
              Tensor({{1, 2}, {3}});
            }),
            "[tensor] rows must have equal lengths; got 2 and 1");
  EXPECT_THAT(MessageOf([] {
                Tensor{1, 2}.data<double>();
              }),
              HasSubstr("got float64 for a tensor of float32"));
  EXPECT_EQ(MessageOf([] {
              Tensor{1, 2}.scalar<float>();
            }),
            "[tensor] exactly one element is needed; got shape [2]");
}

TEST(Tensor, SharesElementsUnderAnotherShape) {
  const Tensor t = {1, 2, 3, 4, 5, 6};
  const Tensor matrix = t.WithShape({2, 3});
  EXPECT_EQ(matrix.raw_data(), t.raw_data());
  EXPECT_EQ(matrix.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.shape(), (Shape{6}));
  EXPECT_NE(matrix.id(), t.id());
}

TEST(Tensor, NumbersAreWeak) {
  const Tensor whole = 3, real = 2.5, truth = true;
  EXPECT_TRUE(whole.is_weak() && real.is_weak() && truth.is_weak());
  EXPECT_EQ(whole.dtype(), DType::kInt64);
  EXPECT_EQ(real.dtype(), DType::kFloat64);
  EXPECT_EQ(truth.dtype(), DType::kBool);
  EXPECT_EQ(whole.scalar<int64_t>(), 3);
  EXPECT_FALSE(Scalar(2.5).is_weak());
  EXPECT_EQ(Scalar(2.5f).dtype(), DType::kFloat32);
}

// The expected texts are NumPy's.
TEST(Printing, FollowsNumPy) {
  EXPECT_EQ((Tensor{1, 2.5f}).ToString(), "Tensor([1.  2.5], shape=[2], dtype=float32)");
  EXPECT_EQ(Scalar(3.0f).ToString(), "Tensor(3.0, shape=[], dtype=float32)");
  EXPECT_EQ(Scalar(0.1f).ToString(), "Tensor(0.1, shape=[], dtype=float32)");
  EXPECT_EQ(Scalar(1e-5).ToString(), "Tensor(1e-05, shape=[], dtype=float64)");
  EXPECT_EQ(Scalar(1.5e17f).ToString(), "Tensor(1.5e+17, shape=[], dtype=float32)");
  EXPECT_EQ(Scalar(123456789.0f).ToString(), "Tensor(1.2345679e+08, shape=[], dtype=float32)");
  EXPECT_EQ(Scalar(123456.5f).ToString(), "Tensor(123456.5, shape=[], dtype=float32)");
  EXPECT_EQ(Scalar(123456789.0).ToString(), "Tensor(123456789.0, shape=[], dtype=float64)");
  EXPECT_EQ(Scalar(float16(0.1f)).ToString(), "Tensor(0.1, shape=[], dtype=float16)");
  EXPECT_EQ(Scalar(bfloat16(0.1f)).ToString(), "Tensor(0.1, shape=[], dtype=bfloat16)");
  EXPECT_EQ(Scalar(true).ToString(), "Tensor(True, shape=[], dtype=bool)");
  EXPECT_EQ((Tensor{{1, -2}, {10, 0.25f}}).ToString(),
            "Tensor(\n[[ 1.   -2.  ]\n [10.    0.25]], shape=[2,2], dtype=float32)");
  EXPECT_EQ((Tensor{0.1f, 0.2f, NAN, INFINITY, -1}).ToString(),
            "Tensor([ 0.1  0.2  nan  inf -1. ], shape=[5], dtype=float32)");
  EXPECT_EQ((Tensor{-INFINITY, 1}).ToString(), "Tensor([-inf   1.], shape=[2], dtype=float32)");
  EXPECT_EQ((Tensor{1e-5f, 1, 2.5f}).ToString(),
            "Tensor([1.0e-05 1.0e+00 2.5e+00], shape=[3], dtype=float32)");
  EXPECT_EQ((Tensor{0.58896892f, 2000}).ToString(),
            "Tensor([5.8896893e-01 2.0000000e+03], shape=[2], dtype=float32)");
  EXPECT_EQ(Constant<double>({1e-100, 1}).ToString(),
            "Tensor([1.e-100 1.e+000], shape=[2], dtype=float64)");
  EXPECT_EQ(Constant<double>({1.0 / 3, 2}).ToString(),
            "Tensor([0.33333333 2.        ], shape=[2], dtype=float64)");
  EXPECT_EQ(Constant<int8_t>({-100, 5, 1, 2}, {2, 2}).ToString(),
            "Tensor(\n[[-100    5]\n [   1    2]], shape=[2,2], dtype=int8)");
  EXPECT_EQ(Constant<bool>({true, false}).ToString(),
            "Tensor([ True False], shape=[2], dtype=bool)");
  EXPECT_EQ(Tensor::FromStrings({"a", "it's\n"}, {2}).ToString(),
            "Tensor(['a' 'it\\'s\\n'], shape=[2], dtype=string)");
  EXPECT_EQ(Constant<float>({}, {2, 0}).ToString(), "Tensor([], shape=[2,0], dtype=float32)");
  EXPECT_EQ(Tensor().ToString(), "Tensor(none)");
  EXPECT_EQ(Constant<int32_t>({1, 2, 3, 4}, {2, 1, 2}).ToString(),
            "Tensor(\n[[[1 2]]\n\n [[3 4]]], shape=[2,1,2], dtype=int32)");
}

TEST(Printing, AbridgesAndBreaksLines) {
  std::vector<int32_t> numbers(1001);
  for (int i = 0; i < 1001; ++i) numbers[i] = i;
  EXPECT_EQ(Constant<int32_t>(numbers).ToString(),
            "Tensor([   0    1    2 ...  998  999 1000], shape=[1001], dtype=int32)");
  numbers.resize(1000);
  const std::string all = Constant<int32_t>(numbers).ToString();
  EXPECT_THAT(all,
              HasSubstr("  0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17\n"
                        "  18"));
  EXPECT_THAT(all, HasSubstr("998 999], shape=[1000]"));
  numbers.resize(1200);
  EXPECT_EQ(Constant<int32_t>(numbers, {600, 2}).ToString(),
            "Tensor(\n[[0 1]\n [2 3]\n [4 5]\n ...\n [0 0]\n [0 0]\n [0 0]], shape=[600,2], "
            "dtype=int32)");
}

}  // namespace
}  // namespace lockstep
