// Concat and Split.

#include <vector>

#include "kernels/cpu/axis_split.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

// Rows of all parts lie one after another in a row of the whole.
class JoinOrSplit : public Kernel {
 public:
  JoinOrSplit(const ops::TensorType& whole, std::span<const ops::TensorType> parts, int axis,
              bool join)
      : join_(join) {
    const size_t element = DTypeSize(whole.dtype);
    const AxisSplit split(whole.shape, axis);
    rows_ = split.outer;
    row_bytes_ = split.size * split.inner * element;
    for (const auto& part : parts) {
      part_bytes_.push_back(AxisSplit(part.shape, axis).size * split.inner * element);
    }
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override {
    return !join_ ? 1 : part_bytes_.size() > 31 ? 0 : (1u << part_bytes_.size()) - 1;
  }
  double cost_per_row() const override { return static_cast<double>(row_bytes_) / 8; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    size_t offset = 0;
    for (size_t i = 0; i < part_bytes_.size(); ++i) {
      const int k = static_cast<int>(i);
      const size_t bytes = part_bytes_[i];
      for (int64_t r = begin; r < end; ++r) {
        const size_t at = r * row_bytes_ + offset;
        if (join_) {
          CopyRun(memory.out<char>(0) + at, memory.in<char>(k) + r * bytes, bytes);
        } else {
          CopyRun(memory.out<char>(k) + r * bytes, memory.in<char>(0) + at, bytes);
        }
      }
      offset += bytes;
    }
  }

 private:
  bool join_;
  int64_t rows_;
  size_t row_bytes_;
  std::vector<size_t> part_bytes_;
};

int AxisOf(const KernelSpec& spec) {
  return static_cast<int>(spec.attributes.Get<int64_t>("axis"));
}

std::unique_ptr<Kernel> MakeConcat(const KernelSpec& spec) {
  if (spec.outputs[0].dtype == DType::kString) return nullptr;
  return std::make_unique<JoinOrSplit>(spec.outputs[0], spec.inputs, AxisOf(spec), true);
}
const RegisterKernel kConcat("ConcatV2", MakeConcat);

std::unique_ptr<Kernel> MakeSplit(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  return std::make_unique<JoinOrSplit>(spec.inputs[0], spec.outputs, AxisOf(spec), false);
}
const RegisterKernel kSplit("Split", MakeSplit);
const RegisterKernel kSplitV("SplitV", MakeSplit);
const RegisterKernel kSplitLike("SplitLike", MakeSplit);

}  // namespace
}  // namespace lockstep::kernels
