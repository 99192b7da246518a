// Copies that repeat, and tensors of one value.

#include <cstring>

#include "kernels/copy.h"
#include "kernels/cpu/broadcast_walk.h"
#include "kernels/cpu/elementwise.h"

namespace lockstep::kernels {
namespace {

template <typename T>
LOCKSTEP_VECTOR_LOOPS void Repeat(T value, T* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = value;
}

template <typename T>
class Broadcast : public Kernel {
 public:
  explicit Broadcast(const KernelSpec& spec)
      : walk_(spec.outputs[0].shape, std::span(&spec.inputs[0].shape, 1)) {}
  int64_t rows() const override { return walk_.rows(); }
  int64_t row_grain() const override { return walk_.elements_per_row() == 1 ? 64 / sizeof(T) : 1; }
  uint32_t aligned_inputs() const override { return walk_.aligned_inputs(); }
  double cost_per_row() const override { return walk_.elements_per_row() * 0.5; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const T* x = memory.in<T>(0);
    T* out = memory.out<T>(0);
    const bool stays = walk_.stays(0);
    walk_.ForEachRun(begin, end, [&](int64_t to, const auto& from, int64_t count) {
      if (stays) {
        Repeat(x[from[0]], out + to, count);
      } else {
        std::memcpy(out + to, x + from[0], count * sizeof(T));
      }
    });
  }

 private:
  const BroadcastWalk walk_;
};

std::unique_ptr<Kernel> MakeBroadcast(const KernelSpec& spec) {
  if (spec.outputs[0].dtype == DType::kString) return nullptr;
  if (spec.inputs[0].shape == spec.outputs[0].shape) return MakeCopy(spec);
  switch (DTypeSize(spec.outputs[0].dtype)) {
    case 1:
      return std::make_unique<Broadcast<uint8_t>>(spec);
    case 2:
      return std::make_unique<Broadcast<uint16_t>>(spec);
    case 4:
      return std::make_unique<Broadcast<uint32_t>>(spec);
    case 8:
      return std::make_unique<Broadcast<uint64_t>>(spec);
    default:
      return nullptr;
  }
}

const RegisterKernel kBroadcastTo("BroadcastTo", MakeBroadcast);
const RegisterKernel kBroadcastLike("BroadcastLike", MakeBroadcast);
const RegisterKernel kFill("Fill", MakeBroadcast);

// Writes one bit pattern everywhere; its input counts for its shape alone.
class Constant : public Kernel {
 public:
  Constant(const KernelSpec& spec, uint64_t pattern)
      : size_(DTypeSize(spec.outputs[0].dtype)), pattern_(pattern) {
    const Shape& shape = spec.outputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_elements_ = shape.rank() > 0 ? shape.product(1, shape.rank()) : 1;
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return row_elements_ * 0.5; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    char* out = memory.out<char>(0) + begin * row_elements_ * size_;
    const int64_t count = (end - begin) * row_elements_;
    if (pattern_ == 0 || size_ == 1) {
      if (count > 0) std::memset(out, static_cast<int>(pattern_), count * size_);
    } else if (size_ == 2) {
      Repeat(static_cast<uint16_t>(pattern_), reinterpret_cast<uint16_t*>(out), count);
    } else if (size_ == 4) {
      Repeat(static_cast<uint32_t>(pattern_), reinterpret_cast<uint32_t*>(out), count);
    } else {
      Repeat(pattern_, reinterpret_cast<uint64_t*>(out), count);
    }
  }

 private:
  const size_t size_;
  const uint64_t pattern_;
  int64_t rows_;
  int64_t row_elements_;
};

bool HasOne(DType dtype) { return IsFloating(dtype) || IsInteger(dtype) || dtype == DType::kBool; }

uint64_t OnePattern(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 0x3f800000;
    case DType::kFloat64:
      return 0x3ff0000000000000;
    case DType::kBFloat16:
      return 0x3f80;
    case DType::kFloat16:
      return 0x3c00;
    default:
      return 1;
  }
}

std::unique_ptr<Kernel> MakeZeros(const KernelSpec& spec) {
  if (!HasOne(spec.outputs[0].dtype)) return nullptr;
  return std::make_unique<Constant>(spec, 0);
}

std::unique_ptr<Kernel> MakeOnes(const KernelSpec& spec) {
  if (!HasOne(spec.outputs[0].dtype)) return nullptr;
  return std::make_unique<Constant>(spec, OnePattern(spec.outputs[0].dtype));
}

const RegisterKernel kZerosLike("ZerosLike", MakeZeros);
const RegisterKernel kOnesLike("OnesLike", MakeOnes);

}  // namespace
}  // namespace lockstep::kernels
