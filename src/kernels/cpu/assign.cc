// Writing variables in place, row by row, and sums of several tensors.

#include <cstring>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/widen.h"

namespace lockstep::kernels {
namespace {

class Assign : public Kernel {
 public:
  explicit Assign(const KernelSpec& spec) {
    const Shape& shape = spec.inputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_bytes_ =
        (shape.rank() > 0 ? shape.product(1, shape.rank()) : 1) * DTypeSize(spec.inputs[0].dtype);
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 0b11; }
  double cost_per_row() const override { return row_bytes_ / 8.0; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (end <= begin || row_bytes_ == 0) return;
    std::memcpy(memory.resource<char>(0) + begin * row_bytes_,
                memory.in<char>(1) + begin * row_bytes_, (end - begin) * row_bytes_);
  }

 private:
  int64_t rows_;
  size_t row_bytes_;
};

class AssignStrings : public Kernel {
 public:
  explicit AssignStrings(const KernelSpec& spec) : count_(spec.inputs[0].shape.num_elements()) {}
  void Run(const KernelMemory& memory, int64_t, int64_t) const override {
    const auto* from = memory.in<std::string>(1);
    std::copy(from, from + count_, memory.resource<std::string>(0));
  }

 private:
  int64_t count_;
};

std::unique_ptr<Kernel> MakeAssign(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return std::make_unique<AssignStrings>(spec);
  return std::make_unique<Assign>(spec);
}

class CompareAndAssign : public Kernel {
 public:
  explicit CompareAndAssign(const KernelSpec& spec)
      : bytes_(spec.inputs[0].shape.num_elements() * DTypeSize(spec.inputs[0].dtype)) {}
  double cost_per_row() const override { return bytes_ / 4.0; }
  void Run(const KernelMemory& memory, int64_t, int64_t) const override {
    char* value = memory.resource<char>(0);
    const bool equal = std::memcmp(value, memory.in<char>(1), bytes_) == 0;
    if (equal) std::memcpy(value, memory.in<char>(2), bytes_);
    *memory.out<bool>(0) = equal;
  }

 private:
  size_t bytes_;
};

std::unique_ptr<Kernel> MakeCompareAndAssign(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  return std::make_unique<CompareAndAssign>(spec);
}

template <typename T, bool kSubtract>
LOCKSTEP_VECTOR_LOOPS void Accumulate(void* sum, const void* delta, int64_t count) {
  using W = Wrapping<T>;
  T* to = static_cast<T*>(sum);
  const T* from = static_cast<const T*>(delta);
  for (int64_t i = 0; i < count; ++i) {
    const W a = static_cast<W>(to[i]), b = static_cast<W>(from[i]);
    to[i] = static_cast<T>(kSubtract ? a - b : a + b);
  }
}

using AccumulateLoop = void (*)(void*, const void*, int64_t);

template <bool kSubtract>
AccumulateLoop ChooseAccumulate(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kBFloat16:
    case DType::kFloat16:
      return Accumulate<float, kSubtract>;
    case DType::kFloat64:
      return Accumulate<double, kSubtract>;
    case DType::kInt8:
      return Accumulate<int8_t, kSubtract>;
    case DType::kInt16:
      return Accumulate<int16_t, kSubtract>;
    case DType::kInt32:
      return Accumulate<int32_t, kSubtract>;
    case DType::kInt64:
      return Accumulate<int64_t, kSubtract>;
    case DType::kUInt8:
      return Accumulate<uint8_t, kSubtract>;
    default:
      return nullptr;
  }
}

// Rows of equally shaped tensors, in pieces that stay in the first level of the cache.
class Accumulation : public Kernel {
 public:
  static constexpr int64_t kPiece = 1024;

  Accumulation(const ops::TensorType& type, AccumulateLoop loop)
      : loop_(loop), dtype_(type.dtype), size_(DTypeSize(type.dtype)) {
    const Shape& shape = type.shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_elements_ = shape.rank() > 0 ? shape.product(1, shape.rank()) : 1;
  }
  int64_t rows() const override { return rows_; }
  int64_t row_grain() const override { return row_elements_ == 1 ? 16 : 1; }

