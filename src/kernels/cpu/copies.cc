// The first inputs of an op as its outputs.

#include <cstring>

#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

class Copies : public Kernel {
 public:
  explicit Copies(const KernelSpec& spec) {
    for (const auto& output : spec.outputs)
      bytes_.push_back(output.shape.num_elements() * DTypeSize(output.dtype));
  }
  void Run(const KernelMemory& memory, int64_t, int64_t) const override {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      if (bytes_[i] > 0) std::memcpy(memory.outputs[i], memory.inputs[i], bytes_[i]);
    }
  }

 private:
  std::vector<size_t> bytes_;
};

std::unique_ptr<Kernel> MakeCopies(const KernelSpec& spec) {
  for (const auto& output : spec.outputs) {
    if (output.dtype == DType::kString) return nullptr;
  }
  return std::make_unique<Copies>(spec);
}
const RegisterKernel kCustomGradient("CustomGradientN", MakeCopies);

}  // namespace
}  // namespace lockstep::kernels
