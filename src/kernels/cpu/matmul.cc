// MatMul, _FusedMatMul and _ScaledMatMul: products of two matrices.

#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/matrix_rows.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/sparse_product.h"
#include "kernels/cpu/widened.h"

namespace lockstep::kernels {
namespace {

// Fewer rows than this fill no tile.
constexpr int64_t kRowGrain = 8;
// A matrix of so many elements is packed for a call, which pays when this many rows use it.
constexpr int64_t kLargeMatrix = int64_t{1} << 14;
constexpr int64_t kRowsOfPackedProduct = 64;
// Gradients of so many examples are packed for a call too, and are better read once.
constexpr int64_t kManyExamples = 512;

MatrixGeometry GeometryOf(const KernelSpec& spec) {
  MatrixGeometry geometry;
  geometry.transpose_a = spec.attributes.GetOr<bool>("transpose_a", false);
  geometry.transpose_b = spec.attributes.GetOr<bool>("transpose_b", false);
  geometry.rows = spec.outputs[0].shape[0];
  geometry.columns = spec.outputs[0].shape[1];
  geometry.depth = spec.inputs[0].shape[geometry.transpose_a ? 0 : 1];
  return geometry;
}

template <typename T>
class MatMulKernel : public Kernel {
 public:
  explicit MatMulKernel(const KernelSpec& spec) : geometry_(GeometryOf(spec)) {
    const std::string fused = spec.attributes.GetOr<std::string>("fused_ops", "");
    bias_ = !fused.empty();
    relu_ = fused == "bias,relu";
  }

  int64_t rows() const override { return geometry_.rows; }
  int64_t row_grain() const override { return kRowGrain; }
  int64_t min_rows() const override {
    return geometry_.depth * geometry_.columns >= kLargeMatrix ? kRowsOfPackedProduct : 0;
  }
  uint32_t aligned_inputs() const override { return geometry_.transpose_a ? 0 : 1; }
  double cost_per_row() const override { return geometry_.CostPerRow(); }
  bool asks_for_rows() const override { return std::is_same_v<T, float> && depth() > 0; }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if constexpr (std::is_same_v<T, float>) {
      if (depth() > 0) {
        const ProductArguments<T> product = Part(memory, 0, geometry_.depth);
        const Factor<T> a = {product.a, product.a_stride};
        SparseFactor factor;
        if (factor.Find(product, a, begin, end))
          return SparseProduct(product, a, factor, begin, end);
      }
    }
    MultiplyRows(geometry_, memory.in<T>(0), memory.in<T>(1), bias_ ? memory.in<T>(2) : nullptr,
                 relu_, memory.out<T>(0), begin, end);
  }

  int64_t depth() const override {
    const bool plain = !geometry_.transpose_a && !geometry_.transpose_b;
    return plain && std::is_floating_point_v<T> ? geometry_.depth : 0;
  }
  void RunDepth(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                int64_t to) const override {
    if constexpr (std::is_floating_point_v<T>) {
      const ProductArguments<T> product = Part(memory, from, to);
      if constexpr (std::is_same_v<T, float>) {
        ProductOf<float>(product, {product.a, product.a_stride}, FactorOfThread(begin), begin, end);
      } else {
        Product(product, begin, end);
      }
    }
  }

 protected:
  // What calls for rows before `begin` found out; from row 0 on it is found out anew.
  static SparseFactor& FactorOfThread(int64_t begin) {
    auto& factor = *ThreadScratch<SparseFactor>(ScratchUse::kSparseFactor, 1);
    if (begin == 0) factor = SparseFactor();
    return factor;
  }

  // The steps [from, to) of the chains.
  ProductArguments<T> Part(const KernelMemory& memory, int64_t from, int64_t to) const {
    ProductArguments<T> product;
    product.rows = geometry_.rows;
    product.columns = geometry_.columns;
    product.depth = to - from;
    product.a = memory.in<T>(0) + from;
    product.a_stride = geometry_.depth;
    product.b = memory.in<T>(1) + from * geometry_.columns;
    product.b_stride = geometry_.columns;
    product.c = memory.out<T>(0);
    product.c_stride = geometry_.columns;
    const bool last = to == geometry_.depth;
    product.bias = last && bias_ ? memory.in<T>(2) : nullptr;
    product.relu = last && relu_;
    product.accumulate = from > 0;
    if (from == 0 && last) product.b_rows = memory.rows;
    return product;
  }

