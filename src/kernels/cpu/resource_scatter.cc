// Updates of rows of a variable, in the order of their occurrence.

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/gather_layout.h"
#include "kernels/cpu/reduce_operators.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

template <typename V>
struct Replacing {
  V operator()(V, V update) const { return update; }
};
template <typename V>
struct Adding {
  V operator()(V a, V b) const { return static_cast<V>(a + b); }
};
template <typename V>
struct Subtracting {
  V operator()(V a, V b) const { return static_cast<V>(a - b); }
};
template <typename V>
struct Multiplying {
  V operator()(V a, V b) const { return static_cast<V>(a * b); }
};
template <typename V>
struct Minimising {
  V operator()(V a, V b) const { return MinOperator<V>::Combine(a, b); }
};
template <typename V>
struct Maximising {
  V operator()(V a, V b) const { return MaxOperator<V>::Combine(a, b); }
};
// Integers divide towards zero; by zero not at all.
template <typename V>
struct Dividing {
  static constexpr bool kDivides = true;
  V operator()(V a, V b) const {
    if constexpr (std::is_integral_v<V>) {
      return static_cast<V>(static_cast<int64_t>(a) / static_cast<int64_t>(b));
    } else {
      return a / b;
    }
  }
};

template <typename T, typename Index, typename Value, typename Function>
class ResourceScatter : public Kernel {
 public:
  explicit ResourceScatter(const KernelSpec& spec) : where_(spec.op.name.c_str()) {
    const Shape& variable = spec.inputs[0].shape;
    limit_ = variable[0];
    inner_ = variable.product(1, variable.rank());
    count_ = spec.inputs[1].shape.num_elements();
  }
  int64_t rows() const override { return limit_; }
  uint32_t aligned_inputs() const override { return 0b001; }
  double cost_per_row() const override {
    return static_cast<double>(count_ * (1 + inner_)) /
           static_cast<double>(std::max<int64_t>(1, limit_));
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const Index* indices = memory.in<Index>(1);
    for (int64_t i = 0; i < count_; ++i) {
      if (indices[i] < 0 || indices[i] >= limit_) ThrowIndex(where_, i, indices[i], limit_);
    }
    // All is checked before anything is written.
    if constexpr (std::is_integral_v<T> && requires { Function::kDivides; }) {
      const T* updates = memory.in<T>(2);
      for (int64_t i = 0; i < count_ * inner_; ++i) {
        if (updates[i] == 0) {
          throw Error(
              Code::kInvalidArgument,
              "[ResourceScatterDiv] a divisor must not be 0; got 0 at place " + std::to_string(i));
        }
      }
    }
    for (int64_t i = 0; i < count_; ++i) {
      if (indices[i] < begin || indices[i] >= end) continue;
      T* to = memory.resource<T>(0) + indices[i] * inner_;
      const T* update = memory.in<T>(2) + i * inner_;
      for (int64_t k = 0; k < inner_; ++k) {
        to[k] =
            static_cast<T>(Function()(static_cast<Value>(to[k]), static_cast<Value>(update[k])));
      }
    }
  }

 private:
  const char* where_;
  int64_t limit_;
  int64_t inner_;
  int64_t count_;
};

template <template <typename> typename ValueOf, template <typename> typename Function>
std::unique_ptr<Kernel> MakeScatter(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    using Value = ValueOf<T>;
    return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
      return std::make_unique<ResourceScatter<T, I, Value, Function<Value>>>(spec);
    });
  });
}
const RegisterKernel kScatterUpdate("ResourceScatterUpdate", MakeScatter<SumType, Replacing>);
const RegisterKernel kScatterAdd("ResourceScatterAdd", MakeScatter<SumType, Adding>);
const RegisterKernel kScatterSub("ResourceScatterSub", MakeScatter<SumType, Subtracting>);
const RegisterKernel kScatterMul("ResourceScatterMul", MakeScatter<SumType, Multiplying>);
const RegisterKernel kScatterDiv("ResourceScatterDiv", MakeScatter<CompareType, Dividing>);
const RegisterKernel kScatterMin("ResourceScatterMin", MakeScatter<CompareType, Minimising>);
const RegisterKernel kScatterMax("ResourceScatterMax", MakeScatter<CompareType, Maximising>);
const RegisterFailure kScatterUpdateFails("ResourceScatterUpdate", Failure::kAlways);
const RegisterFailure kScatterAddFails("ResourceScatterAdd", Failure::kAlways);
const RegisterFailure kScatterSubFails("ResourceScatterSub", Failure::kAlways);
const RegisterFailure kScatterMulFails("ResourceScatterMul", Failure::kAlways);
const RegisterFailure kScatterDivFails("ResourceScatterDiv", Failure::kAlways);
const RegisterFailure kScatterMinFails("ResourceScatterMin", Failure::kAlways);
const RegisterFailure kScatterMaxFails("ResourceScatterMax", Failure::kAlways);

}  // namespace
}  // namespace lockstep::kernels
