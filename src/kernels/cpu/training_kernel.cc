#include "kernels/cpu/training_kernel.h"

namespace lockstep::kernels {
namespace {

// The update of one variable; rows are the weight's.
class UpdateKernel : public Kernel {
 public:
  UpdateKernel(const KernelSpec& spec, UpdateFunction function)
      : attributes_(spec.attributes),
        dtype_(spec.inputs[0].dtype),
        extras_(spec.attributes.GetOr<int64_t>("extras", 0)),
        function_(function) {
    const Shape& shape = spec.inputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_elements_ = rows_ == 0 ? 0 : shape.num_elements() / rows_;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      if (spec.inputs[i].shape == shape && shape.rank() > 0) aligned_ |= 1u << i;
    }
    if ((extras_ & ops::kUpdateEnabled) != 0) enabled_ = static_cast<int>(spec.inputs.size()) - 1;
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override { return 20.0 * static_cast<double>(row_elements_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (enabled_ >= 0 && !*memory.in<bool>(enabled_)) return;
    function_({attributes_, dtype_, extras_}, memory, begin * row_elements_, end * row_elements_);
  }

 private:
  const ops::Attributes attributes_;
  DType dtype_;
  int64_t extras_;
  UpdateFunction function_;
  int64_t rows_, row_elements_;
  uint32_t aligned_ = 0;
  int enabled_ = -1;
};

}  // namespace

std::unique_ptr<Kernel> MakeUpdate(const KernelSpec& spec, UpdateFunction function) {
  const DType dtype = spec.inputs[0].dtype;
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return nullptr;
  return std::make_unique<UpdateKernel>(spec, function);
}

}  // namespace lockstep::kernels
