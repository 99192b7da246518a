// Loops over arrays around the vector functions; one instance per element type.
#if defined(LOCKSTEP_ARRAY_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_ARRAY_MATH_INL_H_
#undef LOCKSTEP_ARRAY_MATH_INL_H_
#else
#define LOCKSTEP_ARRAY_MATH_INL_H_
#endif

#include <cstring>

#include "kernels/cpu/math/array_math.h"
#include "kernels/cpu/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The tail is padded with ones and goes through the same vector code.
template <class T, class F>
void MapArray(const T* x, T* y, size_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, y + i);
  if (i == n) return;
  HWY_ALIGN T tail[hn::MaxLanes(hn::ScalableTag<T>())];
  hn::Store(hn::Set(d, T{1}), d, tail);
  std::memcpy(tail, x + i, (n - i) * sizeof(T));
  hn::Store(f(d, hn::Load(d, tail)), d, tail);
  std::memcpy(y + i, tail, (n - i) * sizeof(T));
}

template <class T, class F>
void MapArrays(const T* x, const T* y, T* z, size_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(f(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i);
  }
  if (i == n) return;
  HWY_ALIGN T tail[2 * hn::MaxLanes(hn::ScalableTag<T>())];
  hn::Store(hn::Set(d, T{1}), d, tail);
  hn::Store(hn::Set(d, T{1}), d, tail + lanes);
  std::memcpy(tail, x + i, (n - i) * sizeof(T));
  std::memcpy(tail + lanes, y + i, (n - i) * sizeof(T));
  hn::Store(f(d, hn::Load(d, tail), hn::Load(d, tail + lanes)), d, tail);
  std::memcpy(z + i, tail, (n - i) * sizeof(T));
}

#define LOCKSTEP_MAP(Function)     \
  case UnaryFunction::k##Function: \
    return MapArray(x, y, n, [](auto d, auto v) HWY_ATTR { return Function(d, v); });

template <class T>
void Unary(UnaryFunction function, const T* x, T* y, size_t n) {
  switch (function) {
    LOCKSTEP_MAP(Exp)
    LOCKSTEP_MAP(Expm1)
    LOCKSTEP_MAP(Log)
    LOCKSTEP_MAP(Log1p)
    LOCKSTEP_MAP(Sin)
    LOCKSTEP_MAP(Cos)
    LOCKSTEP_MAP(Tan)
    LOCKSTEP_MAP(Asin)
    LOCKSTEP_MAP(Acos)
    LOCKSTEP_MAP(Atan)
    LOCKSTEP_MAP(Sinh)
    LOCKSTEP_MAP(Cosh)
    LOCKSTEP_MAP(Tanh)
    LOCKSTEP_MAP(Asinh)
    LOCKSTEP_MAP(Acosh)
    LOCKSTEP_MAP(Atanh)
    LOCKSTEP_MAP(Erf)
    LOCKSTEP_MAP(Erfc)
    LOCKSTEP_MAP(Sqrt)
    LOCKSTEP_MAP(Rsqrt)
    LOCKSTEP_MAP(Sigmoid)
    LOCKSTEP_MAP(LogSigmoid)
    LOCKSTEP_MAP(Softplus)
    LOCKSTEP_MAP(Gelu)
    LOCKSTEP_MAP(GeluDerivative)
    LOCKSTEP_MAP(GeluTanh)
    LOCKSTEP_MAP(GeluTanhDerivative)
    LOCKSTEP_MAP(Lgamma)
    LOCKSTEP_MAP(Digamma)
  }
}
#undef LOCKSTEP_MAP

template <class T>
void Binary(BinaryFunction function, const T* x, const T* y, T* z, size_t n) {
  switch (function) {
    case BinaryFunction::kPow:
      return MapArrays(x, y, z, n, [](auto d, auto v, auto u) HWY_ATTR { return Pow(d, v, u); });
    case BinaryFunction::kAtan2:
      return MapArrays(x, y, z, n, [](auto d, auto v, auto u) HWY_ATTR { return Atan2(d, v, u); });
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