 private:
  MatrixGeometry geometry_;
  bool bias_, relu_;
};

// A product whose left factor has bytes, each of which stands for the byte times a scalar.
class ScaledMatMulKernel : public MatMulKernel<float> {
 public:
  explicit ScaledMatMulKernel(const KernelSpec& spec)
      : MatMulKernel(spec), scale_(static_cast<int>(spec.inputs.size()) - 1) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    SparseFactor factor;
    Carry(memory, factor, begin, end, 0, depth());
  }
  void RunDepth(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                int64_t to) const override {
    Carry(memory, FactorOfThread(begin), begin, end, from, to);
  }

 private:
  void Carry(const KernelMemory& memory, SparseFactor& factor, int64_t begin, int64_t end,
             int64_t from, int64_t to) const {
    const ByteNumbers numbers(*memory.in<float>(scale_));
    ProductOf<uint8_t>(Part(memory, from, to), {memory.in<uint8_t>(0) + from, depth(), &numbers},
                       factor, begin, end);
  }

  int scale_;
};

// A transposed times B, summed over the leaves of the rows that both have.
template <typename T>
class LeafMatMulKernel : public Kernel {
 public:
  explicit LeafMatMulKernel(const KernelSpec& spec)
      : geometry_(GeometryOf(spec)), leaves_(LeavesOf(spec.leaves, geometry_.depth)) {}

  int64_t rows() const override { return geometry_.rows; }
  int64_t row_grain() const override { return kRowGrain; }
  int64_t min_rows() const override {
    return geometry_.depth >= kManyExamples ? kRowsOfPackedProduct : 0;
  }
  double cost_per_row() const override { return geometry_.CostPerRow(); }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    LeafProductArguments<T> product;
    product.rows = geometry_.rows;
    product.columns = geometry_.columns;
    product.a = memory.in<T>(0);
    product.a_stride = geometry_.rows;
    product.g = memory.in<T>(1);
    product.g_stride = geometry_.columns;
    product.c = memory.out<T>(0);
    product.c_stride = geometry_.columns;
    product.offsets = leaves_;
    LeafProduct(product, begin, end);
  }

 private:
  MatrixGeometry geometry_;
  LeafTable leaves_;
};

template <typename T>
std::unique_ptr<Kernel> MakeFloating(const KernelSpec& spec) {
  const MatrixGeometry geometry = GeometryOf(spec);
  if (geometry.transpose_a && !geometry.transpose_b && spec.inputs.size() == 2) {
    return std::make_unique<LeafMatMulKernel<T>>(spec);
  }
  return std::make_unique<MatMulKernel<T>>(spec);
}

std::unique_ptr<Kernel> MakeMatMul(const KernelSpec& spec) {
  const DType dtype = spec.inputs[0].dtype;
  if (IsHalf(dtype)) return MakeWidened(spec, MakeMatMul);
  if (dtype == DType::kFloat32) return MakeFloating<float>(spec);
  if (dtype == DType::kFloat64) return MakeFloating<double>(spec);
  if (spec.inputs.size() > 2) return nullptr;
  if (dtype == DType::kInt32) return std::make_unique<MatMulKernel<int32_t>>(spec);
  if (dtype == DType::kInt64) return std::make_unique<MatMulKernel<int64_t>>(spec);
  return nullptr;
}

const RegisterKernel kScaledMatMul("_ScaledMatMul",
                                   [](const KernelSpec& spec) -> std::unique_ptr<Kernel> {
                                     return std::make_unique<ScaledMatMulKernel>(spec);
                                   });
const RegisterKernel kMatMul("MatMul", MakeMatMul);
const RegisterKernel kFusedMatMul("_FusedMatMul", MakeMatMul);

}  // namespace
}  // namespace lockstep::kernels
