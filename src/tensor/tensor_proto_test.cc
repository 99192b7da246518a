#include "tensor/tensor_proto.h"

#include <gtest/gtest.h>

#include "base/mutation_test.h"

namespace lockstep::tensor {
namespace {

TEST(ShapeProto, ReadsBack) {
  EXPECT_EQ(ShapeProto(Shape{}), "");
  EXPECT_EQ(ShapeProto(Shape{2}), std::string("\x12\x02\x08\x02", 4));
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 1, 70000}, Shape{-1, 2}})
    EXPECT_EQ(ParseShapeProto(ShapeProto(shape)), shape);
  EXPECT_EQ(ParseShapeProto(std::string("\x18\x01", 2)), std::nullopt);  // unknown rank
  EXPECT_EQ(ParseShapeProto("\x12"), std::nullopt);
  std::string nine;
  for (int i = 0; i < 9; ++i) nine += std::string("\x12\x02\x08\x02", 4);
  EXPECT_EQ(ParseShapeProto(nine), std::nullopt);
}

TEST(TensorProto, ReadsBack) {
  const Tensor tensors[] = {Scalar<float>(-1.5f),
                            Constant<int64_t>({1, -2, 3}, {3, 1}),
                            Constant<double>({}, {0, 4}),
                            Tensor::FromBools({true, false}, {2}),
                            Constant<bfloat16>({bfloat16(2.f)}, {1}),
                            Tensor::FromStrings({"", "two"}, {2})};
  for (const Tensor& tensor : tensors) {
    const auto read = ParseTensorProto(TensorProto(tensor));
    ASSERT_TRUE(read) << tensor.ToString();
    EXPECT_EQ(read->dtype(), tensor.dtype());
    EXPECT_EQ(read->ToString(), tensor.ToString());
  }
}

TEST(TensorProto, TakesElementsOfOtherFields) {
  base::WireWriter floats;  // one for all
  floats.Varint(1, 1).Bytes(2, ShapeProto(Shape{3})).Float(5, 0.5f);
  EXPECT_EQ(ParseTensorProto(floats.bytes())->ToVector<float>(),
            (std::vector<float>{0.5f, 0.5f, 0.5f}));
  base::WireWriter integers;  // packed, the last one for the rest
  integers.Varint(1, 3).Bytes(2, ShapeProto(Shape{3})).Bytes(7, "\x05\x07");
  EXPECT_EQ(ParseTensorProto(integers.bytes())->ToVector<int32_t>(),
            (std::vector<int32_t>{5, 7, 7}));
}

TEST(TensorProto, RefusesWhatDoesNotFit) {
  const auto proto = [](uint64_t dtype, const Shape& shape, const std::string& content) {
    return std::move(
               base::WireWriter().Varint(1, dtype).Bytes(2, ShapeProto(shape)).Bytes(4, content))
        .bytes();
  };
  EXPECT_TRUE(ParseTensorProto(proto(1, Shape{2}, "12345678")));
  EXPECT_FALSE(ParseTensorProto(proto(1, Shape{3}, "12345678")));
  EXPECT_FALSE(ParseTensorProto(proto(1, Shape{int64_t{1} << 62, 4}, "12345678")));
  EXPECT_FALSE(ParseTensorProto(proto(8, Shape{1}, "12345678")));  // complex64
  EXPECT_FALSE(ParseTensorProto(proto(1, Shape{-1}, "1234")));
  base::WireWriter huge;  // one element that claims to be a thousand million
  huge.Varint(1, 1).Bytes(2, ShapeProto(Shape{1'000'000'000})).Float(5, 1);
  EXPECT_FALSE(ParseTensorProto(huge.bytes()));
}

TEST(TensorProto, AThousandDamagedMessagesAreNothingOrATensor) {
  const std::string whole = TensorProto(Constant<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  const uint64_t seed = base::TestSeed(41);
  int refused = 0;
  for (uint64_t item = 0; item < 1000; ++item) {
    SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
    std::mt19937_64 random(seed * 1000 + item);
    const std::string bytes = base::Mutate(whole, whole, random);
    const auto tensor = ParseTensorProto(bytes);
    refused += !tensor;
    if (tensor && tensor->dtype() != DType::kString) {
      ASSERT_LE(tensor->num_bytes(), size_t{128} << 20);
    }
  }
  EXPECT_GT(refused, 400) << "the damage does none";
}

}  // namespace
}  // namespace lockstep::tensor
