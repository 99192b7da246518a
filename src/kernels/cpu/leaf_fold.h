#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::kernels {

/// left[i] = left[i] + right[i].
void AddInto(float* left, const float* right, int64_t count);
void AddInto(double* left, const double* right, int64_t count);

/// Adds up buffers, one per leaf, by the canonical tree over leaf numbers: the range [a, b) splits
/// at the largest power of two below its length, left + right. An absent leaf passes its neighbour
/// through. It works as a binary counter: at any time it holds at most one sum per level.
template <typename T>
class LeafFold {
 public:
  /// Buffers that `num_leaves` leaves need at once.
  static int64_t BuffersNeeded(int64_t num_leaves);

  /// `memory`: BuffersNeeded(leaves) buffers of `size` elements.
  LeafFold(T* memory, int64_t size) : memory_(memory), size_(size) {}

  /// Where the next leaf's sum is to be written.
  T* Next() { return memory_ + static_cast<int64_t>(levels_.size()) * size_; }

  /// The next leaf is in Next(), or absent.
  void Push(bool present);

  /// The sum of all; null if all were absent. Nothing may be pushed after it.
  T* Finish();

 private:
  T* memory_;
  int64_t size_;
  int64_t leaf_ = 0;
  std::vector<int> levels_;  // of the sums held, falling
};

extern template class LeafFold<float>;
extern template class LeafFold<double>;

}  // namespace lockstep::kernels
