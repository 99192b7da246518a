#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/reduce_operators.h"
#include "kernels/cpu/reduce_order.h"

namespace lockstep::kernels {

/// For the segments [first, last): the places of `ids` where each occurs, ascending. Memory is
/// kept from call to call.
class SegmentPlaces {
 public:
  template <typename Index>
  void Find(const Index* ids, int64_t count, int64_t first, int64_t last) {
    starts_.assign(last - first + 1, 0);
    for (int64_t i = 0; i < count; ++i) {
      if (ids[i] >= first && ids[i] < last) ++starts_[ids[i] - first + 1];
    }
    for (int64_t s = 0; s < last - first; ++s) starts_[s + 1] += starts_[s];
    places_.resize(starts_.back());
    next_.assign(starts_.begin(), starts_.end());
    for (int64_t i = 0; i < count; ++i) {
      if (ids[i] >= first && ids[i] < last) places_[next_[ids[i] - first]++] = i;
    }
  }
  /// The places of segment `first + offset`.
  std::span<const int64_t> Of(int64_t offset) const {
    return {places_.data() + starts_[offset], places_.data() + starts_[offset + 1]};
  }

 private:
  std::vector<int64_t> starts_;
  std::vector<int64_t> next_;
  std::vector<int64_t> places_;
};

/// The sum of the rows `places` of `values` [?, inner] into `sum`: a chain in order inside a leaf,
/// leaves by the canonical tree, leaves without a place absent. `places` is not empty.
/// `memory`: as many elements as LeafTree needs.
template <typename T>
void SumPlaces(const T* values, int64_t inner, std::span<const int64_t> places,
               std::span<const int64_t> leaves, SumType<T>* memory, SumType<T>* sum) {
  using Operator = SumOperator<T>;
  auto chain = [&](SumType<T>* to, size_t begin, size_t end) {
    MapRow<Operator>(to, values + places[begin] * inner, inner);
    for (size_t i = begin + 1; i < end; ++i) {
      CombineRow<Operator>(to, values + places[i] * inner, inner);
    }
  };
  const auto leaf_of = [&](int64_t place) {
    return std::upper_bound(leaves.begin(), leaves.end(), place) - leaves.begin() - 1;
  };
  if (leaves.size() <= 2 || leaf_of(places.front()) == leaf_of(places.back())) {
    return chain(sum, 0, places.size());
  }
  LeafTree<SumType<T>, CombineSums<Operator>> tree(memory, inner);
  size_t begin = 0;
  for (size_t leaf = 0; leaf + 1 < leaves.size(); ++leaf) {
    size_t end = begin;
    while (end < places.size() && places[end] < leaves[leaf + 1]) ++end;
    if (end > begin) chain(tree.Next(), begin, end);
    tree.Push(end > begin);
    begin = end;
  }
  std::copy_n(tree.Finish(), inner, sum);
}

/// Segments [first, last) of the sums of rows of `values` [count, inner] by `ids`; zeros for a
/// segment without rows. `out` is the place of segment `first`.
template <typename T, typename Index>
void SumSegments(const T* values, const Index* ids, int64_t count, int64_t inner,
                 std::span<const int64_t> leaves, int64_t first, int64_t last, T* out) {
  using Sum = SumType<T>;
  static thread_local SegmentPlaces places;
  static thread_local std::vector<Sum> memory;
  const int64_t num_leaves = static_cast<int64_t>(leaves.size()) - 1;
  const int64_t buffers = LeafTree<Sum>::BuffersNeeded(num_leaves);
  if (static_cast<int64_t>(memory.size()) < (buffers + 1) * inner) {
    memory.resize((buffers + 1) * inner);
  }
  Sum* sum = memory.data() + buffers * inner;
  // So many segments at a time: the places of all segments may need more memory than the result.
  const int64_t at_once = std::max<int64_t>(count, int64_t{1} << 16);
  int64_t from = first, until = first;
  for (int64_t segment = first; segment < last; ++segment) {
    if (segment == until) {
      from = segment;
      until = last - from > at_once ? from + at_once : last;
      places.Find(ids, count, from, until);
    }
    T* to = out + (segment - first) * inner;
    const auto own = places.Of(segment - from);
    if (own.empty()) {
      std::fill_n(to, inner, T());
    } else if constexpr (std::is_same_v<Sum, T>) {
      SumPlaces(values, inner, own, leaves, memory.data(), to);
    } else {
      SumPlaces(values, inner, own, leaves, memory.data(), sum);
      for (int64_t i = 0; i < inner; ++i) to[i] = static_cast<T>(sum[i]);
    }
  }
}

}  // namespace lockstep::kernels
