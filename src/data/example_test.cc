#include "lockstep/data/example.h"

#include <gtest/gtest.h>

#include "base/wire.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/function.h"

namespace lockstep::data {
namespace {

Features Sample() {
  return {{"b", std::vector<std::string>{"hi", ""}},
          {"f", std::vector<float>{1.5f, -2}},
          {"i", std::vector<int64_t>{1, -2, 300}},
          {"n", Feature()},
          {"image", std::vector<std::string>{std::string("\x00\xff\x07\x01", 4)}}};
}

Code CodeOf(const std::string& bytes, const std::vector<FeatureSpec>& specs, std::string* text) {
  try {
    ParseSingleExample(bytes, specs);
  } catch (const Error& error) {
    *text = error.status().message();
    return error.code();
  }
  return Code::kOk;
}

TEST(Example, ReadsBack) {
  EXPECT_EQ(DeserializeExample(SerializeExample(Sample())).OrThrow(), Sample());
  EXPECT_EQ(DeserializeExample("").OrThrow(), Features());
  const SequenceExample sequence{{{"id", std::vector<int64_t>{7}}},
                                 {{"words", {std::vector<std::string>{"a"}, Feature()}}}};
  EXPECT_EQ(DeserializeSequenceExample(SerializeSequenceExample(sequence)).OrThrow(), sequence);
  EXPECT_EQ(DeserializeExample("\x0a\x05hi").status().code(), Code::kInvalidArgument);
}

TEST(Example, HasTheFormatsBytes) {
  const std::string bytes = SerializeExample({{"i", std::vector<int64_t>{1, -2, 300}}});
  EXPECT_EQ(bytes, std::string("\x0a\x18\x0a\x16\x0a\x01i\x12\x11\x1a\x0f\x0a\x0d\x01\xfe\xff\xff"
                               "\xff\xff\xff\xff\xff\xff\x01\xac\x02",
                               26));
}

TEST(Example, TakesListsThatAreNotPacked) {
  base::WireWriter list, feature, entry, features, example;
  list.Varint(1, 5).Varint(1, 6);
  entry.Bytes(1, "i").Message(2, feature.Message(3, list));
  const Element element = ParseSingleExample(example.Message(1, features.Message(1, entry)).bytes(),
                                             {{"i", DType::kInt64, Shape{2}}});
  EXPECT_EQ(element[0].ToVector<int64_t>(), (std::vector<int64_t>{5, 6}));
}

TEST(ParseExample, GivesTheFeaturesInOrder) {
  const Element element = ParseSingleExample(
      SerializeExample(Sample()), {{"i", DType::kInt64, Shape{3}},
                                   {"image", DType::kUInt8, Shape{2, 2}},
                                   {"f", DType::kFloat32, {}, FeatureSpec::Kind::kVariable},
                                   {"none", DType::kInt64, {}, FeatureSpec::Kind::kVariable},
                                   {"b", DType::kString, Shape{2}},
                                   {"missing", DType::kFloat32, Shape{2}, {}, 0.5}});
  EXPECT_EQ(element[0].ToVector<int64_t>(), (std::vector<int64_t>{1, -2, 300}));
  EXPECT_EQ(element[1].ToVector<uint8_t>(), (std::vector<uint8_t>{0, 255, 7, 1}));
  EXPECT_EQ(element[1].shape(), (Shape{2, 2}));
  EXPECT_EQ(element[2].ToVector<float>(), (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(element[3].shape(), Shape{0});
  EXPECT_EQ(element[4].ToVector<std::string>(), (std::vector<std::string>{"hi", ""}));
  EXPECT_EQ(element[5].ToVector<float>(), (std::vector<float>{0.5f, 0.5f}));
}

TEST(ParseExample, StacksAndPadsBatches) {
  const Tensor records = Tensor::FromStrings(
      {SerializeExample({{"w", std::vector<int64_t>{1, 2}}, {"x", std::vector<float>{3}}}),
       SerializeExample({}), SerializeExample({{"w", std::vector<int64_t>{9}}})},
      {3});
  const Element batch = ParseExample(
      records,
      {{"w", DType::kInt64, {}, FeatureSpec::Kind::kVariable}, {"x", DType::kFloat32, {}, {}, -1}});
  EXPECT_EQ(batch[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(batch[0].ToVector<int64_t>(), (std::vector<int64_t>{1, 2, 0, 0, 9, 0}));
  EXPECT_EQ(batch[1].shape(), Shape{3});
  EXPECT_EQ(batch[1].ToVector<float>(), (std::vector<float>{3, -1, -1}));
  const Element none = ParseExample(Tensor::FromStrings({}, {0}), {{"x", DType::kFloat32, {2}}});
  EXPECT_EQ(none[0].shape(), (Shape{0, 2}));
}

TEST(ParseExample, PadsListsOfPairsWithTheirDefault) {
  const std::string pairs = SerializeExample({{"w", std::vector<int64_t>{1, 2, 3, 4}}});
  const std::vector<FeatureSpec> wanted{
      {"w", DType::kInt64, Shape{2}, FeatureSpec::Kind::kVariable, -1}};
  const Tensor batch =
      ParseExample(Tensor::FromStrings({pairs, SerializeExample({})}, {2}), wanted)[0];
  EXPECT_EQ(batch.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(batch.ToVector<int64_t>(), (std::vector<int64_t>{1, 2, 3, 4, -1, -1, -1, -1}));
  EXPECT_EQ(ParseSingleExample(pairs, wanted)[0].shape(), (Shape{2, 2}));
  std::string text;
  EXPECT_EQ(CodeOf(SerializeExample({{"w", std::vector<int64_t>{1}}}), wanted, &text),
            Code::kInvalidArgument);
  EXPECT_EQ(
      text,
      "[dataset.parse_example] the feature w must have a multiple of 2 elements, for [2] each; "
      "got 1 (example 0); look at what writes it");
}

TEST(ParseExample, GivesPlacesAndSplitsOfLists) {
  const std::string two = SerializeExample({{"w", std::vector<int64_t>{7, 8}}});
  const Tensor records = Tensor::FromStrings(
      {two, SerializeExample({}), SerializeExample({{"w", std::vector<int64_t>{9}}})}, {3});
  const std::vector<FeatureSpec> sparse{{"w", DType::kInt64, {}, FeatureSpec::Kind::kSparse}};
  const std::vector<FeatureSpec> ragged{{"w", DType::kInt64, {}, FeatureSpec::Kind::kRagged}};
  const auto shown = [](const Element& element) {
    std::vector<std::vector<int64_t>> values;
    for (const Tensor& one : element) values.push_back(one.ToVector<int64_t>());
    return values;
  };
  using Shown = std::vector<std::vector<int64_t>>;
  const Element batch = ParseExample(records, sparse);
  EXPECT_EQ(shown(batch), (Shown{{0, 0, 0, 1, 2, 0}, {7, 8, 9}, {3, 2}}));
  EXPECT_EQ(batch[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(shown(ParseSingleExample(two, sparse)), (Shown{{0, 1}, {7, 8}, {2}}));
  EXPECT_EQ(shown(ParseExample(Tensor::FromStrings({}, {0}), sparse)), (Shown{{}, {}, {0, 0}}));
  EXPECT_EQ(shown(ParseExample(records, ragged)), (Shown{{7, 8, 9}, {0, 2, 2, 3}}));
  EXPECT_EQ(shown(ParseSingleExample(two, ragged)), (Shown{{7, 8}}));
  const Function parse([&](const std::vector<Tensor>& inputs) {
    Element parsed = ParseExample(inputs[0], sparse);
    const Element rows = ParseExample(inputs[0], ragged);
    parsed.insert(parsed.end(), rows.begin(), rows.end());
    return parsed;
  });
  EXPECT_EQ(shown(parse.Call({records})),
            (Shown{{0, 0, 0, 1, 2, 0}, {7, 8, 9}, {3, 2}, {7, 8, 9}, {0, 2, 2, 3}}));
  std::string text;
  EXPECT_EQ(CodeOf(two, {{"w", DType::kInt64, Shape{2}, FeatureSpec::Kind::kSparse}}, &text),
            Code::kInvalidArgument);
}

TEST(ParseExample, IsAnOpOfTracedFunctions) {
  const std::vector<FeatureSpec> wanted{{"x", DType::kFloat32, Shape{2}},
                                        {"w", DType::kInt64, {}, FeatureSpec::Kind::kVariable}};
  int traces = 0;
  const Function parse([&](const std::vector<Tensor>& records) {
    ++traces;
    Element parsed = ParseExample(records[0], wanted);
    EXPECT_EQ(parsed[0].shape().rank(), records[0].rank() + 1);
    EXPECT_EQ(parsed[1].shape()[records[0].rank()], Shape::kUnknown);
    parsed[0] = parsed[0] * parsed[0];
    return parsed;
  });
  const std::string one =
      SerializeExample({{"x", std::vector<float>{3, 4}}, {"w", std::vector<int64_t>{7}}});
  const std::string two =
      SerializeExample({{"x", std::vector<float>{1, 2}}, {"w", std::vector<int64_t>{8, 9}}});
  const Element pair = parse.Call({Tensor::FromStrings({one, two}, {2})});
  EXPECT_EQ(pair[0].ToVector<float>(), (std::vector<float>{9, 16, 1, 4}));
  EXPECT_EQ(pair[1].ToVector<int64_t>(), (std::vector<int64_t>{7, 0, 8, 9}));
  for (const std::string& text : {one, two})
    EXPECT_EQ(parse.Call({Tensor::FromStrings({text}, {})})[1].shape()[0], text == one ? 1 : 2);
  EXPECT_EQ(traces, 2);
  try {
    parse.Call({Tensor::FromStrings({"\x0a\x7f"}, {})});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
}

TEST(FeatureListSteps, TakesTheListsOfManyApart) {
  const auto words = [](std::vector<std::string> list) { return Feature(std::move(list)); };
  const std::string one = SerializeSequenceExample(
      {{{"id", std::vector<int64_t>{7}}}, {{"w", {words({"a", "b"}), words({})}}, {"v", {}}}});
  const std::string two = SerializeSequenceExample({{}, {{"w", {words({"c"})}}}});
  const Tensor both = Tensor::FromStrings({one, two}, {2});
  const Element steps = FeatureListSteps(both, "w", true);
  EXPECT_EQ(steps[1].ToVector<int64_t>(), (std::vector<int64_t>{2, 1}));
  const Element rows =
      ParseExample(steps[0], {{"w", DType::kString, Shape{}, FeatureSpec::Kind::kRagged}});
  EXPECT_EQ(rows[1].ToVector<int64_t>(), (std::vector<int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(ParseExample(both, {{"id", DType::kInt64, Shape{}, {}, Scalar<int64_t>(0)}})[0]
                .ToVector<int64_t>(),
            (std::vector<int64_t>{7, 0}));
  EXPECT_EQ(FeatureListSteps(both, "v", false)[1].ToVector<int64_t>(),
            (std::vector<int64_t>{0, 0}));
  for (const char* bytes : {"", "\x12\x7f"}) {
    try {
      FeatureListSteps(Tensor::FromStrings({bytes}, {1}), "w", true);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

TEST(ParseExample, NamesTheFeatureThatDoesNotFit) {
  const std::string bytes = SerializeExample(Sample());
  std::string text;
  EXPECT_EQ(CodeOf(bytes, {{"i", DType::kInt64, Shape{2}}}, &text), Code::kInvalidArgument);
  EXPECT_EQ(text,
            "[dataset.parse_example] the feature i must have 2 elements, for [2]; got 3 (example "
            "0); look at what writes it");
  EXPECT_EQ(CodeOf(bytes, {{"i", DType::kFloat32, Shape{3}}}, &text), Code::kInvalidArgument);
  EXPECT_EQ(text,
            "[dataset.parse_example] the feature i must have a float_list; got an int64_list "
            "(example 0); look at what writes it");
  EXPECT_EQ(CodeOf(bytes, {{"absent", DType::kFloat32, Shape{}}}, &text), Code::kInvalidArgument);
  EXPECT_EQ(text,
            "[dataset.parse_example] the feature absent must have a value, as it has no default; "
            "got none (example 0); look at what writes it");
  EXPECT_EQ(CodeOf(bytes, {{"f", DType::kFloat64, Shape{2}}}, &text), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf(bytes, {{"b", DType::kUInt8, Shape{2}}}, &text), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf("\x0a\x7f", {{"f", DType::kFloat32, Shape{2}}}, &text), Code::kInvalidArgument);
  EXPECT_EQ(text,
            "[dataset.parse_example] the bytes must be a serialized Example; got others (example "
            "0); look at what writes them");
}

}  // namespace
}  // namespace lockstep::data
