// Strings in ops that move or compare elements.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
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

TEST(StringsTest, AreRefusedWhereAPlanWouldHoldThem) {
  const Tensor x = Tensor::FromStrings({"a", "b"}, {2});
  const Function reverse([](const Tensor& v) { return Reverse(v, {0}); });
  EXPECT_EQ(CodeOf([&] { reverse(x); }), Code::kUnimplemented);
  const Function equal([](const Tensor& v) { return Equal(v, v); });
  EXPECT_THAT(equal(x).ToVector<bool>(), ElementsAre(true, true));
}

}  // namespace
}  // namespace lockstep::runtime
