#include <gtest/gtest.h>

#include <cstring>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/random.h"
#include "ops/builder.h"
#include "runtime/gradient_check_test.h"
#include "runtime/op_probe.h"

namespace lockstep {
namespace {

using runtime::testing::CodeOf;
using runtime::testing::MessageOf;
using runtime::testing::RunSplit;

Tensor Seed(int64_t first, int64_t second) { return Constant<int64_t>({first, second}); }

TEST(StatelessRandomTest, UniformsHaveTensorFlowsBits) {
  EXPECT_EQ(StatelessRandomUniform({4}, Seed(0, 0)).ToVector<float>(),
            (std::vector<float>{0x1.b028ep-3f, 0x1.697a24p-1f, 0x1.99a1e8p-1f, 0x1.8aa548p-1f}));
  EXPECT_EQ(StatelessRandomUniform({2}, Seed(1, 2), 0, 1, DType::kFloat64).ToVector<double>(),
            (std::vector<double>{0x1.81458cf3129e2p-1, 0x1.f087c2c290f26p-1}));
  const auto halves = StatelessRandomUniform({4}, Seed(1, 2), 0, 1, DType::kFloat16);
  EXPECT_EQ(Cast(halves, DType::kFloat32).ToVector<float>(),
            (std::vector<float>{0x1.16p-1f, 0x1.e2p-3f, 0x1.fp-5f, 0x1.c98p-1f}));
  const Tensor narrow = Constant<int32_t>({1, 2});
  EXPECT_EQ(StatelessRandomUniform({3}, narrow).ToVector<float>(),
            StatelessRandomUniform({3}, Seed(1, 2)).ToVector<float>());
}

TEST(StatelessRandomTest, NormalsAgreeWithTensorFlow) {
  const auto normal = StatelessRandomNormal({8}, Seed(1, 2)).ToVector<float>();
  EXPECT_NEAR(normal[0], 0x1.16959ap-1f, 1e-6);
  EXPECT_NEAR(normal[7], 0x1.f08f5p+0f, 1e-6);
  const auto truncated = StatelessTruncatedNormal({8}, Seed(1, 2)).ToVector<float>();
  EXPECT_NEAR(truncated[4], 0x1.587c58p-3f, 1e-6);
  EXPECT_NEAR(truncated[7], 0x1.b41552p+0f, 1e-6);
}

TEST(StatelessRandomTest, SeedsSplitAndFold) {
  EXPECT_EQ(RandomSplit(Seed(1, 2), 3).ToVector<int64_t>(),
            StatelessRandomUniformFullInt({3, 2}, Seed(1, 2), DType::kInt64).ToVector<int64_t>());
  const Tensor narrow = RandomSplit(Constant<int32_t>({1, 2}), 3);
  EXPECT_EQ(narrow.ToVector<int32_t>(), (std::vector<int32_t>{1105988140, 1738052849, -335576002,
                                                              370444179, 10670227, -246211131}));
  EXPECT_EQ(RandomFoldIn(Constant<int32_t>({1, 2}), 5).ToVector<int32_t>(),
            (std::vector<int32_t>{1105988140, 5}));
  // The dtype is that of the number.
  EXPECT_EQ(RandomFoldIn(Seed(1, 2), Tensor::FromVector<int32_t>({5}, {})).ToVector<int32_t>(),
            (std::vector<int32_t>{1105988140, 5}));
  EXPECT_EQ(RandomFoldIn(Constant<int32_t>({1, 2}), Tensor::FromVector<int64_t>({5}, {}))
                .ToVector<int64_t>(),
            (std::vector<int64_t>{7464880146280614444, 5}));
}

TEST(StatelessRandomTest, AnyDivisionOfRowsGivesTheSameBits) {
  const ops::Attributes reals{
      {"shape", std::vector<int64_t>{13, 3}}, {"dtype", DType::kFloat32}, {"a", 0.0}, {"b", 1.0}};
  for (const char* op :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"})
    EXPECT_TRUE(RunSplit(op, {Seed(3, 4)}, reals)) << op;
  const ops::Attributes integers{{"shape", std::vector<int64_t>{13, 5}},
                                 {"dtype", DType::kInt64},
                                 {"low", int64_t{-7}},
                                 {"high", int64_t{1000}}};
  for (const char* op : {"StatelessRandomUniformInt", "StatelessRandomUniformFullInt"})
    EXPECT_TRUE(RunSplit(op, {Seed(3, 4)}, integers)) << op;
  const Tensor x = runtime::testing::Random({11, 67}, 1);
  EXPECT_TRUE(RunSplit("StatelessDropout", {x, Seed(3, 0)}, {{"rate", 0.3}}));
}

TEST(StatelessRandomTest, RefusesOtherSeedsRangesAndDtypes) {
  EXPECT_EQ(MessageOf([] {
              StatelessRandomUniform({2}, Tensor{1, 2});
            }),
            "[StatelessRandomUniform] a seed is [2] of int32 or int64, or [3] of int64; got "
            "float32[2]");
  EXPECT_EQ(MessageOf([] { StatelessRandomUniformInt({2}, Seed(1, 2), 5, 5); }),
            "[StatelessRandomUniformInt] low must be below high, both in the dtype's range; got 5 "
            "and 5");
  EXPECT_EQ(CodeOf([] { StatelessRandomNormal({2}, Seed(1, 2), 0, 1, DType::kInt32); }),
            Code::kInvalidArgument);
  EXPECT_EQ(MessageOf([] { StatelessDropout(Tensor{1}, 1.5, Seed(1, 2)); }),
            "[StatelessDropout] rate must lie in [0, 1]; got 1.500000");
}

TEST(DropoutTest, KeepsWhereUniformsReachTheRateAndScales) {
  const Tensor x = Constant<float>({1, 2, 3, 4, 5, 6, 7, 8});
  const auto uniform = StatelessRandomUniform({8}, Seed(9, 1)).ToVector<float>();
  const auto y = StatelessDropout(x, 0.5, Seed(9, 1)).ToVector<float>();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(y[i], uniform[i] >= 0.5f ? 2.0f * (i + 1) : 0.0f);
  EXPECT_EQ(StatelessDropout(x, 0, Seed(9, 1)).ToVector<float>(), x.ToVector<float>());
  EXPECT_EQ(StatelessDropout(x, 1, Seed(9, 1)).ToVector<float>(), std::vector<float>(8, 0.0f));
  EXPECT_EQ(StatelessDropout(Zeros({0, 3}), 0.5, Seed(9, 1)).num_elements(), 0);
}

TEST(DropoutTest, GradientPassesTheSameMask) {
  const Tensor x = runtime::testing::Random({5, 4}, 2, DType::kFloat64);
  const auto dropout = [](const std::vector<Tensor>& in) {
    return Square(StatelessDropout(in[0], 0.4, Seed(1, 7)));
  };
  EXPECT_LT(runtime::GapOfGradients(dropout, {x}, 2).size, 1e-6);
}

TEST(GeneratorTest, DrawsAdvanceTheState) {
  const auto generator = Generator::FromSeed(42);
  const auto normal = generator.Normal({4}).ToVector<float>();
  EXPECT_NEAR(normal[0], -0x1.835e7ep-1f, 1e-6);
  EXPECT_EQ(generator.state().value().ToVector<int64_t>(), (std::vector<int64_t>{1066, 0, 0}));
  EXPECT_EQ(generator.Uniform({3}).ToVector<float>(),
            (std::vector<float>{0x1.c09ce4p-1f, 0x1.f67178p-2f, 0x1.976a38p-2f}));
  EXPECT_EQ(generator.state().value().ToVector<int64_t>(), (std::vector<int64_t>{1834, 0, 0}));
}

TEST(GeneratorTest, TheCounterCarriesAndResets) {
  const Generator generator({-1, 7, 5});
  generator.Skip(1);
  EXPECT_EQ(generator.state().value().ToVector<int64_t>(), (std::vector<int64_t>{255, 8, 5}));
  generator.ResetFromKeyCounter(9, {1, 2});
  EXPECT_EQ(generator.state().value().ToVector<int64_t>(), (std::vector<int64_t>{1, 2, 9}));
  EXPECT_EQ(Generator::FromSeed({5, 6}).state().value().ToVector<int64_t>(),
            (std::vector<int64_t>{0, 5, 6}));
}

TEST(GeneratorTest, TracedDrawsEqualEagerOnes) {
  const auto traced = Generator::FromSeed(3);
  const auto eager = Generator::FromSeed(3);
  const Function draw([&](const Tensor& x) { return x + traced.Uniform({2, 2}); });
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(draw(Tensor(0.0f)).ToVector<float>(), eager.Uniform({2, 2}).ToVector<float>());
  EXPECT_EQ(traced.state().version(), 3u);
}

TEST(StatefulRandomTest, FollowsTheGlobalSeed) {
  SetSeed(1234);
  const auto first = RandomUniform({4}).ToVector<float>();
  EXPECT_EQ(first,
            (std::vector<float>{0x1.1379e4p-1f, 0x1.755e98p-2f, 0x1.29cb6cp-1f, 0x1.f35c5p-3f}));
  EXPECT_NEAR(RandomNormal({4}).ToVector<float>()[0], 0x1.25951ep+0f, 1e-6);
  SetSeed(1234);
  EXPECT_EQ(RandomUniform({4}).ToVector<float>(), first);
  EXPECT_EQ(GlobalSeed(), 1234);
}

TEST(StatefulRandomTest, AnOpsSeedContinuesItsStream) {
  SetSeed(87654321);
  const RandomOptions options{.seed = 7};
  const auto first = RandomUniform({4}, 0, 1, options).ToVector<float>();
  EXPECT_EQ(first,
            (std::vector<float>{0x1.ef8e38p-2f, 0x1.032d0cp-1f, 0x1.054468p-2f, 0x1.fef1cp-4f}));
  EXPECT_NE(RandomUniform({4}, 0, 1, options).ToVector<float>(), first);
}

// TensorFlow 2.21: random.normal([1], seed=1) and random.normal([1]), traced after set_seed(1).
TEST(StatefulRandomTest, SeedsRestartFunctions) {
  SetSeed(1);
  const Function draw([](const Tensor& x) {
    return x + Concat({RandomNormal({1}, 0, 1, {.seed = 1}), RandomNormal({1})}, 0);
  });
  const auto next = [&] { return draw(Tensor(0.0f)).ToVector<float>(); };
  for (int64_t seed : {1, 1, 2}) {
    SetSeed(seed);
    const auto first = next(), second = next();
    EXPECT_NEAR(first[0], 0.28183, 1e-5);
    EXPECT_NEAR(first[1], 0.30520, 1e-5);
    EXPECT_NEAR(second[0], -0.29026, 1e-5);
    EXPECT_NEAR(second[1], -0.89273, 1e-5);
  }
}

TEST(StatefulRandomTest, FunctionsNumberTheirOps) {
  SetSeed(1234);
  const auto body = [](const Tensor& x) { return x + RandomUniform({4}); };
  const Function one(body), other(body);
  const auto first = one(Tensor(0.0f)).ToVector<float>();
  EXPECT_EQ(first,
            (std::vector<float>{0x1.0b348p-3f, 0x1.f3c2acp-1f, 0x1.906fp-7f, 0x1.291c38p-1f}));
  EXPECT_NE(one(Tensor(0.0f)).ToVector<float>(), first);
  EXPECT_EQ(other(Tensor(0.0f)).ToVector<float>(), first);
}

TEST(StatefulRandomTest, ShuffleIsAPermutationOfRows) {
  SetSeed(5);
  const Tensor rows = Constant<int32_t>({0, 0, 1, 1, 2, 2, 3, 3}, {4, 2});
  const Tensor shuffled = RandomShuffle(rows, 1);
  EXPECT_EQ(ReduceSum(shuffled, 0).ToVector<int32_t>(), (std::vector<int32_t>{6, 6}));
  EXPECT_EQ(RandomShuffle(Zeros({0, 2})).num_elements(), 0);
}

// Whoever has rows [begin, end) of a batch makes them with "row_offset" as those of the whole.
TEST(RowOffsetTest, GivesTheRowsOfTheWholeTensor) {
  const Tensor seed = Constant<int64_t>({7, 9});
  const Shape whole{11, 3};
  const Tensor ones = Ones(whole);
  const auto make = [&](const char* op, int64_t begin, int64_t end) {
    ops::Attributes attributes{{"row_offset", begin}};
    const Shape shape{end - begin, 3};
    const std::string name = op;
    if (name == "StatelessDropout" || name == "StatelessNormalLike") {
      attributes.Set("rate", 0.4);
      attributes.Set("a", 0.0);
      attributes.Set("b", 1.0);
      return ops::Emit1(op, {Ones(shape), seed}, attributes);
    }
    const bool integers = name.find("Int") != std::string::npos;
    attributes.Set("shape", shape.vector());
    attributes.Set("dtype", integers ? DType::kInt32 : DType::kFloat32);
    if (integers) {
      attributes.Set("low", int64_t{0});
      attributes.Set("high", int64_t{1000});
    } else {
      attributes.Set("a", 0.0);
      attributes.Set("b", 1.0);
    }
    return ops::Emit1(op, {seed}, attributes);
  };
  for (const char* op :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
        "StatelessRandomUniformInt", "StatelessRandomUniformFullInt", "StatelessDropout",
        "StatelessNormalLike"}) {
    const Tensor all = make(op, 0, 11);
    for (const auto& [begin, end] : {std::pair{0, 4}, {4, 11}, {5, 6}, {11, 11}}) {
      const Tensor part = make(op, begin, end);
      const Tensor wanted = Slice(all, {begin, 0}, {end - begin, 3});
      ASSERT_EQ(part.shape(), wanted.shape()) << op;
      if (part.num_bytes() == 0) continue;
      EXPECT_EQ(std::memcmp(part.raw_data(), wanted.raw_data(), part.num_bytes()), 0)
          << op << " from row " << begin;
    }
  }
}

}  // namespace
}  // namespace lockstep
