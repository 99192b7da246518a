#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lockstep::kernels {

/// left[i] + right[i] into left; integers wrap around.
template <typename T>
struct AddElements {
  void operator()(T* left, const T* right, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) left[i] = static_cast<T>(left[i] + right[i]);
  }
};

/// Adds up buffers of `size` elements, one per leaf, by the canonical tree over leaf numbers: the
/// range [a, b) splits at the largest power of two below its length, left + right. An absent leaf
/// passes its neighbour through. It is a binary counter: at any time it holds at most one sum a
/// level, so leaves are taken one after another and nothing is allocated.
/// `Add(left, right, count)` combines a left with a right sum, into the left one.
template <typename T, typename Add = AddElements<T>>
class LeafTree {
 public:
  /// Buffers that `num_leaves` leaves need at once.
  static int64_t BuffersNeeded(int64_t num_leaves) {
    return num_leaves <= 1 ? 1 : std::bit_width(static_cast<uint64_t>(num_leaves - 1)) + 1;
  }

  /// `memory`: BuffersNeeded(leaves) buffers.
  LeafTree(T* memory, int64_t size, Add add = {}) : memory_(memory), size_(size), add_(add) {}

  /// Where the next leaf's sum is to be written.
  T* Next() { return memory_ + held_ * size_; }

  /// The next leaf is in Next(), or absent.
  void Push(bool present) {
    const int64_t leaf = leaf_++;
    int level = 0;
    for (; ((leaf >> level) & 1) != 0; ++level) {
      if (held_ == 0 || levels_[held_ - 1] != level) continue;
      const T* right = Next();
      --held_;
      if (present) add_(Next(), right, size_);
      present = true;
    }
    if (present) levels_[held_++] = static_cast<int8_t>(level);
  }

  /// The sum of all; null if all were absent. Nothing may be pushed after it.
  T* Finish() {
    if (held_ == 0) return nullptr;
    --held_;
    while (held_ > 0) {
      const T* right = Next();
      --held_;
      add_(Next(), right, size_);
    }
    return memory_;
  }

 private:
  T* memory_;
  int64_t size_;
  Add add_;
  int64_t leaf_ = 0;
  int held_ = 0;
  int8_t levels_[64];  // of the sums held, falling
};

}  // namespace lockstep::kernels
