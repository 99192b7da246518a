#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

/// The specification of products' bits, written down naively, for tests.
namespace lockstep::kernels {

/// Values of both signs, some of them zero, none that rounds away.
template <typename T>
std::vector<T> RandomValues(int64_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) {
    const uint32_t bits = engine();
    value = bits % 17 == 0 ? T{0} : static_cast<T>(static_cast<int32_t>(bits)) / T{1 << 30};
  }
  return values;
}

/// The canonical tree over the leaves [first, last); leaf(l) is absent where it holds nothing.
template <typename T>
std::optional<T> ReferenceTree(int64_t first, int64_t last,
                               const std::function<std::optional<T>(int64_t)>& leaf) {
  if (last - first < 1) return std::nullopt;
  if (last - first == 1) return leaf(first);
  int64_t half = 1;
  while (half * 2 < last - first) half *= 2;
  const std::optional<T> left = ReferenceTree<T>(first, first + half, leaf);
  const std::optional<T> right = ReferenceTree<T>(first + half, last, leaf);
  if (!left) return right;
  if (!right) return left;
  return *left + *right;
}

/// The sum over a table of leaves, where step(acc, r) continues a leaf's chain.
template <typename T, typename Step>
T ReferenceLeaves(std::span<const int64_t> offsets, const Step& step) {
  const int64_t leaves = static_cast<int64_t>(offsets.size()) - 1;
  return ReferenceTree<T>(0, leaves,
                          [&](int64_t leaf) -> std::optional<T> {
                            const size_t l = static_cast<size_t>(leaf);
                            if (offsets[l] == offsets[l + 1]) return std::nullopt;
                            T sum = 0;
                            for (int64_t r = offsets[l]; r < offsets[l + 1]; ++r)
                              sum = step(sum, r);
                            return sum;
                          })
      .value_or(T{0});
}

/// Runs `body` with AVX2 alone, then with all the processor has.
inline void OnEveryTarget(const std::function<void()>& body) {
  for (const int64_t targets : {int64_t{HWY_AVX2}, int64_t{0}}) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets()));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

template <typename T>
void ExpectSameBits(std::span<const T> got, std::span<const T> want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(std::memcmp(&got[i], &want[i], sizeof(T)), 0)
        << "element " << i << ": " << got[i] << " and " << want[i];
  }
}

/// Tables of leaves over `examples` rows: even, uneven, with empty leaves in all places.
std::vector<std::vector<int64_t>> inline LeafTables(int64_t examples) {
  std::vector<std::vector<int64_t>> tables;
  for (const int64_t leaves : {1, 2, 3, 5, 7, 8, 16}) {
    std::vector<int64_t> even, uneven, gaps;
    for (int64_t l = 0; l <= leaves; ++l) {
      even.push_back(examples * l / leaves);
      uneven.push_back(examples * l * l / (leaves * leaves));
      gaps.push_back(l == leaves ? examples : examples * (l / 3 * 3) / leaves);
    }
    tables.push_back(even);
    tables.push_back(uneven);
    tables.push_back(gaps);
  }
  return tables;
}

}  // namespace lockstep::kernels
