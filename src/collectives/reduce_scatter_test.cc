#include "collectives/reduce_scatter.h"

#include <gtest/gtest.h>

#include "collectives/ranks_test.h"
#include "collectives/sum_reference.h"

namespace lockstep::collectives {
namespace {

constexpr Algorithm kAlgorithms[] = {Algorithm::kAuto, Algorithm::kSlices, Algorithm::kRelay};

// Rising shares, some of them empty.
std::vector<size_t> RandomShares(base::Randomness& randomness, size_t count, int ranks) {
  std::vector<size_t> shares{0, count};
  while (static_cast<int>(shares.size()) < ranks + 1) shares.push_back(randomness.Below(count + 1));
  std::sort(shares.begin(), shares.end());
  return shares;
}

template <typename T>
void ExpectShares(Leaf num_leaves, int num_ranks, size_t count, Algorithm algorithm, double absent,
                  uint64_t seed) {
  base::SeededRandomness randomness(seed);
  const auto leaves = RandomLeaves<T>(randomness, num_leaves, count, absent);
  const auto expected = SumByDefinition(leaves, 0, num_leaves);
  const Division division = Division::Even(num_leaves, num_ranks);
  const auto shares = RandomShares(randomness, count, num_ranks);
  TestRanks ranks(num_ranks);
  std::vector<std::vector<T>> outputs;
  for (int rank = 0; rank < num_ranks; ++rank)
    outputs.emplace_back(shares[rank + 1] - shares[rank], T{77});
  std::vector<T> whole(count);
  for (int rank = 0; rank < num_ranks; ++rank) {
    AllReduceOptions options;
    options.algorithm = algorithm;
    SumRequest sum = RequestOf({1, 0}, leaves, division, rank, &whole, options);
    sum.output = reinterpret_cast<std::byte*>(outputs[rank].data());
    static std::byte nowhere;
    if (sum.output == nullptr) sum.output = &nowhere;
    ReduceScatterSum(ranks.group(rank), {sum, shares}, ranks.Done(rank));
  }
  ASSERT_TRUE(ranks.Wait());
  for (int rank = 0; rank < num_ranks; ++rank) {
    ASSERT_EQ(ranks.status(rank), Status::Ok());
    ASSERT_EQ(ranks.present[rank], expected.has_value());
    std::vector<T> share(outputs[rank].size(), T{77});
    if (expected)
      share.assign(expected->begin() + static_cast<long>(shares[rank]),
                   expected->begin() + static_cast<long>(shares[rank + 1]));
    ASSERT_TRUE(SameBits(outputs[rank], share))
        << "rank " << rank << " of " << num_ranks << ", " << AlgorithmName(algorithm);
  }
}

TEST(ReduceScatter, GivesEachRankItsShareOfTheTreesBits) {
  uint64_t seed = 1;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (Algorithm algorithm : kAlgorithms) {
      for (size_t count : {0, 1, 7, 1009}) {
        for (Leaf leaves : {0u, 1u, 5u, 13u}) {
          ExpectShares<float>(leaves, ranks, count, algorithm, (seed % 3) * 0.4, seed);
          if (HasFatalFailure()) return;
          ++seed;
        }
      }
      ExpectShares<float>(8, ranks, 300007, algorithm, 0, seed++);
      ExpectShares<double>(8, ranks, 100, algorithm, 0.1, seed++);
      ExpectShares<int32_t>(8, ranks, 100, algorithm, 0.1, seed++);
      ExpectShares<int64_t>(8, ranks, 100, algorithm, 0.1, seed++);
    }
  }
}

TEST(ReduceScatter, RefusesSharesThatAreNone) {
  TestRanks ranks(2);
  std::vector<float> output(10);
  base::SeededRandomness randomness(1);
  const auto leaves = RandomLeaves<float>(randomness, 2, 10, 0);
  const SumRequest sum = RequestOf({1, 0}, leaves, Division::Even(2, 2), 0, &output);
  const auto expect = [&](ReduceScatterRequest request, const std::string& text) {
    ReduceScatterSum(ranks.group(0), std::move(request), ranks.Done(0));
    ASSERT_TRUE(ranks.Wait());
    EXPECT_EQ(ranks.status(0),
              Status(Code::kInvalidArgument,
                     "[reduce_scatter] " + text + " (rank 0 of 2, epoch 0, step 1, bucket 0)"));
  };
  expect({sum, {0, 10}},
         "shares must rise from 0 to the number of elements, one more than ranks; got [0,10] for "
         "10 elements");
  expect({sum, {0, 7, 9}},
         "shares must rise from 0 to the number of elements, one more than ranks; got [0,7,9] for "
         "10 elements");
  SumRequest exchange = sum;
  exchange.options.algorithm = Algorithm::kExchange;
  expect({exchange, {0, 5, 10}}, "the algorithm must be auto, slices or relay; got exchange");
}

}  // namespace
}  // namespace lockstep::collectives
