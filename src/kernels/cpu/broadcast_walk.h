#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lockstep/tensor/shape.h"

namespace lockstep::kernels {

/// How an element-wise kernel walks over its output and the inputs that broadcast to it: in runs
/// along which each input either moves with the output or stays at one element. Axes that all
/// inputs treat alike are joined, so that equal shapes are a single run.
class BroadcastWalk {
 public:
  static constexpr int kMaxInputs = 4;
  /// Where a run begins, in elements.
  using Offsets = std::array<int64_t, kMaxInputs>;

  BroadcastWalk(const Shape& output, std::span<const Shape> inputs);

  /// Rows along the output's first axis that is longer than one.
  int64_t rows() const { return rows_; }
  int64_t elements_per_row() const { return elements_per_row_; }
  /// Bit i: input i has rows of its own along that axis.
  uint32_t aligned_inputs() const { return aligned_; }
  /// Whether input i stays at one element during a run.
  bool stays(int input) const { return steps_[input][rank_ - 1] == 0; }

  /// Calls run(output_offset, input_offsets, count) for all runs of rows [begin, end).
  template <typename Run>
  void ForEachRun(int64_t begin, int64_t end, const Run& run) const {
    if (begin >= end || elements_per_row_ == 0) return;
    const int64_t first = begin * outer_per_row_;
    const int64_t last = end * outer_per_row_;
    if (rank_ == 1) {
      Offsets offsets{};
      for (int i = 0; i < num_inputs_; ++i) offsets[i] = first * steps_[i][0];
      run(first, offsets, last - first);
      return;
    }
    const int64_t length = sizes_[rank_ - 1];
    int64_t output = begin * elements_per_row_;
    std::array<int64_t, Shape::kMaxRank> index{};
    for (int64_t outer = first; outer < last; ++outer) {
      for (;;) {
        run(output, At(outer, index), length);
        output += length;
        int axis = rank_ - 2;
        while (axis > 0 && ++index[axis] == sizes_[axis]) index[axis--] = 0;
        if (axis == 0) break;
      }
    }
  }

 private:
  Offsets At(int64_t outer, const std::array<int64_t, Shape::kMaxRank>& index) const {
    Offsets offsets{};
    for (int i = 0; i < num_inputs_; ++i) {
      int64_t offset = outer * steps_[i][0];
      for (int axis = 1; axis + 1 < rank_; ++axis) offset += index[axis] * steps_[i][axis];
      offsets[i] = offset;
    }
    return offsets;
  }

  int num_inputs_;
  int rank_ = 1;  // after joining, at least one
  std::array<int64_t, Shape::kMaxRank> sizes_{};
  std::array<std::array<int64_t, Shape::kMaxRank>, kMaxInputs> steps_{};  // by input, then axis
  int64_t rows_ = 1;
  int64_t elements_per_row_ = 1;
  int64_t outer_per_row_ = 1;  // of joined axis 0
  uint32_t aligned_ = 0;
};

}  // namespace lockstep::kernels
