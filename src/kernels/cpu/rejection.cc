// Gamma, Poisson and binomial numbers: one task makes all of a tensor.

#include <memory>
#include <string>

#include "kernels/cpu/for_dtype.h"
#include "random/generator.h"
#include "random/rejection.h"

namespace lockstep::kernels {
namespace {

random::Stream RejectionStream(const ops::TensorType& type, const void* seed) {
  const auto word = [&](int i) {
    return type.dtype == DType::kInt64 ? static_cast<const int64_t*>(seed)[i]
                                       : int64_t{static_cast<const int32_t*>(seed)[i]};
  };
  if (type.shape[0] == 3) return random::GeneratorState{{word(0), word(1), word(2)}}.stream();
  return random::StatelessStream(word(0), word(1));
}

class Rejection : public Kernel {
 public:
  explicit Rejection(const KernelSpec& spec)
      : op_(spec.op.name),
        seed_(spec.inputs[0]),
        parameters_(spec.inputs[1].shape[0]),
        size_(spec.outputs[0].shape.num_elements()),
        highest_(spec.attributes.GetOr<double>("highest", 0)) {}
  int64_t rows() const override { return 1; }
  double cost_per_row() const override { return 200.0 * static_cast<double>(size_); }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (end <= begin || size_ == 0) return;
    const random::Stream stream = RejectionStream(seed_, memory.inputs[0]);
    const std::span<double> out(memory.out<double>(0), size_);
    const auto input = [&](int i) {
      return std::span<const double>(static_cast<const double*>(memory.inputs[i]), parameters_);
    };
    if (op_ == "StatelessRandomGamma") {
      random::FillGamma(stream, input(1), out);
    } else if (op_ == "StatelessRandomPoisson") {
      random::FillPoisson(stream, input(1), highest_, out);
    } else {
      random::FillBinomial(stream, input(1), input(2), out);
    }
  }

 private:
  const std::string op_;
  const ops::TensorType seed_;
  const size_t parameters_;
  const size_t size_;
  const double highest_;
};

std::unique_ptr<Kernel> MakeRejection(const KernelSpec& spec) {
  return std::make_unique<Rejection>(spec);
}

const RegisterKernel kGamma("StatelessRandomGamma", MakeRejection);
const RegisterKernel kPoisson("StatelessRandomPoisson", MakeRejection);
const RegisterKernel kBinomial("StatelessRandomBinomial", MakeRejection);

}  // namespace
}  // namespace lockstep::kernels
