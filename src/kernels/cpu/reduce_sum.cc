// Sum and Mean.

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/reduce_operators.h"

namespace lockstep::kernels {
namespace {

// Integers divide towards zero; the mean of nothing is NaN or, for integers, zero.
template <typename T>
struct DivideByCount {
  SumType<T> operator()(SumType<T> value, int64_t count) const {
    if constexpr (std::is_integral_v<T>) {
      if (count == 0) return 0;
      return static_cast<SumType<T>>(static_cast<int64_t>(static_cast<T>(value)) / count);
    } else {
      return value / static_cast<SumType<T>>(count);
    }
  }
};

std::unique_ptr<Kernel> MakeSum(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<ReduceKernel<T, SumOperator<T>, T>>(spec);
  });
}
const RegisterKernel kSum("Sum", MakeSum);

std::unique_ptr<Kernel> MakeMean(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<ReduceKernel<T, SumOperator<T>, T, DivideByCount<T>>>(spec);
  });
}
const RegisterKernel kMean("Mean", MakeMean);

// What the gradient of a mean needs: input 0 divided by the number of elements of input 1 that
// became one.
template <typename T>
class DivideByReduced : public Kernel {
 public:
  explicit DivideByReduced(const KernelSpec& spec) {
    const Shape& shape = spec.inputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_size_ = rows_ == 0 ? 0 : shape.num_elements() / rows_;
    for (int64_t axis : spec.attributes.Get<std::vector<int64_t>>("axes")) {
      count_ *= spec.inputs[1].shape[static_cast<int>(axis)];
    }
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return static_cast<double>(row_size_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const auto divisor = static_cast<SumType<T>>(count_);
    for (int64_t i = begin * row_size_; i < end * row_size_; ++i) {
      memory.out<T>(0)[i] = static_cast<T>(static_cast<SumType<T>>(memory.in<T>(0)[i]) / divisor);
    }
  }

 private:
  int64_t rows_;
  int64_t row_size_;
  int64_t count_ = 1;
};

std::unique_ptr<Kernel> MakeDivideByReduced(const KernelSpec& spec) {
  return ForDType(FloatingTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<DivideByReduced<T>>(spec);
  });
}
const RegisterKernel kDivideByReduced("DivideByReduced", MakeDivideByReduced);

}  // namespace
}  // namespace lockstep::kernels
