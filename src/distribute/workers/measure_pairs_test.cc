#include "distribute/workers/measure_pairs.h"

#include <gtest/gtest.h>

#include <mutex>

#include "distribute/workers/worker_threads_test.h"

namespace lockstep::distribute {
namespace {

TEST(MeasurePairs, GivesAllRanksTheSameFigures) {
  std::mutex mutex;
  std::vector<std::vector<PairSpeed>> results;
  RunWorkers(3, [&](const std::shared_ptr<Communicator>& ranks) {
    auto pairs = MeasurePairs(*ranks);
    pairs = MeasurePairs(*ranks);  // it can be repeated
    const std::lock_guard<std::mutex> lock(mutex);
    results.push_back(std::move(pairs));
  });
  ASSERT_EQ(results.size(), 3u);
  ASSERT_EQ(results[0].size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    const PairSpeed& pair = results[0][i];
    EXPECT_EQ(pair.from, static_cast<int>(i / 2));
    EXPECT_NE(pair.to, pair.from);
    EXPECT_GT(pair.latency_us, 0);
    EXPECT_GT(pair.mebibytes_per_second, 0);
    for (const auto& other : results) {
      EXPECT_EQ(other[i].to, pair.to);
      EXPECT_EQ(other[i].latency_us, pair.latency_us);
      EXPECT_EQ(other[i].mebibytes_per_second, pair.mebibytes_per_second);
    }
  }
}

TEST(MeasurePairs, LooksAtNeighboursAndTheFirstOfMany) {
  EXPECT_EQ(PairsOf(1).size(), 0u);
  EXPECT_EQ(PairsOf(16).size(), 16u * 15);
  // Each with rank 0, and each with the next one, both ways; (0, 1) is both.
  EXPECT_EQ(PairsOf(100).size(), 2u * (99 + 99 - 1));
}

TEST(MeasurePairs, EndsWithTheEpoch) {
  RunWorkers(2, [&](const std::shared_ptr<Communicator>& ranks) {
    if (ranks->rank() == 1) {
      (void)ranks->AllGather("");
      ranks->transport().AbortEpoch(Status(Code::kUnavailable, "rank 1 ends"));
      return;
    }
    try {
      MeasurePairs(*ranks);
      ADD_FAILURE() << "nothing thrown";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("rank 1 ends"), std::string::npos) << error.what();
    }
  });
}

}  // namespace
}  // namespace lockstep::distribute
