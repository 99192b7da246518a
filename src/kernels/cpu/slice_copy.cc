// Transpose, Reverse, Slice, StridedSlice: an element of the result for some of the input.

#include <algorithm>

#include "kernels/cpu/strided_copy.h"
#include "ops/slice_window.h"

namespace lockstep::kernels {
namespace {

int64_t StrideOf(const Shape& shape, int axis) { return shape.product(axis + 1, shape.rank()); }

std::unique_ptr<Kernel> MakeCopyOf(const KernelSpec& spec, const std::vector<CopyAxis>& axes,
                                   int64_t offset) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  return std::make_unique<StridedCopy>(axes, offset, spec.inputs[0].shape.num_elements(),
                                       DTypeSize(spec.inputs[0].dtype));
}

std::unique_ptr<Kernel> MakeTranspose(const KernelSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  std::vector<CopyAxis> axes;
  for (int64_t axis : spec.attributes.Get<std::vector<int64_t>>("perm")) {
    const int a = static_cast<int>(axis);
    axes.push_back({shape[a], StrideOf(shape, a)});
  }
  return MakeCopyOf(spec, axes, 0);
}
const RegisterKernel kTranspose("Transpose", MakeTranspose);

std::unique_ptr<Kernel> MakeReverse(const KernelSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const auto& reversed = spec.attributes.Get<std::vector<int64_t>>("axes");
  std::vector<CopyAxis> axes;
  int64_t offset = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t stride = StrideOf(shape, i);
    const bool backwards = std::find(reversed.begin(), reversed.end(), i) != reversed.end();
    if (backwards) offset += (shape[i] - 1) * stride;
    axes.push_back({shape[i], backwards ? -stride : stride});
  }
  return MakeCopyOf(spec, axes, offset);
}
const RegisterKernel kReverse("ReverseV2", MakeReverse);

std::unique_ptr<Kernel> MakeSlice(const KernelSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const auto window = ops::FindSliceWindow(spec.op.name, spec.attributes, shape);
  std::vector<CopyAxis> axes;
  int64_t offset = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t stride = StrideOf(shape, i);
    offset += window.axes[i].begin * stride;
    // The step of a single element may be as large as int64 allows.
    const int64_t step = window.axes[i].size > 1 ? window.axes[i].step : 1;
    axes.push_back({window.axes[i].size, step * stride});
  }
  return MakeCopyOf(spec, axes, offset);
}
const RegisterKernel kSlice("Slice", MakeSlice);
const RegisterKernel kStridedSlice("StridedSlice", MakeSlice);

}  // namespace
}  // namespace lockstep::kernels
