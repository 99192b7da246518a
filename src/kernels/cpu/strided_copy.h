#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"

namespace lockstep::kernels {

/// An axis of the result, and how far apart its elements are in the input.
struct CopyAxis {
  int64_t size = 1;
  int64_t stride = 1;
};

/// Result element (i, j, ...) is the input's element offset + i * stride_i + j * stride_j + ...
/// Axes that lie alike are joined; what remains is copied in runs, or is a batch of matrices to
/// transpose, or is taken element by element.
class StridedCopy : public Kernel {
 public:
  /// `input_size`: elements of the input, of `element` bytes each.
  StridedCopy(const std::vector<CopyAxis>& axes, int64_t offset, int64_t input_size,
              size_t element);
  int64_t rows() const override { return empty_ ? 0 : axes_[0].size; }
  uint32_t aligned_inputs() const override { return aligned_ ? 1 : 0; }
  double cost_per_row() const override { return static_cast<double>(row_size_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override;

 private:
  char* Copy(int axis, int64_t size, const char* from, char* to) const;
  char* Matrix(int64_t columns, const char* from, char* to) const;

  int rank_ = 0;
  CopyAxis axes_[Shape::kMaxRank];
  int64_t offset_;
  size_t element_;
  bool empty_ = false;
  bool aligned_ = false;
  bool matrices_ = false;
  int64_t row_size_ = 1;
};

}  // namespace lockstep::kernels
