// BatchMatMulV2: many products of two matrices; the leading axes broadcast.

#include <algorithm>

#include "kernels/cpu/matrix_rows.h"
#include "kernels/cpu/widened.h"

namespace lockstep::kernels {
namespace {

// With so many rows of axis 0 a division along it is fine enough.
constexpr int64_t kEnoughRows = 8;

// For each matrix of the result, which matrix of the input it takes.
std::vector<int64_t> MatrixIndices(const Shape& input, const Shape& output) {
  const int missing = output.rank() - input.rank();
  const int batch_axes = output.rank() - 2;
  std::vector<int64_t> indices = {0};
  for (int axis = 0; axis < batch_axes; ++axis) {
    const int64_t own = axis < missing ? 1 : input[axis - missing];
    std::vector<int64_t> longer;
    for (const int64_t index : indices) {
      for (int64_t i = 0; i < output[axis]; ++i) longer.push_back(index * own + (own == 1 ? 0 : i));
    }
    indices = std::move(longer);
  }
  return indices;
}

template <typename T>
class BatchMatMulKernel : public Kernel {
 public:
  explicit BatchMatMulKernel(const KernelSpec& spec)
      : a_index_(MatrixIndices(spec.inputs[0].shape, spec.outputs[0].shape)),
        b_index_(MatrixIndices(spec.inputs[1].shape, spec.outputs[0].shape)) {
    const Shape& output = spec.outputs[0].shape;
    geometry_.transpose_a = spec.attributes.GetOr<bool>("adj_x", false);
    geometry_.transpose_b = spec.attributes.GetOr<bool>("adj_y", false);
    geometry_.rows = output.dim(-2);
    geometry_.columns = output.dim(-1);
    geometry_.depth = spec.inputs[0].shape.dim(geometry_.transpose_a ? -2 : -1);
    const int64_t all = static_cast<int64_t>(a_index_.size()) * geometry_.rows;
    const bool by_axis = output.rank() > 2 && output[0] >= kEnoughRows && all > 0;
    rows_ = by_axis ? output[0] : all;
    matrix_rows_ = by_axis ? all / rows_ : 1;
    for (int i = 0; by_axis && i < 2; ++i) {
      const Shape& input = spec.inputs[static_cast<size_t>(i)].shape;
      if (input.rank() == output.rank() && input[0] == output[0]) aligned_ |= 1U << i;
    }
  }

  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override {
    return geometry_.CostPerRow() * static_cast<double>(matrix_rows_);
  }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t a_size = geometry_.rows * geometry_.depth;
    const int64_t b_size = geometry_.depth * geometry_.columns;
    const int64_t c_size = geometry_.rows * geometry_.columns;
    const int64_t last = end * matrix_rows_;
    for (int64_t row = begin * matrix_rows_; row < last;) {
      const int64_t matrix = row / geometry_.rows;
      const int64_t first_row = row % geometry_.rows;
      const int64_t next = std::min(last, (matrix + 1) * geometry_.rows);
      MultiplyRows<T>(geometry_, memory.in<T>(0) + a_index_[matrix] * a_size,
                      memory.in<T>(1) + b_index_[matrix] * b_size, nullptr, false,
                      memory.out<T>(0) + matrix * c_size, first_row, first_row + next - row);
      row = next;
    }
  }

 private:
  MatrixGeometry geometry_;
  std::vector<int64_t> a_index_, b_index_;
  int64_t rows_ = 0;
  int64_t matrix_rows_ = 1;  // rows of result matrices a row
  uint32_t aligned_ = 0;
};

std::unique_ptr<Kernel> MakeBatchMatMul(const KernelSpec& spec) {
  switch (spec.inputs[0].dtype) {
    case DType::kFloat32:
      return std::make_unique<BatchMatMulKernel<float>>(spec);
    case DType::kFloat64:
      return std::make_unique<BatchMatMulKernel<double>>(spec);
    case DType::kInt32:
      return std::make_unique<BatchMatMulKernel<int32_t>>(spec);
    case DType::kInt64:
      return std::make_unique<BatchMatMulKernel<int64_t>>(spec);
    case DType::kBFloat16:
    case DType::kFloat16:
      return MakeWidened(spec, MakeBatchMatMul);
    default:
      return nullptr;
  }
}

const RegisterKernel kBatchMatMul("BatchMatMulV2", MakeBatchMatMul);

}  // namespace
}  // namespace lockstep::kernels
