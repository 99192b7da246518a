// Conversions between element types, as TensorFlow does them on a CPU: reals lose their fraction;
// what does not fit gives the smallest integer; small integers take the low bits of an int32.

#include <algorithm>
#include <limits>

#include "kernels/copy.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/widen.h"

namespace lockstep::kernels {
namespace {

// What x86-64's conversion with truncation gives, without relying on undefined behaviour.
template <typename To, typename From>
LOCKSTEP_ELEMENT To Truncate(From x) {
  constexpr To kSmallest = std::numeric_limits<To>::min();
  constexpr From kLow = static_cast<From>(kSmallest);
  const bool fits = (x >= kLow) & (x < -kLow);
  const To whole = static_cast<To>(fits ? x : From(0));
  return fits ? whole : kSmallest;
}

template <typename To, typename From>
LOCKSTEP_ELEMENT To Convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (sizeof(To) == 8) return Truncate<To>(x);
    return static_cast<To>(Truncate<int32_t>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
LOCKSTEP_VECTOR_LOOPS void ConvertLoop(const void* x, void* out, int64_t count) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = Convert<To>(from[i]);
}

using CastLoop = void (*)(const void*, void*, int64_t);

template <typename From>
CastLoop ChooseTo(DType to) {
  switch (to) {
    case DType::kFloat32:
    case DType::kBFloat16:
    case DType::kFloat16:
      return ConvertLoop<From, float>;
    case DType::kFloat64:
      return ConvertLoop<From, double>;
    case DType::kInt8:
      return ConvertLoop<From, int8_t>;
    case DType::kInt16:
      return ConvertLoop<From, int16_t>;
    case DType::kInt32:
      return ConvertLoop<From, int32_t>;
    case DType::kInt64:
      return ConvertLoop<From, int64_t>;
    case DType::kUInt8:
      return ConvertLoop<From, uint8_t>;
    case DType::kBool:
      return ConvertLoop<From, bool>;
    default:
      return nullptr;
  }
}

CastLoop Choose(DType from, DType to) {
  switch (from) {
    case DType::kFloat32:
    case DType::kBFloat16:
    case DType::kFloat16:
      return ChooseTo<float>(to);
    case DType::kFloat64:
      return ChooseTo<double>(to);
    case DType::kInt8:
      return ChooseTo<int8_t>(to);
    case DType::kInt16:
      return ChooseTo<int16_t>(to);
    case DType::kInt32:
      return ChooseTo<int32_t>(to);
    case DType::kInt64:
      return ChooseTo<int64_t>(to);
    case DType::kUInt8:
      return ChooseTo<uint8_t>(to);
    case DType::kBool:
      return ChooseTo<bool>(to);
    default:
      return nullptr;
  }
}

class Cast : public Kernel {
 public:
  Cast(const KernelSpec& spec, CastLoop loop)
      : loop_(loop), from_(spec.inputs[0].dtype), to_(spec.outputs[0].dtype) {
    const Shape& shape = spec.outputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_elements_ = shape.rank() > 0 ? shape.product(1, shape.rank()) : 1;
  }
  int64_t rows() const override { return rows_; }
  int64_t row_grain() const override { return row_elements_ == 1 ? 64 : 1; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return row_elements_; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    constexpr int64_t kPiece = 1024;
    const int64_t last = end * row_elements_;
    for (int64_t first = begin * row_elements_; first < last; first += kPiece) {
      Convert(memory.in<char>(0) + first * DTypeSize(from_),
              memory.out<char>(0) + first * DTypeSize(to_), std::min(kPiece, last - first));
    }
  }

 private:
  void Convert(const char* from, char* to, int64_t count) const {
    alignas(64) float wide[1024];
    alignas(64) float result[1024];
    const void* source = from;
    if (IsHalf(from_)) {
      Widen(from_, from, wide, count);
      source = wide;
    }
    loop_(source, IsHalf(to_) ? static_cast<void*>(result) : to, count);
    if (IsHalf(to_)) Narrow(to_, result, to, count);
  }

  const CastLoop loop_;
  const DType from_;
  const DType to_;
  int64_t rows_;
  int64_t row_elements_;
};

std::unique_ptr<Kernel> MakeCast(const KernelSpec& spec) {
  const DType from = spec.inputs[0].dtype, to = spec.outputs[0].dtype;
  if (from == to && from != DType::kString) return MakeCopy(spec);
  const CastLoop loop = Choose(from, to);
  return loop == nullptr ? nullptr : std::make_unique<Cast>(spec, loop);
}

const RegisterKernel kCast("Cast", MakeCast);

}  // namespace
}  // namespace lockstep::kernels
