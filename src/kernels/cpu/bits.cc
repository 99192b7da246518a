// The bits of integers.

#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/cpu/elementwise.h"

namespace lockstep::kernels {
namespace {

#define LOCKSTEP_ON_BITS(Name, sign)     \
  struct Name {                          \
    template <typename T>                \
    LOCKSTEP_ELEMENT T Apply(T a, T b) { \
      return static_cast<T>(a sign b);   \
    }                                    \
  };
LOCKSTEP_ON_BITS(BitAnd, &)
LOCKSTEP_ON_BITS(BitOr, |)
LOCKSTEP_ON_BITS(BitXor, ^)
#undef LOCKSTEP_ON_BITS

// By how many places a shift moves.
template <typename T>
LOCKSTEP_ELEMENT T Places(T wanted) {
  return std::min(std::max(wanted, T(0)), static_cast<T>(8 * sizeof(T) - 1));
}

struct ShiftLeft {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) << Places(b));
  }
};
struct ShiftRight {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    return static_cast<T>(a >> Places(b));
  }
};
struct BitNot {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return static_cast<T>(~x);
  }
};

const RegisterKernel kBitwiseAnd("BitwiseAnd", MakeBinary<BitAnd, kIntegerTypes>);
const RegisterKernel kBitwiseOr("BitwiseOr", MakeBinary<BitOr, kIntegerTypes>);
const RegisterKernel kBitwiseXor("BitwiseXor", MakeBinary<BitXor, kIntegerTypes>);
const RegisterKernel kLeftShift("LeftShift", MakeBinary<ShiftLeft, kIntegerTypes>);
const RegisterKernel kRightShift("RightShift", MakeBinary<ShiftRight, kIntegerTypes>);
const RegisterKernel kInvert("Invert", MakeUnary<BitNot, kIntegerTypes>);

}  // namespace
}  // namespace lockstep::kernels
