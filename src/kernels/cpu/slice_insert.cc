// Pad and the adjoint of slices: the input lands in a window of the result, the rest is constant.

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/number_bytes.h"
#include "kernels/kernel.h"
#include "ops/slice_window.h"

namespace lockstep::kernels {
namespace {

class SliceInsert : public Kernel {
 public:
  SliceInsert(const Shape& shape, std::vector<ops::AxisWindow> axes, DType dtype, double fill)
      : shape_(shape),
        axes_(std::move(axes)),
        element_(DTypeSize(dtype)),
        fill_(NumberBytes(fill, dtype)) {
    if (shape_.rank() == 0) {
      shape_.Append(1);
      axes_.push_back({0, 1, 1});
    }
    const int rank = shape_.rank();
    from_strides_.assign(rank, 1);
    for (int i = rank - 2; i >= 0; --i) {
      from_strides_[i] = from_strides_[i + 1] * axes_[i + 1].size;
    }
    // Behind `runs_from_` the window takes all: a part of that axis is a single run.
    runs_from_ = rank - 1;
    while (runs_from_ > 0 && Whole(runs_from_)) --runs_from_;
  }
  int64_t rows() const override { return shape_[0]; }
  uint32_t aligned_inputs() const override { return Whole(0) ? 1 : 0; }
  double cost_per_row() const override { return static_cast<double>(Stride(0)); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t row = Stride(0);
    if (row == 0) return;
    const ops::AxisWindow& first = axes_[0];
    for (int64_t r = begin; r < end; ++r) {
      char* to = memory.out<char>(0) + r * row * Bytes();
      const int64_t distance = r - first.begin;
      const int64_t place = distance / first.step;
      const bool inside =
          distance % first.step == 0 && place >= 0 && place < first.size && from_strides_[0] > 0;
      if (!inside || runs_from_ > 0) FillBytes(to, row, element_, fill_);
      if (!inside) continue;
      const char* from = memory.in<char>(0) + place * from_strides_[0] * Bytes();
      if (runs_from_ == 0) {
        CopyRun(to, from, row * element_);
      } else {
        Insert(1, from, to);
      }
    }
  }

 private:
  int64_t Bytes() const { return static_cast<int64_t>(element_); }
  int64_t Stride(int axis) const { return shape_.product(axis + 1, shape_.rank()); }
  bool Whole(int axis) const {
    return axes_[axis].begin == 0 && axes_[axis].step == 1 && axes_[axis].size == shape_[axis];
  }

  void Insert(int axis, const char* from, char* to) const {
    const ops::AxisWindow& window = axes_[axis];
    const int64_t stride = Stride(axis) * Bytes();
    to += window.begin * stride;
    if (axis == runs_from_ && window.step == 1) {
      CopyRun(to, from, window.size * stride);
      return;
    }
    for (int64_t i = 0; i < window.size; ++i) {
      const char* part = from + i * from_strides_[axis] * Bytes();
      char* place = to + i * window.step * stride;
      if (axis == runs_from_) {
        CopyRun(place, part, stride);
      } else {
        Insert(axis + 1, part, place);
      }
    }
  }

  Shape shape_;
  std::vector<ops::AxisWindow> axes_;
  std::vector<int64_t> from_strides_;
  size_t element_;
  std::array<char, 8> fill_;
  int runs_from_;
};

std::unique_ptr<Kernel> MakeSliceAdjoint(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  const Shape& shape = spec.outputs[0].shape;
  auto window = ops::FindSliceWindow(spec.op.name, spec.attributes, shape);
  return std::make_unique<SliceInsert>(shape, std::move(window.axes), spec.outputs[0].dtype, 0);
}
const RegisterKernel kSliceAdjoint("SliceAdjoint", MakeSliceAdjoint);

std::unique_ptr<Kernel> MakePad(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  const auto& paddings = spec.attributes.Get<std::vector<int64_t>>("paddings");
  const Shape& input = spec.inputs[0].shape;
  std::vector<ops::AxisWindow> axes;
  for (int i = 0; i < input.rank(); ++i) axes.push_back({paddings[2 * i], 1, input[i]});
  return std::make_unique<SliceInsert>(spec.outputs[0].shape, std::move(axes),
                                       spec.outputs[0].dtype,
                                       spec.attributes.Get<double>("constant"));
}
const RegisterKernel kPad("PadV2", MakePad);

}  // namespace
}  // namespace lockstep::kernels
