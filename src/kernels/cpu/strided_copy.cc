#include "kernels/cpu/strided_copy.h"

#include <algorithm>

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/transpose.h"

namespace lockstep::kernels {

namespace {

template <int kBytes>
char* CopyElements(const char* from, char* to, int64_t size, int64_t stride) {
  for (int64_t i = 0; i < size; ++i) std::memcpy(to + i * kBytes, from + i * stride, kBytes);
  return to + size * kBytes;
}

}  // namespace

StridedCopy::StridedCopy(const std::vector<CopyAxis>& axes, int64_t offset, int64_t input_size,
                         size_t element)
    : offset_(offset), element_(element) {
  for (const CopyAxis& axis : axes) {
    empty_ |= axis.size == 0;
    if (axis.size == 1) continue;
    if (rank_ > 0 && axes_[rank_ - 1].stride == axis.stride * axis.size) {
      axes_[rank_ - 1] = {axes_[rank_ - 1].size * axis.size, axis.stride};
    } else {
      axes_[rank_++] = axis;
    }
  }
  if (rank_ == 0) axes_[rank_++] = {1, 1};
  // Rows read only their own part of the input.
  int64_t low = offset;
  int64_t high = offset;
  for (int i = 1; i < rank_; ++i) {
    row_size_ *= axes_[i].size;
    const int64_t reach = (axes_[i].size - 1) * axes_[i].stride;
    (reach < 0 ? low : high) += reach;
  }
  const CopyAxis& first = axes_[0];
  aligned_ = first.stride > 0 && first.stride * first.size == input_size && low >= 0 &&
             high < first.stride;
  matrices_ = rank_ >= 2 && axes_[rank_ - 2].stride == 1 && axes_[rank_ - 1].stride > 0 &&
              (element == 4 || element == 8);
}

void StridedCopy::Run(const KernelMemory& memory, int64_t begin, int64_t end) const {
  if (begin >= end) return;
  const int64_t first = offset_ + begin * axes_[0].stride;
  Copy(0, end - begin, memory.in<char>(0) + first * static_cast<int64_t>(element_),
       memory.out<char>(0) + begin * row_size_ * static_cast<int64_t>(element_));
}

// Copies `size` elements of `axis` with all that is inside; returns the end of what was written.
char* StridedCopy::Copy(int axis, int64_t size, const char* from, char* to) const {
  const int64_t stride = axes_[axis].stride * static_cast<int64_t>(element_);
  if (matrices_ && axis == rank_ - 2) return Matrix(size, from, to);
  if (axis < rank_ - 1) {
    for (int64_t i = 0; i < size; ++i) {
      to = Copy(axis + 1, axes_[axis + 1].size, from + i * stride, to);
    }
    return to;
  }
  if (axes_[axis].stride == 1) {
    CopyRun(to, from, size * element_);
    return to + size * element_;
  }
  switch (element_) {
    case 1:
      return CopyElements<1>(from, to, size, stride);
    case 2:
      return CopyElements<2>(from, to, size, stride);
    case 4:
      return CopyElements<4>(from, to, size, stride);
    default:
      return CopyElements<8>(from, to, size, stride);
  }
}

char* StridedCopy::Matrix(int64_t columns, const char* from, char* to) const {
  const CopyAxis& last = axes_[rank_ - 1];
  if (element_ == 4) {
    Transpose(reinterpret_cast<const float*>(from), last.stride, last.size, columns,
              reinterpret_cast<float*>(to), last.size);
  } else {
    Transpose(reinterpret_cast<const double*>(from), last.stride, last.size, columns,
              reinterpret_cast<double*>(to), last.size);
  }
  return to + last.size * columns * static_cast<int64_t>(element_);
}

}  // namespace lockstep::kernels
