// The op Transpose: axes that stay neighbours are joined; what remains is copied in runs, or is
// a batch of matrices to transpose, or, rarely, is taken element by element.

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/transpose.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

// The axes of the result, joined, with their strides in the input.
struct JoinedAxes {
  int rank = 0;
  int64_t sizes[Shape::kMaxRank];
  int64_t strides[Shape::kMaxRank];  // in elements

  JoinedAxes(const Shape& shape, const std::vector<int64_t>& perm) {
    for (int64_t axis : perm) {
      const int a = static_cast<int>(axis);
      const int64_t stride = shape.product(a + 1, shape.rank());
      if (shape[a] == 1) continue;
      if (rank > 0 && strides[rank - 1] == stride * shape[a]) {
        sizes[rank - 1] *= shape[a];
        strides[rank - 1] = stride;
      } else {
        sizes[rank] = shape[a];
        strides[rank++] = stride;
      }
    }
    if (rank == 0) {
      sizes[0] = strides[0] = 1;
      rank = 1;
    }
  }
};

class TransposeAxes : public Kernel {
 public:
  explicit TransposeAxes(const KernelSpec& spec)
      : axes_(spec.inputs[0].shape, spec.attributes.Get<std::vector<int64_t>>("perm")),
        element_(DTypeSize(spec.inputs[0].dtype)) {
    elements_ = spec.inputs[0].shape.num_elements();
    row_size_ = elements_ == 0 ? 0 : elements_ / axes_.sizes[0];
    const int last = axes_.rank - 1;
    run_ = axes_.strides[last] == 1 ? axes_.sizes[last] : 1;
    // [..., a, b] from [..., b, a]: the last two axes change places.
    matrices_ = axes_.rank >= 2 && axes_.strides[last - 1] == 1 && element_ >= 4;
  }
  int64_t rows() const override { return elements_ == 0 ? 0 : axes_.sizes[0]; }
  uint32_t aligned_inputs() const override { return axes_.strides[0] == row_size_ ? 1 : 0; }
  double cost_per_row() const override { return static_cast<double>(row_size_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (begin >= end) return;
    const char* from = memory.in<char>(0) + begin * axes_.strides[0] * element_;
    char* to = memory.out<char>(0) + begin * row_size_ * element_;
    JoinedAxes part = axes_;
    part.sizes[0] = end - begin;
    Level(part, 0, from, to, end - begin);
  }

 private:
  // Copies axes [axis, rank); returns the end of what was written.
  char* Level(const JoinedAxes& axes, int axis, const char* from, char* to, int64_t size) const {
    const int64_t stride = axes.strides[axis] * static_cast<int64_t>(element_);
    if (axis == axes.rank - 1) {
      if (run_ > 1 || axes.strides[axis] == 1) {
        CopyRun(to, from, size * element_);
        return to + size * element_;
      }
      return Strided(from, to, size, stride);
    }
    if (matrices_ && axis == axes.rank - 2) return Matrix(axes, from, to, size);
    for (int64_t i = 0; i < size; ++i) {
      to = Level(axes, axis + 1, from + i * stride, to, axes.sizes[axis + 1]);
    }
    return to;
  }

  char* Matrix(const JoinedAxes& axes, const char* from, char* to, int64_t columns) const {
    const int64_t rows = axes.sizes[axes.rank - 1];
    const int64_t from_stride = axes.strides[axes.rank - 1];
    if (element_ == 4) {
      Transpose(reinterpret_cast<const float*>(from), from_stride, rows, columns,
                reinterpret_cast<float*>(to), rows);
    } else {
      Transpose(reinterpret_cast<const double*>(from), from_stride, rows, columns,
                reinterpret_cast<double*>(to), rows);
    }
    return to + rows * columns * element_;
  }

  char* Strided(const char* from, char* to, int64_t size, int64_t stride) const {
    switch (element_) {
      case 1:
        return Elements<1>(from, to, size, stride);
      case 2:
        return Elements<2>(from, to, size, stride);
      case 4:
        return Elements<4>(from, to, size, stride);
      default:
        return Elements<8>(from, to, size, stride);
    }
  }

  template <int kBytes>
  static char* Elements(const char* from, char* to, int64_t size, int64_t stride) {
    for (int64_t i = 0; i < size; ++i) std::memcpy(to + i * kBytes, from + i * stride, kBytes);
    return to + size * kBytes;
  }

  JoinedAxes axes_;
  size_t element_;
  int64_t elements_;
  int64_t row_size_;
  int64_t run_;
  bool matrices_;
};

std::unique_ptr<Kernel> MakeTranspose(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  return std::make_unique<TransposeAxes>(spec);
}
const RegisterKernel kTranspose("Transpose", MakeTranspose);

}  // namespace
}  // namespace lockstep::kernels
