#include "kernels/leaf_tree.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace lockstep::kernels {
namespace {

// Sums as terms, so that the test sees the association and not a rounding of it.
using Term = std::optional<std::string>;

Term Recursive(const std::vector<Term>& leaves, int64_t a, int64_t b) {
  if (b - a == 0) return std::nullopt;
  if (b - a == 1) return leaves[a];
  int64_t half = 1;
  while (half * 2 < b - a) half *= 2;
  const Term left = Recursive(leaves, a, a + half);
  const Term right = Recursive(leaves, a + half, b);
  if (!left || !right) return left ? left : right;
  return "(" + *left + "+" + *right + ")";
}

struct Join {
  void operator()(std::string* left, const std::string* right, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) left[i] = "(" + left[i] + "+" + right[i] + ")";
  }
};

Term Folded(const std::vector<Term>& leaves) {
  const auto count = static_cast<int64_t>(leaves.size());
  std::vector<std::string> memory(2 * LeafTree<std::string, Join>::BuffersNeeded(count));
  LeafTree<std::string, Join> tree(memory.data(), 2);
  for (const Term& leaf : leaves) {
    if (leaf) tree.Next()[0] = tree.Next()[1] = *leaf;
    tree.Push(leaf.has_value());
  }
  const std::string* sum = tree.Finish();
  if (sum == nullptr) return std::nullopt;
  EXPECT_EQ(sum[0], sum[1]);
  return sum[0];
}

TEST(LeafTreeTest, IsTheRecursiveTreeForAllCounts) {
  for (int count = 0; count <= 70; ++count) {
    std::vector<Term> leaves;
    for (int i = 0; i < count; ++i) leaves.push_back(std::to_string(i));
    EXPECT_EQ(Folded(leaves), Recursive(leaves, 0, count)) << count;
  }
}

TEST(LeafTreeTest, PassesAbsentLeavesThrough) {
  std::mt19937 random(7);
  for (int count = 1; count <= 70; ++count) {
    for (int percent : {10, 50, 90, 100}) {
      std::vector<Term> leaves;
      for (int i = 0; i < count; ++i) {
        const bool absent = static_cast<int>(random() % 100) < percent;
        leaves.push_back(absent ? Term() : Term(std::to_string(i)));
      }
      EXPECT_EQ(Folded(leaves), Recursive(leaves, 0, count)) << count << " leaves";
    }
  }
}

}  // namespace
}  // namespace lockstep::kernels