 protected:
  bool narrow() const { return IsHalf(dtype_); }
  // Calls piece(first, count) for the elements of rows [begin, end).
  template <typename Piece>
  void ForEachPiece(int64_t begin, int64_t end, const Piece& piece) const {
    const int64_t last = end * row_elements_;
    for (int64_t first = begin * row_elements_; first < last; first += kPiece) {
      piece(first, std::min(kPiece, last - first));
    }
  }

  AccumulateLoop loop_;
  DType dtype_;
  int64_t size_;
  int64_t rows_;
  int64_t row_elements_;
};

class AssignAccumulate : public Accumulation {
 public:
  using Accumulation::Accumulation;
  uint32_t aligned_inputs() const override { return 0b11; }
  double cost_per_row() const override { return row_elements_; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    char* value = memory.resource<char>(0);
    const char* delta = memory.in<char>(1);
    ForEachPiece(begin, end, [&](int64_t first, int64_t count) {
      char* to = value + first * size_;
      if (!narrow()) return loop_(to, delta + first * size_, count);
      alignas(64) float sum[kPiece];
      alignas(64) float wide[kPiece];
      Widen(dtype_, to, sum, count);
      Widen(dtype_, delta + first * size_, wide, count);
      loop_(sum, wide, count);
      Narrow(dtype_, sum, to, count);
    });
  }
};

template <bool kSubtract>
std::unique_ptr<Kernel> MakeAssignAccumulate(const KernelSpec& spec) {
  const AccumulateLoop loop = ChooseAccumulate<kSubtract>(spec.inputs[0].dtype);
  if (loop == nullptr) return nullptr;
  return std::make_unique<AssignAccumulate>(spec.inputs[0], loop);
}

// ((x0 + x1) + x2) + ...; halves are rounded once, at the end.
class AddN : public Accumulation {
 public:
  AddN(const ops::TensorType& type, AccumulateLoop loop, int inputs)
      : Accumulation(type, loop), inputs_(inputs) {}
  uint32_t aligned_inputs() const override { return inputs_ >= 32 ? ~0u : (1u << inputs_) - 1; }
  double cost_per_row() const override { return static_cast<double>(row_elements_) * inputs_; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    char* out = memory.out<char>(0);
    ForEachPiece(begin, end, [&](int64_t first, int64_t count) {
      const int64_t offset = first * size_;
      if (narrow()) return AddNarrow(memory, offset, count);
      std::memcpy(out + offset, memory.in<char>(0) + offset, count * size_);
      for (int i = 1; i < inputs_; ++i) loop_(out + offset, memory.in<char>(i) + offset, count);
    });
  }

 private:
  void AddNarrow(const KernelMemory& memory, int64_t offset, int64_t count) const {
    alignas(64) float sum[kPiece];
    alignas(64) float wide[kPiece];
    Widen(dtype_, memory.in<char>(0) + offset, sum, count);
    for (int i = 1; i < inputs_; ++i) {
      Widen(dtype_, memory.in<char>(i) + offset, wide, count);
      loop_(sum, wide, count);
    }
    Narrow(dtype_, sum, memory.out<char>(0) + offset, count);
  }

  const int inputs_;
};

std::unique_ptr<Kernel> MakeAddN(const KernelSpec& spec) {
  const AccumulateLoop loop = ChooseAccumulate<false>(spec.inputs[0].dtype);
  if (loop == nullptr) return nullptr;
  return std::make_unique<AddN>(spec.inputs[0], loop, static_cast<int>(spec.inputs.size()));
}

const RegisterKernel kCompareAndAssign("CompareAndAssignVariableOp", MakeCompareAndAssign);
const RegisterKernel kAssign("AssignVariableOp", MakeAssign);
const RegisterKernel kAssignAdd("AssignAddVariableOp", MakeAssignAccumulate<false>);
const RegisterKernel kAssignSub("AssignSubVariableOp", MakeAssignAccumulate<true>);
const RegisterKernel kAddN("AddN", MakeAddN);

}  // namespace
}  // namespace lockstep::kernels
