// ArgMax and ArgMin: the first place of an extreme value along an axis.

#include <functional>

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce_operators.h"

namespace lockstep::kernels {
namespace {

template <typename T, typename Out, typename Better>
class ArgExtreme : public Kernel {
 public:
  explicit ArgExtreme(const KernelSpec& spec)
      : split_(spec.inputs[0].shape, static_cast<int>(spec.attributes.Get<int64_t>("axis"))) {}
  int64_t rows() const override { return split_.inner == 0 ? 0 : split_.outer; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override {
    return 2 * static_cast<double>(split_.size * split_.inner);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t r = begin; r < end; ++r) {
      const T* x = memory.in<T>(0) + r * split_.size * split_.inner;
      Out* out = memory.out<Out>(0) + r * split_.inner;
      for (int64_t i = 0; i < split_.inner; ++i) out[i] = First(x + i);
    }
  }

 private:
  Out First(const T* x) const {
    auto best = static_cast<CompareType<T>>(x[0]);
    int64_t place = 0;
    for (int64_t k = 1; k < split_.size; ++k) {
      const auto value = static_cast<CompareType<T>>(x[k * split_.inner]);
      if (Better()(value, best)) {
        best = value;
        place = k;
      }
    }
    return static_cast<Out>(place);
  }

  AxisSplit split_;
};

template <template <typename> typename Better>
std::unique_ptr<Kernel> MakeArg(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return ForDType(IndexTypes(), spec.outputs[0].dtype, [&]<typename O>(std::type_identity<O>) {
      return std::make_unique<ArgExtreme<T, O, Better<CompareType<T>>>>(spec);
    });
  });
}
const RegisterKernel kArgMax("ArgMax", MakeArg<std::greater>);
const RegisterKernel kArgMin("ArgMin", MakeArg<std::less>);

}  // namespace
}  // namespace lockstep::kernels
