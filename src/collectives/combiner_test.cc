#include "collectives/combiner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "base/memory.h"
#include "base/randomness.h"

namespace lockstep::collectives {
namespace {

using Elements = std::vector<float>;

const std::byte* BytesOf(const Elements& elements) {
  return reinterpret_cast<const std::byte*>(elements.data());
}

Partial Borrow(const std::optional<Elements>& elements) {
  return elements ? Partial::Borrow(BytesOf(*elements)) : Partial::Absent();
}

// Numbers of very different size, so that every other order of adding shows in the bits.
Elements RandomElements(base::Randomness& randomness, size_t count) {
  Elements elements(count);
  for (float& element : elements)
    element = std::ldexp(static_cast<float>(randomness.Between(-1000000, 1000000)),
                         static_cast<int>(randomness.Between(-30, 10)));
  return elements;
}

std::optional<Elements> SumByDefinition(const std::vector<std::optional<Elements>>& leaves,
                                        Leaf begin, Leaf end) {
  if (end - begin == 1) return leaves[begin];
  Leaf half = 1;
  while (half * 2 < end - begin) half *= 2;
  const auto left = SumByDefinition(leaves, begin, begin + half);
  const auto right = SumByDefinition(leaves, begin + half, end);
  if (!left) return right;
  if (!right) return left;
  Elements sum(left->size());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = (*left)[i] + (*right)[i];
  return sum;
}

struct RootValue {
  bool known = false;
  std::optional<Elements> value;
};

Combiner::OnKnown Record(Leaf num_leaves, size_t count, RootValue* root) {
  return [=](Node node, const Partial& partial) {
    if (node != Root(num_leaves)) return;
    EXPECT_FALSE(root->known);
    root->known = true;
    if (!partial.present()) return;
    root->value.emplace(count);
    std::memcpy(root->value->data(), partial.data(), count * sizeof(float));
  };
}

std::vector<uint32_t> Bits(const std::optional<Elements>& elements) {
  std::vector<uint32_t> bits;
  for (float element : elements.value_or(Elements{}))
    bits.push_back(std::bit_cast<uint32_t>(element));
  return bits;
}

TEST(Combiner, GivesTheTreesBitsInAnyOrderOfArrivalWithAbsentLeavesAndRepeats) {
  constexpr size_t kCount = 11;
  for (Leaf n = 1; n <= 40; ++n) {
    base::SeededRandomness randomness(n);
    std::vector<std::optional<Elements>> leaves(n);
    const double absent = static_cast<double>(n % 4) / 3.0;  // none, some, most, all
    for (auto& leaf : leaves)
      if (!randomness.Chance(absent)) leaf = RandomElements(randomness, kCount);
    const auto expected = SumByDefinition(leaves, 0, n);
    for (int round = 0; round < 5; ++round) {
      std::vector<Leaf> order(n);
      std::iota(order.begin(), order.end(), 0);
      for (Leaf i = n; i > 1; --i) std::swap(order[i - 1], order[randomness.Below(i)]);
      RootValue root;
      Combiner combiner(n, DType::kFloat32, kCount, {}, Record(n, kCount, &root));
      for (Leaf leaf : order) {
        EXPECT_FALSE(combiner.done());
        EXPECT_TRUE(combiner.Add({leaf, leaf + 1}, Borrow(leaves[leaf])));
        EXPECT_FALSE(combiner.Add({leaf, leaf + 1}, Borrow(leaves[leaf])));
      }
      ASSERT_TRUE(combiner.done());
      ASSERT_EQ(root.value.has_value(), expected.has_value());
      ASSERT_EQ(Bits(root.value), Bits(expected)) << "leaves " << n << " round " << round;
    }
  }
}

TEST(Combiner, TakesCoarseNodesOverFineOnesAndStillReportsWhatWasAskedFor) {
  std::vector<std::optional<Elements>> leaves;
  for (float value : {1.0f, 2.0f, 4.0f, 8.0f}) leaves.push_back(Elements{value});
  std::vector<std::pair<Node, float>> known;
  Combiner combiner(4, DType::kFloat32, 1, {{0, 2}}, [&](Node node, const Partial& partial) {
    float value;
    std::memcpy(&value, partial.data(), sizeof(value));
    known.emplace_back(node, value);
  });
  const Elements root{15.0f};
  EXPECT_TRUE(combiner.Add({0, 1}, Borrow(leaves[0])));
  EXPECT_TRUE(combiner.Add({0, 4}, Borrow(root)));  // from elsewhere
  EXPECT_FALSE(combiner.done());                    // [0,2) was asked for
  EXPECT_FALSE(combiner.Add({2, 3}, Borrow(leaves[2])));
  EXPECT_TRUE(combiner.HasLeavesOf({2, 3}));
  EXPECT_TRUE(combiner.Add({1, 2}, Borrow(leaves[1])));
  EXPECT_TRUE(combiner.done());
  EXPECT_FALSE(combiner.Add({0, 2}, Borrow(leaves[1])));
  EXPECT_EQ(known, (std::vector<std::pair<Node, float>>{
                       {{0, 1}, 1.0f}, {{0, 4}, 15.0f}, {{1, 2}, 2.0f}, {{0, 2}, 3.0f}}));
}

TEST(Combiner, SkipsAnAbsentLeafInsteadOfAddingZero) {
  const std::optional<Elements> minus_zero = Elements{-0.0f};
  RootValue root;
  Combiner combiner(2, DType::kFloat32, 1, {}, Record(2, 1, &root));
  combiner.Add({0, 1}, Partial::Absent());
  combiner.Add({1, 2}, Borrow(minus_zero));
  ASSERT_TRUE(root.value.has_value());
  EXPECT_EQ(Bits(root.value), (std::vector<uint32_t>{0x80000000u}));  // 0 + -0 would be +0
}

TEST(AddElements, GivesTheSameBitsAtEveryPlaceAndLength) {
  const float quiet_left = std::bit_cast<float>(0x7fc00001u);
  const float quiet_right = std::bit_cast<float>(0xffc00002u);
  for (size_t count = 0; count < 40; ++count) {
    Elements left(count, quiet_left), right(count, quiet_right), sum(count);
    AddElements(DType::kFloat32, BytesOf(left), BytesOf(right),
                reinterpret_cast<std::byte*>(sum.data()), count);
    EXPECT_EQ(Bits(sum), std::vector<uint32_t>(count, 0x7fc00001u));
    AddElements(DType::kFloat32, BytesOf(left), BytesOf(right),
                reinterpret_cast<std::byte*>(right.data()), count);
    EXPECT_EQ(Bits(right), std::vector<uint32_t>(count, 0x7fc00001u));
  }
}

TEST(AddElements, GivesTheSameBitsWhoeverHadTheLines) {
  for (const size_t count : {2048, 2049, 2071, 5000, 8192, 8209}) {
    Elements left(count), right(count);
    for (size_t i = 0; i < count; ++i) {
      left[i] = static_cast<float>(i % 1009) * 1e-3f;
      right[i] = static_cast<float>(i % 997) * 1e5f;
    }
    for (int lines = 0; lines < 16; ++lines) {
      Elements sum(count + 2, -1);
      AddElements(DType::kFloat32, BytesOf(left), BytesOf(right),
                  reinterpret_cast<std::byte*>(sum.data() + 1), count,
                  {(lines & 1) != 0, (lines & 2) != 0, (lines & 4) != 0, (lines & 8) != 0});
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(sum[1 + i], left[i] + right[i]) << i;
      EXPECT_EQ(sum.front(), -1);
      EXPECT_EQ(sum.back(), -1);
    }
  }
}

TEST(AddElements, GivesTheSameBitsWhereASumGoesPastTheCache) {
  const size_t count = base::BytesPastCaches() / sizeof(float) + 37;
  Elements left(count), right(count), sum(count + 8, -1);
  for (size_t i = 0; i < count; ++i) {
    left[i] = static_cast<float>(i % 1009) * 1e-3f;
    right[i] = static_cast<float>(i % 997) * 1e5f;
  }
  for (size_t offset = 0; offset < 8; ++offset) {
    AddElements(DType::kFloat32, BytesOf(left), BytesOf(right),
                reinterpret_cast<std::byte*>(sum.data() + offset), count);
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(sum[offset + i], left[i] + right[i]) << i;
    for (size_t i = offset + count; i < sum.size(); ++i) ASSERT_EQ(sum[i], -1);
  }
  AddElements(DType::kFloat32, BytesOf(left), BytesOf(right),
              reinterpret_cast<std::byte*>(left.data()), count);
  for (size_t i = 0; i < count; ++i) ASSERT_EQ(left[i], sum[7 + i]) << i;
}

template <typename T>
void ExpectSums(DType dtype, const std::vector<T>& left, const std::vector<T>& right,
                const std::vector<T>& expected) {
  std::vector<T> sum(left.size());
  AddElements(dtype, reinterpret_cast<const std::byte*>(left.data()),
              reinterpret_cast<const std::byte*>(right.data()),
              reinterpret_cast<std::byte*>(sum.data()), sum.size());
  EXPECT_EQ(sum, expected) << DTypeName(dtype);
  EXPECT_EQ(DTypeSize(dtype), sizeof(T));
}

TEST(AddElements, AddsEveryTypeAndWrapsIntegers) {
  constexpr int32_t kMost32 = std::numeric_limits<int32_t>::max();
  constexpr int64_t kMost64 = std::numeric_limits<int64_t>::max();
  ExpectSums<float>(DType::kFloat32, {1, 2, 3}, {0.5, 1e8, -3}, {1.5, 1e8, 0});
  ExpectSums<double>(DType::kFloat64, {1, 2}, {1e-16, 0.5}, {1, 2.5});
  ExpectSums<int32_t>(DType::kInt32, {kMost32, -5}, {1, 3},
                      {std::numeric_limits<int32_t>::min(), -2});
  ExpectSums<int64_t>(DType::kInt64, {kMost64, 1ll << 40}, {1, 5},
                      {std::numeric_limits<int64_t>::min(), (1ll << 40) + 5});
  EXPECT_FALSE(CanAdd(DType::kBool));
  EXPECT_TRUE(CanAdd(DType::kInt64));
}

}  // namespace
}  // namespace lockstep::collectives
