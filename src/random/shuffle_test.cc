#include "random/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::random {
namespace {

using Order = std::vector<int64_t>;
constexpr SeedPair kPair{87654321, 7};

TEST(ShuffleWindow, EmitsInTensorFlowsOrder) {
  EXPECT_EQ(ShuffleOrder(kPair, 10, 3), (Order{0, 2, 3, 4, 5, 7, 6, 1, 8, 9}));
  EXPECT_EQ(ShuffleOrder(kPair, 10, 10), (Order{7, 2, 0, 9, 8, 4, 5, 1, 6, 3}));
  EXPECT_EQ(ShuffleOrder(kPair, 10, 1000), (Order{7, 2, 0, 9, 8, 4, 5, 1, 6, 3}));
}

TEST(ShuffleWindow, ReshufflesEachIteration) {
  const ReshuffleSeeds seeds(kPair, true);
  EXPECT_EQ(ShuffleOrder(seeds.At(0), 10, 10), (Order{2, 8, 6, 5, 9, 1, 0, 3, 7, 4}));
  EXPECT_EQ(ShuffleOrder(seeds.At(1), 10, 10), (Order{9, 1, 3, 0, 6, 4, 7, 8, 2, 5}));
  EXPECT_EQ(ShuffleOrder(seeds.At(2), 10, 10), (Order{1, 9, 4, 2, 8, 3, 5, 7, 6, 0}));
  EXPECT_EQ(ReshuffleSeeds(kPair, false).At(5), kPair);
}

TEST(ShuffleWindow, WorksAtTheEdges) {
  EXPECT_EQ(ShuffleOrder(kPair, 0, 5), Order{});
  EXPECT_EQ(ShuffleOrder(kPair, 4, 1), (Order{0, 1, 2, 3}));
  for (uint64_t capacity : {2, 6, 7, 8}) {
    Order order = ShuffleOrder(kPair, 7, capacity);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (Order{0, 1, 2, 3, 4, 5, 6})) << capacity;
  }
}

TEST(ShuffleWindow, ResumesFromTheWordsUsed) {
  ShuffleWindow whole(kPair, 4);
  for (int i = 0; i < 4; ++i) whole.Push();
  for (int i = 0; i < 300; ++i) whole.Pop(), whole.Push();
  EXPECT_EQ(whole.words_used(), 300u);
  ShuffleWindow resumed(kPair, 4, whole.words_used());
  for (int i = 0; i < 4; ++i) resumed.Push();
  EXPECT_EQ(resumed.Pop().emit, whole.Pop().emit);
}

TEST(ShufflePermutation, IsTensorFlows) {
  EXPECT_EQ(ShufflePermutation(SeedPair{1234, 4}.stream(), 8), (Order{0, 4, 6, 5, 3, 1, 7, 2}));
  EXPECT_EQ(ShufflePermutation(SeedPair{0, 4}.stream(), 8), (Order{1, 5, 2, 7, 6, 4, 0, 3}));
  EXPECT_EQ(ShufflePermutation(kPair.stream(), 0), Order{});
  EXPECT_EQ(ShufflePermutation(kPair.stream(), 1), Order{0});
}

}  // namespace
}  // namespace lockstep::random
