// Strings in ops that move or compare elements.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/lookup.h"
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
  EXPECT_THAT(Equal(b, Tensor::FromStrings({"c", "b"}, {2})).ToVector<bool>(),
              ElementsAre(true, false));
  EXPECT_THAT(NotEqual(Tensor::FromStrings({"ab"}, {}), b).ToVector<bool>(),
              ElementsAre(true, false));
  EXPECT_EQ(Equal(a, Tensor::FromStrings({""}, {})).shape(), (Shape{3, 1}));
  EXPECT_THAT(Equal(a, Tensor::FromStrings({""}, {})).ToVector<bool>(),
              ElementsAre(false, true, false));
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

std::vector<int64_t> Integers(const Tensor& tensor) { return tensor.ToVector<int64_t>(); }

TEST(StringsTest, AreChangedByteByByte) {
  const Tensor x = Tensor::FromStrings({" A b\t", "", "\xc3\x84z!", "\n \v"}, {2, 2});
  EXPECT_THAT(StringLength(x).ToVector<int32_t>(), ElementsAre(5, 0, 4, 3));
  EXPECT_THAT(StringLength(x, TextUnit::kUtf8Character).ToVector<int32_t>(),
              ElementsAre(5, 0, 3, 3));
  EXPECT_EQ(StringLength(x).shape(), (Shape{2, 2}));
  EXPECT_THAT(Words(StringLower(x)), ElementsAre(" a b\t", "", "\xc3\x84z!", "\n \v"));
  EXPECT_THAT(Words(StringUpper(x)), ElementsAre(" A B\t", "", "\xc3\x84Z!", "\n \v"));
  EXPECT_THAT(Words(StringStrip(x)), ElementsAre("A b", "", "\xc3\x84z!", ""));
  EXPECT_THAT(Words(StripPunctuation(Tensor::FromStrings({"a-b_c d~e'@[`{"}, {1}))),
              ElementsAre("abc de"));
  const Tensor two = Constant<int32_t>({-2, 1});
  EXPECT_THAT(
      Words(Substring(Tensor::FromStrings({"abc", "x"}, {2}), two, Constant<int32_t>({9, 9}))),
      ElementsAre("bc", ""));
  EXPECT_THAT(Words(Substring(Tensor::FromStrings({"hello"}, {}), Constant<int64_t>({0, 1}),
                              Scalar<int64_t>(2))),
              ElementsAre("he", "el"));
  const Tensor a = Tensor::FromStrings({"a", "b"}, {2});
  EXPECT_THAT(Words(StringJoin({a, Tensor::FromStrings({"x"}, {}), a}, "-")),
              ElementsAre("a-x-a", "b-x-b"));
}

