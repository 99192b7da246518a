// SigmoidCrossEntropyWithLogits, element by element.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sigmoid_cross_entropy.cc"
#include "hwy/foreach_target.h"

#include "kernels/cpu/leading_rows.h"
#include "kernels/cpu/math/activation-inl.h"
#include "kernels/cpu/sixteen-inl.h"
#include "kernels/cpu/widened.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

// max(x, 0) - x z + softplus(-|x|)
template <typename T>
HWY_INLINE void Entropies(const T* logits, const T* labels, int64_t count, T* losses) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < count; i += 16) {
    const Sixteen<T> x = Sixteen<T>::Load(logits + i, count - i, 0);
    const Sixteen<T> z = Sixteen<T>::Load(labels + i, count - i, 0);
    const Sixteen<T> tail =
        Map(x, [d](auto v) HWY_ATTR { return Softplus(d, hn::Neg(hn::Abs(v))); });
    (Maximum(x, Sixteen<T>::Set(0)) - x * z + tail).Store(losses + i, count - i);
  }
}

void EntropiesFloat(const float* x, const float* z, int64_t count, float* losses) {
  Entropies(x, z, count, losses);
}
void EntropiesDouble(const double* x, const double* z, int64_t count, double* losses) {
  Entropies(x, z, count, losses);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
namespace {

HWY_EXPORT(EntropiesFloat);
HWY_EXPORT(EntropiesDouble);

void Compute(const float* x, const float* z, int64_t count, float* losses) {
  HWY_DYNAMIC_DISPATCH(EntropiesFloat)(x, z, count, losses);
}
void Compute(const double* x, const double* z, int64_t count, double* losses) {
  HWY_DYNAMIC_DISPATCH(EntropiesDouble)(x, z, count, losses);
}

template <typename T>
class SigmoidEntropyKernel : public Kernel {
 public:
  explicit SigmoidEntropyKernel(const KernelSpec& spec)
      : rows_(LeadingRows(spec.outputs[0].shape, 0)),
        size_(rows_ == 0 ? 0 : spec.outputs[0].shape.num_elements() / rows_) {}

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 0b11; }
  double cost_per_row() const override { return 30.0 * static_cast<double>(size_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t first = begin * size_;
    Compute(memory.in<T>(0) + first, memory.in<T>(1) + first, (end - begin) * size_,
            memory.out<T>(0) + first);
  }

 private:
  int64_t rows_, size_;
};

const RegisterKernel kEntropy("SigmoidCrossEntropyWithLogits", MakeForFloats<SigmoidEntropyKernel>);

}  // namespace
}  // namespace lockstep::kernels
#endif
