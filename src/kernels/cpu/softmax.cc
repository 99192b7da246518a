// Softmax, LogSoftmax and the two cross entropies on logits.

#include <string>

#include "kernels/cpu/leading_rows.h"
#include "kernels/cpu/softmax_rows.h"
#include "kernels/cpu/widened.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

// About how many operations an exponential takes.
constexpr double kCostPerClass = 12;

template <typename T>
class SoftmaxKernel : public Kernel {
 public:
  SoftmaxKernel(const KernelSpec& spec, bool log)
      : rows_(LeadingRows(spec.outputs[0].shape)),
        columns_(spec.outputs[0].shape.dim(-1)),
        inner_(columns_ == 0 || rows_ == 0
                   ? 0
                   : spec.outputs[0].shape.num_elements() / columns_ / rows_),
        log_(log) {}

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override {
    return kCostPerClass * static_cast<double>(inner_ * columns_);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t offset = begin * inner_ * columns_;
    SoftmaxRows(memory.in<T>(0) + offset, (end - begin) * inner_, columns_, log_,
                memory.out<T>(0) + offset);
  }

 private:
  int64_t rows_, columns_, inner_;
  bool log_;
};

std::unique_ptr<Kernel> MakeSoftmax(const KernelSpec& spec) {
  const DType dtype = spec.inputs[0].dtype;
  const bool log = spec.op.name == "LogSoftmax";
  if (IsHalf(dtype)) return MakeWidened(spec, MakeSoftmax);
  if (dtype == DType::kFloat32) return std::make_unique<SoftmaxKernel<float>>(spec, log);
  if (dtype == DType::kFloat64) return std::make_unique<SoftmaxKernel<double>>(spec, log);
  return nullptr;
}

// Inputs logits [rows, classes] and labels; outputs loss [rows] and the logits' gradient.
template <typename T>
class CrossEntropyKernel : public Kernel {
 public:
  explicit CrossEntropyKernel(const KernelSpec& spec)
      : rows_(spec.inputs[0].shape[0]), columns_(spec.inputs[0].shape[1]) {}

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 0b11; }
  double cost_per_row() const override { return kCostPerClass * static_cast<double>(columns_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t offset = begin * columns_;
    CrossEntropyRows(memory.in<T>(0) + offset, memory.in<T>(1) + offset, end - begin, columns_,
                     memory.out<T>(0) + begin, memory.out<T>(1) + offset);
  }

 protected:
  int64_t rows_, columns_;
};

template <typename T, typename Label>
class SparseCrossEntropyKernel : public CrossEntropyKernel<T> {
 public:
  using CrossEntropyKernel<T>::CrossEntropyKernel;
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const Label* labels = memory.in<Label>(1);
    for (int64_t row = begin; row < end; ++row) RequireInRange(labels[row], row);
    const int64_t offset = begin * this->columns_;
    SparseCrossEntropyRows(memory.in<T>(0) + offset, labels + begin, end - begin, this->columns_,
                           memory.out<T>(0) + begin, memory.out<T>(1) + offset);
  }

 private:
  void RequireInRange(Label label, int64_t row) const {
    if (label >= 0 && label < this->columns_) return;
    throw Error(Code::kInvalidArgument,
                "[SparseSoftmaxCrossEntropyWithLogits] a label must lie in [0, " +
                    std::to_string(this->columns_) + "); got " + std::to_string(label) +
                    " (example " + std::to_string(row) + ", " + std::to_string(this->columns_) +
                    " classes); check the labels or the width of the last layer");
  }
};

template <typename T>
std::unique_ptr<Kernel> MakeSparse(const KernelSpec& spec) {
  if (spec.inputs[1].dtype == DType::kInt32) {
    return std::make_unique<SparseCrossEntropyKernel<T, int32_t>>(spec);
  }
  return std::make_unique<SparseCrossEntropyKernel<T, int64_t>>(spec);
}

std::unique_ptr<Kernel> MakeSparseCrossEntropy(const KernelSpec& spec) {
  const DType dtype = spec.inputs[0].dtype;
  if (IsHalf(dtype)) return MakeWidened(spec, MakeSparseCrossEntropy);
  if (dtype == DType::kFloat32) return MakeSparse<float>(spec);
  if (dtype == DType::kFloat64) return MakeSparse<double>(spec);
  return nullptr;
}

const RegisterKernel kSoftmax("Softmax", MakeSoftmax);
const RegisterKernel kLogSoftmax("LogSoftmax", MakeSoftmax);
const RegisterKernel kCrossEntropy("SoftmaxCrossEntropyWithLogits",
                                   MakeForFloats<CrossEntropyKernel>);
const RegisterKernel kSparseCrossEntropy("SparseSoftmaxCrossEntropyWithLogits",
                                         MakeSparseCrossEntropy);
const RegisterFailure kSparseFails("SparseSoftmaxCrossEntropyWithLogits", Failure::kAlways);

}  // namespace
}  // namespace lockstep::kernels
