// Strings in ops that move or compare elements.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/strings.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::CodeOf;
using ::testing::ElementsAre;

std::vector<std::string> Words(const Tensor& tensor) {
  EXPECT_EQ(tensor.dtype(), DType::kString);
  return tensor.ToVector<std::string>();
}

TEST(StringsTest, AreMoved) {
  const std::string nul("n\0l", 3), longer = "long enough to lie elsewhere";
  const Tensor x = Tensor::FromStrings({"a", "", longer, "b", nul, "a"}, {2, 3});
  EXPECT_THAT(Words(Transpose(x)), ElementsAre("a", "b", "", nul, longer, "a"));
  EXPECT_THAT(Words(Concat({x, Tensor::FromStrings({"c", "d"}, {2, 1})}, 1)),
              ElementsAre("a", "", longer, "c", "b", nul, "a", "d"));
  EXPECT_EQ(Words(Stack({x, x})).size(), 12);
  EXPECT_THAT(Words(Gather(x, Constant<int32_t>({2, 0}), {.axis = 1})),
              ElementsAre(longer, "a", "a", "b"));
  EXPECT_THAT(Words(GatherNd(x, Constant<int32_t>({1, 1}, {1, 2}))), ElementsAre(nul));
  EXPECT_THAT(Words(Reverse(x, {1})), ElementsAre(longer, "", "a", "a", nul, "b"));
  EXPECT_THAT(Words(Slice(x, {0, 1}, {2, 1})), ElementsAre("", nul));
  EXPECT_THAT(Words(Tile(Slice(x, {0, 0}, {1, 2}), {2, 1})), ElementsAre("a", "", "a", ""));
  EXPECT_THAT(Words(Split(x, 3, 1)[2]), ElementsAre(longer, "a"));
  EXPECT_THAT(Words(BroadcastTo(Tensor::FromStrings({"z"}, {}), {2})), ElementsAre("z", "z"));
  EXPECT_THAT(Words(Reshape(x, {3, 2})), ElementsAre("a", "", longer, "b", nul, "a"));
  EXPECT_THAT(Words(Concat({Tensor::FromStrings({}, {0, 2}), Tensor::FromStrings({}, {0, 2})}, 0)),
              ElementsAre());
}

TEST(StringsTest, AreCompared) {
  const Tensor a = Tensor::FromStrings({"ab", "", "c"}, {3, 1});
  const Tensor b = Tensor::FromStrings({"c", "ab"}, {2});
  EXPECT_THAT(Equal(a, b).ToVector<bool>(), ElementsAre(false, true, false, false, true, false));
  EXPECT_THAT(NotEqual(a, b).ToVector<bool>(), ElementsAre(true, false, true, true, false, true));
  const Tensor dash = Tensor::FromStrings({"-"}, {});
  EXPECT_THAT(Words(Where(Equal(a, Tensor::FromStrings({"ab"}, {1})), a, dash)),
              ElementsAre("ab", "-", "-"));
}

TEST(StringsTest, AreMovedInFunctions) {
  const Tensor x = Tensor::FromStrings({"a", "b"}, {2});
  const Function move([](const Tensor& v) {
    const Tensor turned = Reshape(Reverse(v, {0}), {1, 2});
    return Concat({turned, Tensor::FromStrings({"c", "d"}, {1, 2}), turned}, 0);
  });
  EXPECT_THAT(Words(move(x)), ElementsAre("b", "a", "c", "d", "b", "a"));
  const Function equal([](const Tensor& v) { return Equal(v, v); });
  EXPECT_THAT(equal(x).ToVector<bool>(), ElementsAre(true, true));
  const Function mixed([](const Tensor& v) {
    return Cast(Equal(Reverse(v, {0}), v), DType::kFloat32) * 2.0f + 1.0f;
  });
  EXPECT_THAT(mixed(Tensor::FromStrings({"a", "b", "a"}, {3})).ToVector<float>(),
              ElementsAre(3, 3, 3));
  EXPECT_THAT(mixed(x).ToVector<float>(), ElementsAre(1, 1));
}

TEST(StringsTest, AreNumbersInTheirBytes) {
  const Tensor texts = Tensor::FromStrings({std::string("\1\0\2\0", 4), "abcd"}, {2});
  EXPECT_THAT(DecodeRaw(texts, DType::kInt16).ToVector<int16_t>(),
              ElementsAre(1, 2, 0x6261, 0x6463));
  EXPECT_THAT(DecodeRaw(texts, DType::kInt16, {.little_endian = false}).ToVector<int16_t>(),
              ElementsAre(0x100, 0x200, 0x6162, 0x6364));
  const Tensor one = Tensor::FromStrings({"ab"}, {});
  EXPECT_THAT(DecodeRaw(one, DType::kUInt8).ToVector<uint8_t>(), ElementsAre('a', 'b'));
  EXPECT_EQ(DecodeRaw(Tensor::FromStrings({}, {0}), DType::kFloat32).shape(), (Shape{0, 0}));
  EXPECT_EQ(DecodeRaw(Tensor::FromStrings({""}, {1}), DType::kFloat32).shape(), (Shape{1, 0}));
  const Tensor uneven = Tensor::FromStrings({"a", "abc"}, {2});
  EXPECT_THAT(DecodeRaw(uneven, DType::kUInt8, {.fixed_length = 2}).ToVector<uint8_t>(),
              ElementsAre('a', 0, 'a', 'b'));
  const Tensor flags = DecodeRaw(Tensor::FromStrings({std::string("\2\0", 2)}, {1}), DType::kBool);
  EXPECT_THAT(flags.ToVector<bool>(), ElementsAre(true, false));
  const Function decode([](const Tensor& v) {
    const Tensor numbers = DecodeRaw(v, DType::kUInt8);
    EXPECT_EQ(numbers.shape()[1], Shape::kUnknown);
    return Reshape(numbers, {-1, 2, 2}) + Tensor(1);
  });
  EXPECT_THAT(decode(Tensor::FromStrings({"abcd"}, {1})).ToVector<uint8_t>(),
              ElementsAre('b', 'c', 'd', 'e'));
}

TEST(StringsTest, AreRefusedWhereTheyAreNoNumbers) {
  const auto refused = [](const Tensor& x, DType dtype, std::optional<int64_t> bytes = {}) {
    return CodeOf([&] { DecodeRaw(x, dtype, {.fixed_length = bytes}); });
  };
  EXPECT_EQ(refused(Tensor::FromStrings({"a", "abc"}, {2}), DType::kUInt8), Code::kInvalidArgument);
  EXPECT_EQ(refused(Tensor::FromStrings({"abc"}, {1}), DType::kInt16), Code::kInvalidArgument);
  EXPECT_EQ(refused(Tensor::FromStrings({"abcd"}, {1}), DType::kString), Code::kInvalidArgument);
  EXPECT_EQ(refused(Tensor::FromStrings({"abcd"}, {1}), DType::kInt16, 3), Code::kInvalidArgument);
  EXPECT_EQ(refused(Constant<float>({1, 2}), DType::kInt16), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::runtime
