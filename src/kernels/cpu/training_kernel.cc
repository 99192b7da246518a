#include "kernels/cpu/training_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cpu/widen.h"
#include "kernels/cpu/widened.h"

namespace lockstep::kernels {
namespace {

// Halves from `first` on.
const uint16_t* HalvesAt(const void* halves, int64_t first) {
  return static_cast<const uint16_t*>(halves) + first;
}
uint16_t* HalvesAt(void* halves, int64_t first) { return static_cast<uint16_t*>(halves) + first; }

// One run of elements.
class OneBlock : public UpdateBlocks {
 public:
  explicit OneBlock(const UpdateBlock& block) : block_(block) {}
  bool Next(UpdateBlock& block) override {
    block = block_;
    return !std::exchange(done_, true);
  }

 private:
  UpdateBlock block_;
  bool done_ = false;
};

// The update of one variable; rows are the weight's.
class UpdateKernel : public Kernel {
 public:
  UpdateKernel(const KernelSpec& spec, UpdateFunction function)
      : attributes_(spec.attributes),
        dtype_(spec.inputs[0].dtype),
        extras_(spec.attributes.GetOr<int64_t>("extras", 0)),
        function_(function),
        gradient_(1 + ops::RuleOf(spec.op.name).slots) {
    const Shape& shape = spec.inputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_elements_ = rows_ == 0 ? 0 : shape.num_elements() / rows_;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      if (spec.inputs[i].shape == shape && shape.rank() > 0) aligned_ |= 1u << i;
    }
    if ((extras_ & ops::kUpdateEnabled) != 0) enabled_ = static_cast<int>(spec.inputs.size()) - 1;
    for (const auto& type : spec.inputs) is_tensor_.push_back(type.shape == shape);
    for (const ops::UpdateRule& rule : ops::kUpdateRules) {
      if (spec.op.name == rule.op) resources_ = 1 + static_cast<size_t>(rule.slots);
    }
    has_direction_ = !spec.outputs.empty();
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override { return 20.0 * static_cast<double>(row_elements_); }
  bool mirrors() const override { return !IsHalf(dtype_) && !has_direction_ && enabled_ < 0; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (enabled_ >= 0 && !*memory.in<bool>(enabled_)) return;
    if (IsHalf(dtype_)) {
      RunWide(memory, begin * row_elements_, end * row_elements_);
    } else {
      RunBlock(memory, dtype_, begin * row_elements_, end * row_elements_);
    }
  }

 private:
  void RunBlock(const KernelMemory& memory, DType dtype, int64_t first, int64_t last) const {
    UpdateBlock block{.first = first, .width = last - first};
    block.gradient = memory.in<char>(gradient_) + first * DTypeSize(dtype);
    OneBlock blocks(block);
    function_({attributes_, dtype, extras_}, memory, blocks);
  }

  // By blocks that are widened into memory of this thread's.
  void RunWide(const KernelMemory& memory, int64_t first, int64_t last) const {
    constexpr int64_t kBlock = 512;
    const size_t count = is_tensor_.size();
    thread_local std::vector<float> scratch;
    scratch.resize((count + 1) * kBlock);
    std::vector<const void*> inputs(memory.inputs, memory.inputs + count);
    void* direction = scratch.data() + count * kBlock;
    for (int64_t at = first; at < last; at += kBlock) {
      const int64_t size = std::min(kBlock, last - at);
      for (size_t i = 0; i < count; ++i) {
        if (static_cast<int>(i) == enabled_) continue;
        float* wide = scratch.data() + i * kBlock;
        Widen(dtype_, HalvesAt(memory.inputs[i], is_tensor_[i] ? at : 0), wide,
              is_tensor_[i] ? size : 1);
        inputs[i] = wide;
      }
      RunBlock({inputs.data(), &direction}, DType::kFloat32, 0, size);
      for (size_t i = 0; i < resources_; ++i) {
        Narrow(dtype_, static_cast<const float*>(inputs[i]),
               HalvesAt(const_cast<void*>(memory.inputs[i]), at), size);
      }
      if (has_direction_)
        Narrow(dtype_, static_cast<const float*>(direction), HalvesAt(memory.outputs[0], at), size);
    }
  }

  const ops::Attributes attributes_;
  DType dtype_;
  int64_t extras_;
  UpdateFunction function_;
  int gradient_;
  int64_t rows_, row_elements_;
  uint32_t aligned_ = 0;
  bool has_direction_ = false;
  size_t resources_ = 1;
  std::vector<bool> is_tensor_;
  int enabled_ = -1;
};

}  // namespace

std::unique_ptr<Kernel> MakeUpdate(const KernelSpec& spec, UpdateFunction function) {
  const DType dtype = spec.inputs[0].dtype;
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64 && !IsHalf(dtype)) return nullptr;
  return std::make_unique<UpdateKernel>(spec, function);
}

}  // namespace lockstep::kernels
