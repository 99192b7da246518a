// All vector functions: V F(D d, V x) for float32 and float64 vectors of two lanes or more.
//
// The same bits with AVX2 and AVX-512: no libm, no approximations of the processor, a fused
// multiply-add only where MulAdd is written, and lanes that do not know of each other. Tails go
// through the same vector code (pad them). Do not include <hwy/contrib/math/math-inl.h> beside it.
#if defined(LOCKSTEP_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_MATH_INL_H_
#undef LOCKSTEP_MATH_INL_H_
#else
#define LOCKSTEP_MATH_INL_H_
#endif

#include "kernels/cpu/math/activation-inl.h"
#include "kernels/cpu/math/arc-inl.h"
#include "kernels/cpu/math/error_function-inl.h"
#include "kernels/cpu/math/exponential-inl.h"
#include "kernels/cpu/math/gamma-inl.h"
#include "kernels/cpu/math/hyperbolic-inl.h"
#include "kernels/cpu/math/logarithm-inl.h"
#include "kernels/cpu/math/power-inl.h"
#include "kernels/cpu/math/trigonometric-inl.h"

#endif  // once per instruction set