TEST(StringsTest, AreReadAndWrittenAsNumbers) {
  const auto read = [](const std::string& text, DType dtype) {
    return StringToNumber(Tensor::FromStrings({text}, {}), dtype);
  };
  EXPECT_EQ(read(" -1.5e1\n", DType::kFloat32).scalar<float>(), -15);
  EXPECT_EQ(read("0x10", DType::kFloat64).scalar<double>(), 16);
  EXPECT_EQ(read("1e50", DType::kFloat32).scalar<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(read("-1e-400", DType::kFloat64).scalar<double>(), 0);
  EXPECT_EQ(read("+7", DType::kInt32).scalar<int32_t>(), 7);
  EXPECT_EQ(read("-9223372036854775808", DType::kInt64).scalar<int64_t>(), INT64_MIN);
  for (const char* text : {"", " ", "1_0", "1 2", "x", "+-1", "1.5f"}) {
    EXPECT_EQ(CodeOf([&] { read(text, DType::kFloat32); }), Code::kInvalidArgument) << text;
    EXPECT_EQ(CodeOf([&] { read(text, DType::kInt32); }), Code::kInvalidArgument) << text;
  }
  EXPECT_EQ(CodeOf([&] { read("2147483648", DType::kInt32); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { read("1", DType::kUInt8); }), Code::kInvalidArgument);
  EXPECT_THAT(Words(AsString(Constant<int64_t>({INT64_MIN, 0, 7}))),
              ElementsAre("-9223372036854775808", "0", "7"));
  EXPECT_THAT(Words(AsString(Constant<uint8_t>({200}))), ElementsAre("200"));
  EXPECT_THAT(Words(AsString(Constant<bool>({true, false}))), ElementsAre("true", "false"));
}

// As TensorFlow: after the last separation that is allowed comes what is left, even nothing.
TEST(StringsTest, AreSplit) {
  const auto parts = [](const std::string& text, const std::string& separator, int64_t most) {
    const SplitTexts split = StringSplit(Tensor::FromStrings({text}, {}), separator, most);
    EXPECT_THAT(Integers(split.lengths), ElementsAre(split.values.num_elements()));
    return Words(split.values);
  };
  EXPECT_THAT(parts(" a  b\tc ", "", -1), ElementsAre("a", "b", "c"));
  EXPECT_THAT(parts(" a  b\tc ", "", 1), ElementsAre("a", "b\tc "));
  EXPECT_THAT(parts("a", "", 1), ElementsAre("a", ""));
  EXPECT_THAT(parts(" a ", "", 0), ElementsAre(" a "));
  EXPECT_THAT(parts("", "", -1), ElementsAre());
  EXPECT_THAT(parts("a,,b,", ",", -1), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(parts("a,,b,", ",,", -1), ElementsAre("a", "b,"));
  EXPECT_THAT(parts("a,b,c", ",", 1), ElementsAre("a", "b,c"));
  EXPECT_THAT(parts("", ",", -1), ElementsAre(""));
  const Tensor x = Tensor::FromStrings({"a b", "", "c"}, {3});
  const SplitTexts split = StringSplit(x);
  EXPECT_THAT(Words(split.values), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Integers(split.lengths), ElementsAre(2, 0, 1));
  EXPECT_THAT(Words(StringSplitUnits(x).values), ElementsAre("a", " ", "b", "c"));
  const Tensor letters = Tensor::FromStrings({"\xc3\x84z\xff\xe4\xb8", "\xf0\x9f\x98\x80"}, {2});
  EXPECT_THAT(Words(StringSplitUnits(letters, TextUnit::kUtf8Character).values),
              ElementsAre("\xc3\x84", "z", "\xef\xbf\xbd", "\xef\xbf\xbd", "\xf0\x9f\x98\x80"));
  const SplitTexts numbers = UnicodeDecode(letters);
  EXPECT_THAT(numbers.values.ToVector<int32_t>(), ElementsAre(0xc4, 'z', 0xfffd, 0xfffd, 0x1f600));
  EXPECT_THAT(Integers(numbers.lengths), ElementsAre(4, 1));
  const Tensor wrong =
      Tensor::FromStrings({"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80"}, {4});
  EXPECT_THAT(Integers(UnicodeDecode(wrong).lengths), ElementsAre(2, 3, 4, 2));
}

TEST(StringsTest, AreFoundInTables) {
  const LookupTable words(Tensor::FromStrings({"a", "b", ""}, {3}), Constant<float>({1, 2, 3}),
                          {.value = Scalar<float>(-1)});
  const Tensor keys = Tensor::FromStrings({"b", "z", "", "a"}, {2, 2});
  EXPECT_THAT(words.Find(keys).ToVector<float>(), ElementsAre(2, -1, 3, 1));
  const LookupTable numbers(Constant<int64_t>({-5, 7}), Tensor::FromStrings({"x", "y"}, {2}),
                            {.value = Tensor::FromStrings({"?"}, {})});
  EXPECT_THAT(Words(numbers.Find(Constant<int64_t>({7, 0, -5}))), ElementsAre("y", "?", "x"));
  // Buckets: TensorFlow's StaticVocabularyTable with 3 gives these.
  const LookupTable buckets(Tensor::FromStrings({"a", "b"}, {2}), Constant<int64_t>({0, 1}),
                            {.buckets = 3, .first = 2});
  EXPECT_THAT(Integers(buckets.Find(Tensor::FromStrings({"a", "zz", "b", "q"}, {4}))),
              ElementsAre(0, 3, 1, 4));
  const LookupTable own(Constant<int64_t>({12}), Constant<int64_t>({0}),
                        {.buckets = 3, .first = 1, .hash_integers = false});
  EXPECT_THAT(Integers(own.Find(Constant<int64_t>({12, 7, -4}))), ElementsAre(0, 2, 3));
  EXPECT_EQ(CodeOf([&] { words.Find(Constant<int64_t>({1})); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              LookupTable(Constant<int64_t>({1, 1}), Constant<int64_t>({1, 2}),
                          {.value = Scalar<int64_t>(0)});
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { LookupTable(Constant<int64_t>({1}), Constant<int64_t>({1}), {}); }),
            Code::kInvalidArgument);
}

TEST(StringsTest, AreComputedInFunctions) {
  const LookupTable table(Tensor::FromStrings({"a", "b"}, {2}), Constant<int64_t>({1, 2}),
                          {.value = Scalar<int64_t>(0)});
  const Function number([&](const Tensor& texts) {
    const SplitTexts split = StringSplit(StringLower(texts));
    EXPECT_EQ(split.values.shape(), Shape{Shape::kUnknown});
    return table.Find(split.values) * int64_t{10} +
           StringToHashBucket(split.values, 1, TextHash::kStrong, {1, 2});
  });
  EXPECT_THAT(Integers(number(Tensor::FromStrings({"A b", "c B"}, {2}))),
              ElementsAre(10, 20, 0, 20));
  EXPECT_THAT(Integers(number(Tensor::FromStrings({"", "B"}, {2}))), ElementsAre(20));
  EXPECT_EQ(CodeOf([] { StringToHashBucket(Tensor::FromStrings({"a"}, {}), 0); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { StringLower(Constant<float>({1})); }), Code::kInvalidArgument);
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

TEST(StringsTest, RowsAreJoined) {
  const Tensor x = Tensor::FromStrings({"a", "b", "c", "d"}, {2, 2});
  EXPECT_THAT(Words(StringReduceJoin(x, "-")), ElementsAre("a-b", "c-d"));
  EXPECT_THAT(Words(StringReduceJoin(Tensor::FromStrings({}, {1, 0}))), ElementsAre(""));
  EXPECT_EQ(CodeOf([] { StringReduceJoin(Tensor::FromStrings({"a"}, {})); }),
            Code::kInvalidArgument);
  const Tensor flat = Tensor::FromStrings({"a", "b", "c"}, {3});
  const Tensor splits = Constant<int64_t>({0, 2, 2, 3});
  EXPECT_THAT(Words(StringJoinRows(flat, splits, " ")), ElementsAre("a b", "", "c"));
  for (const auto& wrong : {Constant<int64_t>({0, 2, 1, 3}), Constant<int64_t>({1, 3}),
                            Constant<int64_t>({0, 4}), Constant<int64_t>({}, {0})}) {
    EXPECT_EQ(CodeOf([&] { StringJoinRows(flat, wrong); }), Code::kInvalidArgument);
    EXPECT_EQ(CodeOf([&] { StringNGrams(flat, wrong, {.widths = {1}}); }), Code::kInvalidArgument);
  }
  const RowsOfTexts pairs =
      StringNGrams(flat, splits, {.widths = {2}, .left = "<", .right = ">", .pad_width = 1});
  EXPECT_THAT(Words(pairs.values), ElementsAre("< a", "a b", "b >", "< >", "< c", "c >"));
  EXPECT_EQ(pairs.splits.ToVector<int64_t>(), (std::vector<int64_t>{0, 3, 4, 6}));
  EXPECT_EQ(CodeOf([&] {
              StringNGrams(flat, splits, {.widths = {2, 0}});
            }),
            Code::kInvalidArgument);
}

TEST(StringsTest, PatternsAreThoseOfRe2) {
  const Tensor x = Tensor::FromStrings({"w12", "", "w3w"}, {3});
  EXPECT_THAT(Words(RegexReplace(x, "w(\\d)", "<\\1>")), ElementsAre("<1>2", "", "<3>w"));
  EXPECT_THAT(Words(RegexReplace(x, "w", "", false)), ElementsAre("12", "", "3w"));
  EXPECT_EQ(RegexFullMatch(x, "w\\d+").ToVector<bool>(), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(CodeOf([&] { RegexReplace(x, "(", ""); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { RegexReplace(x, "w", "\\2"); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { RegexFullMatch(x, "["); }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::runtime
