// InTopKV2: inputs predictions [rows, classes] and targets [rows].

#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

template <typename T>
bool IsFinite(T value) {
  return value - value == 0;
}

template <typename T, typename Target>
class InTopKKernel : public Kernel {
 public:
  explicit InTopKKernel(const KernelSpec& spec)
      : rows_(spec.inputs[0].shape[0]),
        classes_(spec.inputs[0].shape[1]),
        k_(spec.attributes.Get<int64_t>("k")) {}

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 0b11; }
  double cost_per_row() const override { return 2.0 * static_cast<double>(classes_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t row = begin; row < end; ++row) {
      memory.out<bool>(0)[row] =
          Contains(memory.in<T>(0) + row * classes_, memory.in<Target>(1)[row]);
    }
  }

 private:
  bool Contains(const T* predictions, int64_t target) const {
    if (target < 0 || target >= classes_ || !IsFinite(predictions[target])) return false;
    int64_t larger = 0;
    for (int64_t c = 0; c < classes_ && larger < k_; ++c) {
      if (!IsFinite(predictions[c])) return false;
      larger += predictions[c] > predictions[target];
    }
    return larger < k_;
  }

  int64_t rows_, classes_, k_;
};

template <typename T>
std::unique_ptr<Kernel> MakeFor(const KernelSpec& spec) {
  if (spec.inputs[1].dtype == DType::kInt32)
    return std::make_unique<InTopKKernel<T, int32_t>>(spec);
  return std::make_unique<InTopKKernel<T, int64_t>>(spec);
}

std::unique_ptr<Kernel> MakeInTopK(const KernelSpec& spec) {
  return spec.inputs[0].dtype == DType::kFloat32 ? MakeFor<float>(spec) : MakeFor<double>(spec);
}

const RegisterKernel kInTopK("InTopKV2", MakeInTopK);

}  // namespace
}  // namespace lockstep::kernels
