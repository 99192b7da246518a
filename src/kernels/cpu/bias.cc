// BiasAdd and BiasAddGrad.

#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/widened.h"

namespace lockstep::kernels {
namespace {

template <typename T>
class BiasAddKernel : public Kernel {
 public:
  explicit BiasAddKernel(const KernelSpec& spec)
      : rows_(spec.outputs[0].shape[0]),
        channels_(spec.inputs[1].shape[0]),
        inner_(spec.outputs[0].shape.product(1, spec.outputs[0].shape.rank() - 1)) {}

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return static_cast<double>(inner_ * channels_); }

  __attribute__((optimize("O3"))) void Run(const KernelMemory& memory, int64_t begin,
                                           int64_t end) const override {
    const T* __restrict value = memory.in<T>(0);
    const T* __restrict bias = memory.in<T>(1);
    T* __restrict sum = memory.out<T>(0);
    for (int64_t row = begin * inner_; row < end * inner_; ++row) {
      const int64_t first = row * channels_;
      for (int64_t c = 0; c < channels_; ++c) sum[first + c] = value[first + c] + bias[c];
    }
  }

 private:
  int64_t rows_, channels_, inner_;
};

std::unique_ptr<Kernel> MakeBiasAdd(const KernelSpec& spec) {
  switch (spec.inputs[0].dtype) {
    case DType::kFloat32:
      return std::make_unique<BiasAddKernel<float>>(spec);
    case DType::kFloat64:
      return std::make_unique<BiasAddKernel<double>>(spec);
    case DType::kInt32:  // unsigned, because integers wrap around
      return std::make_unique<BiasAddKernel<uint32_t>>(spec);
    case DType::kInt64:
      return std::make_unique<BiasAddKernel<uint64_t>>(spec);
    case DType::kBFloat16:
    case DType::kFloat16:
      return MakeWidened(spec, MakeBiasAdd);
    default:
      return nullptr;
  }
}

// The sum of g over all axes but the last; a row is a channel.
template <typename T>
class BiasAddGradKernel : public Kernel {
 public:
  explicit BiasAddGradKernel(const KernelSpec& spec)
      : channels_(spec.outputs[0].shape[0]),
        summed_(spec.inputs[0].shape.product(0, spec.inputs[0].shape.rank() - 1)),
        leaves_(LeavesOf(spec.leaves, summed_)) {}

  int64_t rows() const override { return channels_; }
  int64_t row_grain() const override { return 64; }
  double cost_per_row() const override { return static_cast<double>(summed_); }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    LeafSumRows(memory.in<T>(0), channels_, leaves_, memory.out<T>(0), begin, end);
  }

 private:
  int64_t channels_, summed_;
  LeafTable leaves_;
};

const RegisterKernel kBiasAdd("BiasAdd", MakeBiasAdd);
const RegisterKernel kBiasAddGrad("BiasAddGrad", MakeForFloats<BiasAddGradKernel>);

}  // namespace
}  // namespace lockstep::kernels
