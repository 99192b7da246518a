// Shape and Size of an input whose elements are not looked at.

#include "kernels/cpu/for_dtype.h"

namespace lockstep::kernels {
namespace {

template <typename T>
class Numbers : public Kernel {
 public:
  explicit Numbers(std::vector<int64_t> values) : values_(std::move(values)) {}
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (begin >= end) return;
    for (size_t i = 0; i < values_.size(); ++i) memory.out<T>(0)[i] = static_cast<T>(values_[i]);
  }

 private:
  std::vector<int64_t> values_;
};

std::unique_ptr<Kernel> MakeNumbers(DType dtype, const std::vector<int64_t>& values) {
  return ForDType(IndexTypes(), dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<Numbers<T>>(values);
  });
}
const RegisterKernel kShape("Shape", [](const KernelSpec& spec) {
  return MakeNumbers(spec.outputs[0].dtype, spec.inputs[0].shape.vector());
});
const RegisterKernel kSize("Size", [](const KernelSpec& spec) {
  return MakeNumbers(spec.outputs[0].dtype, {spec.inputs[0].shape.num_elements()});
});

}  // namespace
}  // namespace lockstep::kernels
