#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/randomness.h"
#include "collectives/all_reduce.h"

/// For tests: leaves, their sum by the definition of the tree, and a rank's request for it.

namespace lockstep::collectives {

template <typename T>
using Leaves = std::vector<std::optional<std::vector<T>>>;  // nullopt: absent

/// Numbers of very different size, so that every other order of adding shows in the bits.
template <typename T>
Leaves<T> RandomLeaves(base::Randomness& randomness, Leaf num_leaves, size_t count, double absent) {
  Leaves<T> leaves(num_leaves);
  for (auto& leaf : leaves) {
    if (randomness.Chance(absent)) continue;
    leaf.emplace(count);
    for (T& element : *leaf) {
      const int64_t draw = randomness.Between(-1000000, 1000000);
      if constexpr (std::is_integral_v<T>) {
        element = static_cast<T>(draw * 1000003);
      } else {
        element = std::ldexp(static_cast<T>(draw), static_cast<int>(randomness.Between(-40, 10)));
      }
    }
  }
  return leaves;
}

/// [begin, end) splits at the largest power of two below its length; left + right.
template <typename T>
std::optional<std::vector<T>> SumByDefinition(const Leaves<T>& leaves, Leaf begin, Leaf end) {
  if (begin == end) return std::nullopt;
  if (end - begin == 1) return leaves[begin];
  Leaf half = 1;
  while (half * 2 < end - begin) half *= 2;
  auto left = SumByDefinition(leaves, begin, begin + half);
  auto right = SumByDefinition(leaves, begin + half, end);
  if (!left) return right;
  if (!right) return left;
  for (size_t i = 0; i < left->size(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      (*left)[i] =
          static_cast<T>(static_cast<Unsigned>((*left)[i]) + static_cast<Unsigned>((*right)[i]));
    } else {
      (*left)[i] = (*left)[i] + (*right)[i];
    }
  }
  return left;
}

/// What rank `rank` asks for; `output` has the count's size.
template <typename T>
SumRequest RequestOf(OpId id, const Leaves<T>& leaves, const Division& division, int rank,
                     std::vector<T>* output, AllReduceOptions options = {}) {
  SumRequest request;
  request.id = id;
  request.dtype = DTypeOfTraits<T>::value;
  request.count = output->size();
  request.division = division;
  request.output = reinterpret_cast<std::byte*>(output->data());
  request.options = options;
  static constexpr std::byte kNoElements{};
  for (Leaf leaf = division.block(rank).begin; leaf < division.block(rank).end; ++leaf) {
    const auto& elements = leaves[leaf];
    const auto* data = elements ? reinterpret_cast<const std::byte*>(elements->data()) : nullptr;
    if (elements && elements->empty()) data = &kNoElements;
    request.contributions.push_back({{leaf, leaf + 1}, data});
  }
  return request;
}

/// Equal bits, signs of zero included.
template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<Bits>(a[i]) != std::bit_cast<Bits>(b[i])) return false;
  return true;
}

}  // namespace lockstep::collectives
