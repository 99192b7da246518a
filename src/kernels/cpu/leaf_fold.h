#pragma once

#include <cstdint>
#include <span>

namespace lockstep::kernels {

/// One leaf of a sum over leaves that is worked off as a stack machine does: compute the chain over
/// the rows [first, first + length) and push it, then `adds` times replace the two topmost sums by
/// below + top.
struct FoldStep {
  int64_t first;
  int64_t length;
  int64_t adds;
  /// Whether this leaf and the next three are a whole subtree of leaves of one length, so that none
  /// of their sums has to wait for another leaf.
  bool begins_four = false;
};

/// Sums that a plan of a FoldPlan::FitsRegisters keeps besides the newest.
inline constexpr int kMostRegisterSums = 16;

/// The order in which leaves are added: the canonical tree over leaf numbers, in which the range
/// [a, b) splits at the largest power of two below its length, left + right. Empty leaves are
/// absent: the tree passes the other side through. The plan keeps this thread's memory till the
/// next plan.
class FoldPlan {
 public:
  /// `offsets`: the leaves' table, L + 1 row numbers, ascending.
  explicit FoldPlan(std::span<const int64_t> offsets);

  const FoldStep* begin() const { return steps_; }
  const FoldStep* end() const { return steps_ + count_; }
  /// The leaves that are not empty.
  int64_t size() const { return count_; }
  /// The most sums held at once.
  int64_t depth() const { return depth_; }
  bool FitsRegisters() const { return depth_ <= kMostRegisterSums + 1; }

 private:
  FoldStep* steps_;
  int64_t count_ = 0;
  int64_t depth_ = 0;
};

/// left[i] = left[i] + right[i].
void AddInto(float* left, const float* right, int64_t count);
void AddInto(double* left, const double* right, int64_t count);

}  // namespace lockstep::kernels
