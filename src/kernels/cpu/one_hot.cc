#include <algorithm>

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/for_dtype.h"

namespace lockstep::kernels {
namespace {

template <typename T>
T Converted(double value) {
  if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// Indices [outer, inner], result [outer, depth, inner].
template <typename T, typename Index>
class OneHot : public Kernel {
 public:
  explicit OneHot(const KernelSpec& spec)
      : split_(spec.outputs[0].shape, static_cast<int>(spec.attributes.Get<int64_t>("axis"))),
        on_(Converted<T>(spec.attributes.Get<double>("on_value"))),
        off_(Converted<T>(spec.attributes.Get<double>("off_value"))) {}
  int64_t rows() const override { return split_.outer; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return static_cast<double>(split_.size * split_.inner); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t row_size = split_.size * split_.inner;
    T* out = memory.out<T>(0);
    std::fill(out + begin * row_size, out + end * row_size, off_);
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = 0; i < split_.inner; ++i) {
        const int64_t index = memory.in<Index>(0)[r * split_.inner + i];
        if (index >= 0 && index < split_.size) out[r * row_size + index * split_.inner + i] = on_;
      }
    }
  }

 private:
  AxisSplit split_;
  T on_;
  T off_;
};

std::unique_ptr<Kernel> MakeOneHot(const KernelSpec& spec) {
  using Results =
      Types<float, double, bfloat16, float16, int32_t, int64_t, int8_t, int16_t, uint8_t, bool>;
  return ForDType(Results(), spec.outputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return ForDType(IntegerTypes(), spec.inputs[0].dtype, [&]<typename I>(std::type_identity<I>) {
      return std::make_unique<OneHot<T, I>>(spec);
    });
  });
}
const RegisterKernel kOneHot("OneHot", MakeOneHot);

}  // namespace
}  // namespace lockstep::kernels
