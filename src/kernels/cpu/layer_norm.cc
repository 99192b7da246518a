// LayerNorm, LayerNormGrad and LayerNormScaleGrad.

#include "kernels/cpu/layer_norm_rows.h"
#include "kernels/cpu/leading_rows.h"
#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/widened.h"
#include "kernels/leaf_tree.h"

namespace lockstep::kernels {
namespace {

// About how many operations an element takes.
constexpr double kCostPerElement = 10;

template <typename T>
class VectorsKernel : public Kernel {
 public:
  VectorsKernel(const KernelSpec& spec, uint32_t aligned)
      : rows_(LeadingRows(spec.inputs[0].shape)),
        columns_(spec.inputs[0].shape.dim(-1)),
        vectors_(spec.inputs[0].shape.product(0, spec.inputs[0].shape.rank() - 1)),
        aligned_(aligned) {}

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override {
    return kCostPerElement * static_cast<double>(columns_ * VectorsOf(1));
  }

 protected:
  // How many vectors there are in `rows` rows.
  int64_t VectorsOf(int64_t rows) const { return rows_ == 0 ? 0 : vectors_ / rows_ * rows; }

  int64_t rows_, columns_, vectors_;
  uint32_t aligned_;
};

// Inputs x, scale, offset; outputs y, mean, inverse.
template <typename T>
class LayerNormKernel : public VectorsKernel<T> {
 public:
  explicit LayerNormKernel(const KernelSpec& spec)
      : VectorsKernel<T>(spec, 0b001),
        epsilon_(static_cast<T>(spec.attributes.Get<double>("epsilon"))) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    LayerNormArguments<T> arguments;
    arguments.x = memory.in<T>(0);
    arguments.scale = memory.in<T>(1);
    arguments.offset = memory.in<T>(2);
    arguments.result = memory.out<T>(0);
    arguments.mean = memory.out<T>(1);
    arguments.inverse = memory.out<T>(2);
    arguments.columns = this->columns_;
    arguments.epsilon = epsilon_;
    LayerNormRows(arguments, this->VectorsOf(begin), this->VectorsOf(end));
  }

 private:
  T epsilon_;
};

// Inputs x, scale, mean, inverse, y's gradient; output x's gradient.
template <typename T>
class LayerNormGradKernel : public VectorsKernel<T> {
 public:
  explicit LayerNormGradKernel(const KernelSpec& spec) : VectorsKernel<T>(spec, 0b11101) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    LayerNormArguments<T> arguments;
    arguments.x = memory.in<T>(0);
    arguments.scale = memory.in<T>(1);
    arguments.mean = const_cast<T*>(memory.in<T>(2));
    arguments.inverse = const_cast<T*>(memory.in<T>(3));
    arguments.gradient = memory.in<T>(4);
    arguments.result = memory.out<T>(0);
    arguments.columns = this->columns_;
    LayerNormGradRows(arguments, this->VectorsOf(begin), this->VectorsOf(end));
  }
};

// sum = (or with `add`, +=) g (x - mean) inverse, for one vector.
template <typename T>
__attribute__((optimize("O3"))) void Accumulate(const T* __restrict x, const T* __restrict g,
                                                T mean, T inverse, int64_t count, bool add,
                                                T* __restrict sum) {
  if (add) {
    for (int64_t c = 0; c < count; ++c) sum[c] += g[c] * ((x[c] - mean) * inverse);
  } else {
    for (int64_t c = 0; c < count; ++c) sum[c] = g[c] * ((x[c] - mean) * inverse);
  }
}

// Inputs x, mean, inverse, y's gradient; output the scale's gradient. Inside a leaf a chain over
// the vectors, from the first one's; the leaves by the tree. A row is a column.
template <typename T>
class LayerNormScaleGradKernel : public Kernel {
 public:
  explicit LayerNormScaleGradKernel(const KernelSpec& spec)
      : columns_(spec.outputs[0].shape[0]),
        vectors_(spec.inputs[0].shape.product(0, spec.inputs[0].shape.rank() - 1)),
        leaves_(LeavesOf(spec.leaves, vectors_)) {}

  int64_t rows() const override { return columns_; }
  int64_t row_grain() const override { return 16; }
  double cost_per_row() const override { return 4.0 * static_cast<double>(vectors_); }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t count = end - begin;
    const int64_t buffers = LeafTree<T>::BuffersNeeded(static_cast<int64_t>(leaves_.size()) - 1);
    LeafTree<T> fold(ThreadScratch<T>(ScratchUse::kLeafSums, buffers * count), count);
    for (size_t leaf = 0; leaf + 1 < leaves_.size(); ++leaf) {
      T* sum = fold.Next();
      for (int64_t v = leaves_[leaf]; v < leaves_[leaf + 1]; ++v) {
        const int64_t offset = v * columns_ + begin;
        Accumulate(memory.in<T>(0) + offset, memory.in<T>(3) + offset, memory.in<T>(1)[v],
                   memory.in<T>(2)[v], count, v > leaves_[leaf], sum);
      }
      fold.Push(leaves_[leaf + 1] > leaves_[leaf]);
    }
    const T* sum = fold.Finish();
    for (int64_t c = 0; c < count; ++c) memory.out<T>(0)[begin + c] = sum == nullptr ? 0 : sum[c];
  }

 private:
  int64_t columns_, vectors_;
  LeafTable leaves_;
};

const RegisterKernel kLayerNorm("LayerNorm", MakeForFloats<LayerNormKernel>);
const RegisterKernel kLayerNormGrad("LayerNormGrad", MakeForFloats<LayerNormGradKernel>);
const RegisterKernel kScaleGrad("LayerNormScaleGrad", MakeForFloats<LayerNormScaleGradKernel>);

}  // namespace
}  // namespace lockstep::kernels
