// Cumsum and Cumprod: a chain along an axis.

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce_operators.h"

namespace lockstep::kernels {
namespace {

template <typename T, typename Operator>
class Scan : public Kernel {
 public:
  explicit Scan(const KernelSpec& spec)
      : split_(spec.inputs[0].shape, static_cast<int>(spec.attributes.Get<int64_t>("axis"))),
        exclusive_(spec.attributes.Get<bool>("exclusive")),
        reverse_(spec.attributes.Get<bool>("reverse")) {}
  int64_t rows() const override { return split_.outer; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override {
    return 2 * static_cast<double>(split_.size * split_.inner);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t row = split_.size * split_.inner;
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = 0; i < split_.inner; ++i) {
        Chain(memory.in<T>(0) + r * row + i, memory.out<T>(0) + r * row + i);
      }
    }
  }

 private:
  void Chain(const T* x, T* out) const {
    auto sum = Operator::kIdentity;
    for (int64_t k = 0; k < split_.size; ++k) {
      const int64_t at = (reverse_ ? split_.size - 1 - k : k) * split_.inner;
      const auto value = static_cast<typename Operator::Value>(x[at]);
      const auto next = k == 0 ? value : Operator::Combine(sum, value);
      out[at] = static_cast<T>(exclusive_ ? sum : next);
      sum = next;
    }
  }

  AxisSplit split_;
  bool exclusive_;
  bool reverse_;
};

std::unique_ptr<Kernel> MakeCumsum(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<Scan<T, SumOperator<T>>>(spec);
  });
}
std::unique_ptr<Kernel> MakeCumprod(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<Scan<T, ProductOperator<T>>>(spec);
  });
}
const RegisterKernel kCumsum("Cumsum", MakeCumsum);
const RegisterKernel kCumprod("Cumprod", MakeCumprod);

}  // namespace
}  // namespace lockstep::kernels
