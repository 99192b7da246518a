#include "collectives/sparse_sum.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "collectives/ranks_test.h"
#include "collectives/sum_reference.h"

namespace lockstep::collectives {
namespace {

constexpr Algorithm kAlgorithms[] = {Algorithm::kAuto, Algorithm::kExchange, Algorithm::kSlices};

struct SparseLeaf {
  bool is_absent = false;
  std::vector<int64_t> indices;
  std::vector<float> values;
};

SparseLeaf RandomLeaf(base::Randomness& randomness, int64_t rows, size_t width, double absent) {
  SparseLeaf leaf;
  leaf.is_absent = randomness.Chance(absent);
  const auto count = leaf.is_absent || rows == 0 ? 0 : randomness.Below(8);
  for (uint64_t i = 0; i < count; ++i) {
    leaf.indices.push_back(static_cast<int64_t>(randomness.Below(static_cast<uint64_t>(rows))));
    for (size_t k = 0; k < width; ++k)
      leaf.values.push_back(std::ldexp(static_cast<float>(randomness.Between(-99999, 99999)),
                                       static_cast<int>(randomness.Between(-40, 10))));
  }
  return leaf;
}

using Rows = std::map<int64_t, std::vector<float>>;

Rows RowsOf(const SparseLeaf& leaf, size_t width) {
  Rows rows;
  for (size_t i = 0; i < leaf.indices.size(); ++i) {
    const float* values = leaf.values.data() + i * width;
    auto [place, is_new] = rows.try_emplace(leaf.indices[i], values, values + width);
    for (size_t k = 0; !is_new && k < width; ++k) place->second[k] = place->second[k] + values[k];
  }
  return rows;
}

// By definition: the tree, row by row.
Rows SumOfLeaves(const std::vector<SparseLeaf>& leaves, size_t width, Node node) {
  if (node.empty()) return {};
  if (node.size() == 1) return RowsOf(leaves[node.begin], width);
  Rows left = SumOfLeaves(leaves, width, LeftChild(node));
  for (const auto& [row, values] : SumOfLeaves(leaves, width, RightChild(node))) {
    auto [place, is_new] = left.try_emplace(row, values);
    for (size_t k = 0; !is_new && k < width; ++k) place->second[k] = place->second[k] + values[k];
  }
  return left;
}

void ExpectSum(int num_ranks, Leaf num_leaves, int64_t rows, size_t width, Algorithm algorithm,
               uint64_t seed) {
  base::SeededRandomness randomness(seed);
  std::vector<SparseLeaf> leaves;
  bool present = false;
  for (Leaf leaf = 0; leaf < num_leaves; ++leaf) {
    leaves.push_back(RandomLeaf(randomness, rows, width, (seed % 3) * 0.4));
    present = present || !leaves.back().is_absent;
  }
  const Division division = Division::Even(num_leaves, num_ranks);
  TestRanks ranks(num_ranks);
  std::vector<SparseSum> sums(num_ranks);
  for (int rank = 0; rank < num_ranks; ++rank) {
    SparseSumRequest request{.id = {1, 0},
                             .dtype = DType::kFloat32,
                             .num_rows = rows,
                             .row_elements = width,
                             .division = division};
    request.options.algorithm = algorithm;
    for (Leaf leaf = division.block(rank).begin; leaf < division.block(rank).end; ++leaf) {
      request.contributions.push_back(
          {{leaf, leaf + 1},
           leaves[leaf].indices,
           reinterpret_cast<const std::byte*>(leaves[leaf].values.data()),
           leaves[leaf].is_absent});
    }
    AllReduceSparseSum(ranks.group(rank), std::move(request),
                       [&sums, rank, done = ranks.Done(rank)](const Result<SparseSum>& result) {
                         if (result.ok()) sums[rank] = *result;
                         result.ok() ? done(Reduced{result->present}) : done(result.status());
                       });
  }
  ASSERT_TRUE(ranks.Wait());
  SparseRows expected;
  for (const auto& [row, values] : SumOfLeaves(leaves, width, {0, num_leaves})) {
    expected.indices.push_back(row);
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    expected.values.insert(expected.values.end(), bytes, bytes + width * sizeof(float));
  }
  for (int rank = 0; rank < num_ranks; ++rank) {
    ASSERT_EQ(ranks.status(rank), Status::Ok());
    ASSERT_EQ(sums[rank].present, present);
    ASSERT_EQ(sums[rank].rows, expected) << "rank " << rank << " of " << num_ranks << ", "
                                         << num_leaves << " leaves, " << AlgorithmName(algorithm);
  }
}

TEST(SparseSum, AddsDuplicatesInOrderThenRowsByTheTree) {
  uint64_t seed = 1;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (Algorithm algorithm : kAlgorithms) {
      for (const Leaf leaves : {0u, 1u, 5u, 8u, 13u}) {
        for (const int64_t rows : {0, 1, 7, 1009}) {
          ExpectSum(ranks, leaves, rows, 1 + seed % 5, algorithm, seed);
          if (HasFatalFailure()) return;
          ++seed;
        }
      }
    }
  }
}

TEST(SparseSum, RefusesRowsOutsideOfTheMatrix) {
  TestRanks ranks(1);
  const float value = 1;
  SparseSumRequest request{.id = {1, 0},
                           .dtype = DType::kFloat32,
                           .num_rows = 4,
                           .row_elements = 1,
                           .division = Division::Even(1, 1)};
  request.contributions = {{{0, 1}, {4}, reinterpret_cast<const std::byte*>(&value)}};
  Status status;
  AllReduceSparseSum(
      ranks.group(0), request,
      [&, done = ranks.Done(0)](const Result<SparseSum>& result) { done(result.status()); });
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.status(0),
            Status(Code::kInvalidArgument,
                   "[sparse_all_reduce] indices must be in [0, 4); got 4 (rank 0 of 1, epoch 0, "
                   "step 1, bucket 0)"));
}

TEST(SparseRows, ComeBackAsTheyWereAndRefuseStrangers) {
  SparseRows rows{{2, 5, 6}, std::vector<std::byte>(24, std::byte{3})};
  std::vector<std::byte> bytes(EncodedBytes(rows));
  EncodeRows(rows, bytes.data());
  EXPECT_EQ(DecodeRows(bytes, 8, 0, 7), rows);
  EXPECT_EQ(DecodeRows(bytes, 8, 2, 7), rows);
  EXPECT_FALSE(DecodeRows(bytes, 8, 3, 7));
  EXPECT_FALSE(DecodeRows(bytes, 8, 0, 6));
  EXPECT_FALSE(DecodeRows(bytes, 4, 0, 7));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeRows({bytes.data(), size}, 8, 0, 7));
  const auto bent = [&](size_t place, std::byte value) {
    std::vector<std::byte> copy = bytes;
    copy[place] = value;
    return DecodeRows(copy, 8, 0, 7).has_value();
  };
  EXPECT_FALSE(bent(0, std::byte{4}));    // one row more
  EXPECT_FALSE(bent(7, std::byte{255}));  // very many
  EXPECT_FALSE(bent(24, std::byte{2}));   // the same row twice
  EXPECT_FALSE(bent(24, std::byte{6}));
  EXPECT_FALSE(bent(23, std::byte{128}));  // negative
}

}  // namespace
}  // namespace lockstep::collectives
