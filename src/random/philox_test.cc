#include "random/philox.h"

#include <gtest/gtest.h>

#include <vector>

#include <hwy/highway.h>

namespace lockstep::random {
namespace {

using Words = std::array<uint32_t, 4>;

TEST(Philox, GivesThePublishedBlocks) {
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(PhiloxBlock({}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(PhiloxBlock({{kOnes, kOnes}, {kOnes, kOnes, kOnes, kOnes}}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      PhiloxBlock({{0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, ScramblesStatelessSeeds) {
  const Stream stream = StatelessStream(1, 2);
  EXPECT_EQ(stream, (Stream{{0x6d2f7fba, 0x908502c9}, {0, 0, 0x619cb60b, 0xf7734320}}));
  EXPECT_EQ(PhiloxBlock(stream), (Words{1105988140u, 1738052849u, 3959391294u, 370444179u}));
}

TEST(Philox, PutsTheWordsOfAPairIntoKeyAndHighCounter) {
  EXPECT_EQ(PairStream(0x123456789, -2), (Stream{{0x23456789, 1}, {0, 0, 0xfffffffe, 0xffffffff}}));
}

TEST(Philox, SkipCarriesThrough128Bits) {
  Stream stream{{}, {0xffffffff, 0xffffffff, 0xffffffff, 7}};
  stream.Skip(1);
  EXPECT_EQ(stream.counter, (Words{0, 0, 0, 8}));
  stream.Skip(uint64_t{5} << 32 | 9);
  EXPECT_EQ(stream.counter, (Words{9, 5, 0, 8}));
  EXPECT_EQ(stream.After(0), stream);
}

// The vector code against the single block, on both instruction sets, over counter carries.
TEST(Philox, BlocksEqualSingleBlocksOnEveryTarget) {
  const Stream starts[] = {{{1, 2}, {0, 0, 3, 4}},
                           {{5, 6}, {0xfffffffa, 7, 8, 9}},
                           {{5, 6}, {0xfffffffa, 0xffffffff, 0xffffffff, 9}}};
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const Stream& start : starts) {
      for (size_t blocks : {0, 1, 3, 7, 8, 9, 37}) {
        std::vector<uint32_t> words(4 * blocks + 1, 77);
        PhiloxBlocks(start, 2, {words.data(), 4 * blocks});
        for (size_t i = 0; i < blocks; ++i) {
          const Words expected = PhiloxBlock(start.After(2 + i));
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), &words[4 * i])) << i;
        }
        EXPECT_EQ(words.back(), 77u);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Philox, WordReaderReadsTheStreamAndResumes) {
  const Stream stream = StatelessStream(3, 4);
  std::vector<uint32_t> words(400);
  PhiloxBlocks(stream, 0, words);
  WordReader reader(stream);
  for (uint32_t word : words) ASSERT_EQ(reader.Next(), word);
  EXPECT_EQ(reader.position(), 400u);
  WordReader resumed(stream, 197);
  EXPECT_EQ(resumed.Next(), words[197]);
}

}  // namespace
}  // namespace lockstep::random
