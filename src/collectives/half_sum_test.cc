#include <gtest/gtest.h>

#include <cmath>

#include "base/randomness.h"
#include "collectives/all_reduce.h"
#include "collectives/ranks_test.h"
#include "collectives/reduce_scatter.h"

/// Sums in half precision: each node of the tree is rounded once.

namespace lockstep::collectives {
namespace {

constexpr size_t kCount = 1009;

template <typename T>
std::vector<T> SumByDefinition(const std::vector<std::vector<T>>& leaves, Node node) {
  if (node.size() == 1) return leaves[node.begin];
  std::vector<T> sum = SumByDefinition(leaves, LeftChild(node));
  const std::vector<T> right = SumByDefinition(leaves, RightChild(node));
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = T(float(sum[i]) + float(right[i]));
  return sum;
}

template <typename T>
void ExpectSums(Leaf num_leaves) {
  base::SeededRandomness randomness(num_leaves);
  std::vector<std::vector<T>> leaves(num_leaves);
  for (auto& leaf : leaves)
    for (size_t i = 0; i < kCount; ++i)
      leaf.push_back(T(std::ldexp(static_cast<float>(randomness.Between(-2000, 2000)),
                                  static_cast<int>(randomness.Between(-8, 0)))));
  const auto expected = SumByDefinition(leaves, Root(num_leaves));
  for (int num_ranks = 1; num_ranks <= 8; ++num_ranks) {
    const Division division = Division::Even(num_leaves, num_ranks);
    for (Algorithm algorithm : {Algorithm::kAuto, Algorithm::kExchange, Algorithm::kSlices,
                                Algorithm::kRelay, Algorithm::kMeasured}) {
      TestRanks ranks(num_ranks);
      std::vector<std::vector<T>> outputs(num_ranks, std::vector<T>(kCount));
      for (int rank = 0; rank < num_ranks; ++rank) {
        SumRequest request{
            .id = {1, 0}, .dtype = DTypeOfTraits<T>::value, .count = kCount, .division = division};
        request.options.algorithm = algorithm;
        for (Leaf leaf = division.block(rank).begin; leaf < division.block(rank).end; ++leaf)
          request.contributions.push_back(
              {{leaf, leaf + 1}, reinterpret_cast<const std::byte*>(leaves[leaf].data())});
        request.output = reinterpret_cast<std::byte*>(outputs[rank].data());
        AllReduceSum(ranks.group(rank), std::move(request), ranks.Done(rank));
      }
      ASSERT_TRUE(ranks.Wait());
      for (const auto& output : outputs)
        for (size_t i = 0; i < kCount; ++i)
          ASSERT_EQ(output[i].bits, expected[i].bits)
              << num_ranks << " ranks, " << AlgorithmName(algorithm) << ", element " << i;
    }
  }
}

TEST(HalfSum, HasTheTreesBitsForEveryNumberOfRanksAndAlgorithm) {
  for (const Leaf leaves : {1u, 5u, 8u}) {
    ExpectSums<bfloat16>(leaves);
    ExpectSums<float16>(leaves);
  }
}

}  // namespace
}  // namespace lockstep::collectives
