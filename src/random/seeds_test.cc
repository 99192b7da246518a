#include <gtest/gtest.h>

#include <vector>

#include "lockstep/base/status.h"
#include "random/generator.h"
#include "random/keras_seeds.h"
#include "random/mersenne_twister.h"
#include "random/normal.h"
#include "random/op_seeds.h"
#include "random/uniform.h"

namespace lockstep::random {
namespace {

using Words = std::array<int64_t, 3>;

std::vector<float> Uniform(const Stream& stream, size_t count) {
  std::vector<float> values(count);
  FillUniform(stream, 0, std::span<float>(values));
  return values;
}

std::vector<float> Normal(const Stream& stream, size_t count) {
  std::vector<float> values(count);
  FillNormal(stream, 0, std::span<float>(values));
  return values;
}

TEST(Generator, SeedsByDigits) {
  EXPECT_EQ(GeneratorState::FromSeed(42).words, (Words{42, 0, 0}));
  EXPECT_EQ(GeneratorState::FromSeed(-3).words, (Words{-3, -1, -1}));
  const int64_t digits[] = {5, 6};
  EXPECT_EQ(GeneratorState::FromSeed(digits).words, (Words{0, 5, 6}));
  EXPECT_EQ(GeneratorState::FromKeyCounter(9, {7, 8}).words, (Words{7, 8, 9}));
  const int64_t four[] = {1, 2, 3, 4};
  try {
    GeneratorState::FromSeed(four);
    FAIL() << "four words were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_EQ(error.status().message(),
              "[Generator.from_seed] a Philox seed has at most 3 words; got 4; pass an integer or "
              "a shorter vector");
  }
}

TEST(Generator, DrawsAsTensorFlowsDo) {
  GeneratorState state = GeneratorState::FromSeed(42);
  EXPECT_EQ(Normal(state.Draw(4), 4), (std::vector<float>{-0x1.835e7ep-1f, -0x1.18c4c2p-4f,
                                                          0x1.37179ep-4f, -0x1.41e3f2p+0f}));
  EXPECT_EQ(state.words, (Words{1066, 0, 0}));
  EXPECT_EQ(Uniform(state.Draw(3), 3),
            (std::vector<float>{0x1.c09ce4p-1f, 0x1.f67178p-2f, 0x1.976a38p-2f}));
  EXPECT_EQ(state.words, (Words{1834, 0, 0}));
  std::vector<int32_t> integers(4);
  FillUniformInteger(state.Draw(4), 0, std::span<int32_t>(integers), 0, 100);
  EXPECT_EQ(integers, (std::vector<int32_t>{33, 27, 18, 29}));
  EXPECT_EQ(state.MakeSeeds(3), (std::vector<int64_t>{-5898593409282919247, -4641632040830611347,
                                                      -4379614092292737141}));
  const std::vector<GeneratorState> parts = state.Split(2);
  EXPECT_EQ(state.words, (Words{4138, 0, 0}));
  EXPECT_EQ(parts[0].words, (Words{0, 0, 4532038312908175290}));
  EXPECT_EQ(parts[1].words, (Words{0, 0, 7141040166500047682}));
  state.Skip(10);
  EXPECT_EQ(state.words, (Words{6698, 0, 0}));
}

TEST(Generator, AdvancesWithCarryAndModulo64Bits) {
  GeneratorState state{{-300, 7, 9}};
  state.Skip(2);
  EXPECT_EQ(state.words, (Words{212, 8, 9}));
  state.Skip(uint64_t{1} << 60);
  EXPECT_EQ(state.words, (Words{212, 8, 9}));
}

TEST(Generator, ReplicasDeriveTheirKeys) {
  const GeneratorState state = GeneratorState::FromSeed(1);
  EXPECT_EQ(Normal(state.ReplicaStream(0), 3),
            (std::vector<float>{-0.879304469f, 1.46807885f, 0.595056772f}));
  EXPECT_EQ(Normal(state.ReplicaStream(1), 3),
            (std::vector<float>{0.0206615739f, 1.94733453f, -1.69380677f}));
}

TEST(StatelessSeeds, SplitAndFoldIn) {
  EXPECT_EQ(SplitSeed(1, 2, 3), (std::vector<int32_t>{1105988140, 1738052849, -335576002, 370444179,
                                                      10670227, -246211131}));
  EXPECT_EQ(SplitSeed(int64_t{1}, int64_t{2}, 1),
            (std::vector<int64_t>{7464880146280614444, 1591045637757961278}));
  EXPECT_EQ(FoldIn(1, 2, 5), (std::array<int32_t, 2>{1105988140, 5}));
  EXPECT_EQ(FoldIn(int64_t{1}, int64_t{2}, int64_t{5}),
            (std::array<int64_t, 2>{7464880146280614444, 5}));
}

TEST(PythonRandom, IsCPythons) {
  PythonRandom small(1234);
  EXPECT_EQ(small.RandInt(0, 2147483647), 1892932127);
  EXPECT_EQ(small.RandInt(0, 2147483647), 501869158);
  PythonRandom layers(11);
  EXPECT_EQ(layers.RandInt(1, 1000000000), 485738844);
  EXPECT_EQ(layers.RandInt(1, 1000000000), 929583700);
  PythonRandom two_digits(-(int64_t{5} << 40) - 3);
  EXPECT_EQ(two_digits.RandInt(0, int64_t{1} << 40), 420786401039);
  for (int i = 0; i < 700; ++i) two_digits.NextWord();
  EXPECT_EQ(two_digits.NextWord(), 823014335u);
}

TEST(GlobalSeeds, FollowTheTable) {
  GlobalSeeds unset;
  EXPECT_TRUE(unset.NextEager(std::nullopt).nondeterministic());
  EXPECT_EQ(unset.NextEager(7), (SeedPair{87654321, 7}));
  EXPECT_TRUE(unset.ForFunction().Next(std::nullopt).nondeterministic());

  GlobalSeeds seeds(1234);
  EXPECT_EQ(seeds.NextEager(std::nullopt), (SeedPair{1234, 1892932127}));
  EXPECT_EQ(seeds.NextEager(9), (SeedPair{1234, 9}));
  EXPECT_EQ(seeds.NextEager(std::nullopt), (SeedPair{1234, 501869158}));
  FunctionSeeds function = seeds.ForFunction();
  EXPECT_EQ(function.Next(std::nullopt), (SeedPair{1234, 0}));
  EXPECT_EQ(function.Next(7), (SeedPair{1234, 7}));  // is not counted
  EXPECT_EQ(function.Next(std::nullopt), (SeedPair{1234, 1}));

  GlobalSeeds zero(0);
  EXPECT_EQ(zero.NextEager(0), (SeedPair{0, 2147483647}));
  EXPECT_EQ(zero.NextEager(2147483647), (SeedPair{0, 2147483647}));
  EXPECT_EQ(zero.NextEager(-1), (SeedPair{0, 2147483646}));
}

TEST(GlobalSeeds, MakeTensorFlowsEagerValues) {
  GlobalSeeds seeds(1234);
  EXPECT_EQ(Uniform(seeds.NextEager(std::nullopt).stream(), 4),
            (std::vector<float>{0x1.1379e4p-1f, 0x1.755e98p-2f, 0x1.29cb6cp-1f, 0x1.f35c5p-3f}));
  EXPECT_EQ(Normal(seeds.NextEager(std::nullopt).stream(), 4),
            (std::vector<float>{0x1.25951ep+0f, 0x1.eddff4p-1f, 0x1.c1b0bap-1f, -0x1.3d8b7p-2f}));
  EXPECT_EQ(Uniform(seeds.ForFunction().Next(std::nullopt).stream(), 4),
            (std::vector<float>{0x1.0b348p-3f, 0x1.f3c2acp-1f, 0x1.906fp-7f, 0x1.291c38p-1f}));
}

TEST(OpStream, SkipsTheReservedBlocksBetweenCalls) {
  OpStream op({87654321, 7});
  EXPECT_EQ(Uniform(op.Draw(6), 2), (std::vector<float>{0.483940959f, 0.506203055f}));
  EXPECT_EQ(Uniform(op.Draw(6), 2), (std::vector<float>{0.42152667f, 0.475741029f}));
}

TEST(KerasSeeds, DrawAndAdvance) {
  EXPECT_EQ(DrawSeed(7), (KerasSeed{7, 0}));
  SeedGeneratorState generator(3);
  EXPECT_EQ(generator.Draw(), (KerasSeed{3, 0}));
  EXPECT_EQ(generator.Draw(), (KerasSeed{3, 1}));
  GlobalSeedGeneratorState global(11);
  EXPECT_EQ(global.Draw(), (KerasSeed{11, 0}));
  EXPECT_EQ(global.Draw(), (KerasSeed{12 * 5387, 5387}));
  EXPECT_EQ(global.Draw(),
            (KerasSeed{(12 * 5387 + 1) * int64_t{5387} % 933199, 5388 * int64_t{5387} % 933199}));
  DefaultSeeds layers(11);
  EXPECT_EQ(layers.Next(), 485738844);
  EXPECT_EQ(layers.Next(), 929583700);
  EXPECT_EQ(KerasStream({2147483646, -1}), StatelessStream(0, 2147483645));
}

TEST(KerasSeeds, GlorotUniformOfThreeByTwo) {
  std::vector<float> weights(6);
  const float limit = 1.0954451f;  // sqrt(6 / 5)
  FillUniform(KerasStream(DrawSeed(7)), 0, std::span<float>(weights), -limit, limit);
  EXPECT_EQ(weights, (std::vector<float>{0x1.152838p-1f, 0x1.824808p-2f, -0x1.f00df6p-1f,
                                         0x1.4389c8p-2f, -0x1.e20012p-1f, 0x1.794028p-2f}));
}

}  // namespace
}  // namespace lockstep::random
