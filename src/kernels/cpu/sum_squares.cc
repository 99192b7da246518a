// Sums of squares: over axes, and over a whole variable by tiles of 4096 elements and their tree.

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/reduce_operators.h"

namespace lockstep::kernels {
namespace {

std::unique_ptr<Kernel> MakeSumSquares(const KernelSpec& spec) {
  return ForDType(FloatingTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<ReduceKernel<T, SumSquaresOperator<T>, T>>(spec);
  });
}
const RegisterKernel kSumSquares("SumSquares", MakeSumSquares);

template <typename T>
class TileSumSquares : public Kernel {
 public:
  explicit TileSumSquares(const KernelSpec& spec)
      : count_(spec.inputs[0].shape.num_elements()), tiles_(spec.outputs[0].shape[0]) {}
  int64_t rows() const override { return tiles_; }
  double cost_per_row() const override { return 2 * static_cast<double>(kReduceTile); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t first = tile * kReduceTile;
      memory.out<T>(0)[tile] = static_cast<T>(ReduceTile<SumSquaresOperator<T>>(
          memory.in<T>(0) + first, std::min(kReduceTile, count_ - first)));
    }
  }

 private:
  int64_t count_;
  int64_t tiles_;
};

std::unique_ptr<Kernel> MakeTileSumSquares(const KernelSpec& spec) {
  return ForDType(FloatingTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<TileSumSquares<T>>(spec);
  });
}
const RegisterKernel kTileSumSquares("TileSumSquares", MakeTileSumSquares);

template <typename T>
class TreeSum : public Kernel {
 public:
  explicit TreeSum(const KernelSpec& spec) : count_(spec.inputs[0].shape[0]) {}
  double cost_per_row() const override { return static_cast<double>(count_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (begin >= end) return;
    using Sum = SumType<T>;
    Sum levels[64];
    LeafTree<Sum> tree(levels, 1);
    for (int64_t i = 0; i < count_; ++i) {
      *tree.Next() = static_cast<Sum>(memory.in<T>(0)[i]);
      tree.Push(true);
    }
    memory.out<T>(0)[0] = count_ == 0 ? T() : static_cast<T>(*tree.Finish());
  }

 private:
  int64_t count_;
};

std::unique_ptr<Kernel> MakeTreeSum(const KernelSpec& spec) {
  return ForDType(FloatingTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<TreeSum<T>>(spec);
  });
}
const RegisterKernel kTreeSum("TreeSum", MakeTreeSum);

}  // namespace
}  // namespace lockstep::kernels
