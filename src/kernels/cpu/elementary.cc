// Elementary functions, and activations made of one.

#include <algorithm>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/math/array_math.h"

namespace lockstep::kernels {
namespace {

using Function = UnaryFunction;

void Compute(Function function, const float* x, float* y, int64_t count) {
  UnaryF32(function, x, y, static_cast<size_t>(count));
}
void Compute(Function function, const double* x, double* y, int64_t count) {
  UnaryF64(function, x, y, static_cast<size_t>(count));
}

template <Function kFunction, typename T>
void ArrayLoop(const void* x, void* out, int64_t count, const double*) {
  Compute(kFunction, static_cast<const T*>(x), static_cast<T*>(out), count);
}

LoopChoice ChooseReal(DType dtype, UnaryLoop f32, UnaryLoop f64, double cost) {
  LoopChoice choice;
  choice.cost = cost;
  choice.widen = IsHalf(dtype);
  if (dtype == DType::kFloat32 || choice.widen) choice.unary = f32;
  if (dtype == DType::kFloat64) choice.unary = f64;
  return choice;
}

template <Function kFunction>
std::unique_ptr<Kernel> MakeArrayFunction(const KernelSpec& spec) {
  return MakeElementwise(spec, ChooseReal(spec.inputs[0].dtype, ArrayLoop<kFunction, float>,
                                          ArrayLoop<kFunction, double>, 12));
}

const RegisterKernel kExp("Exp", MakeArrayFunction<Function::kExp>);
const RegisterKernel kExpm1("Expm1", MakeArrayFunction<Function::kExpm1>);
const RegisterKernel kLog("Log", MakeArrayFunction<Function::kLog>);
const RegisterKernel kLog1p("Log1p", MakeArrayFunction<Function::kLog1p>);
const RegisterKernel kSin("Sin", MakeArrayFunction<Function::kSin>);
const RegisterKernel kCos("Cos", MakeArrayFunction<Function::kCos>);
const RegisterKernel kTan("Tan", MakeArrayFunction<Function::kTan>);
const RegisterKernel kAsin("Asin", MakeArrayFunction<Function::kAsin>);
const RegisterKernel kAcos("Acos", MakeArrayFunction<Function::kAcos>);
const RegisterKernel kAtan("Atan", MakeArrayFunction<Function::kAtan>);
const RegisterKernel kSinh("Sinh", MakeArrayFunction<Function::kSinh>);
const RegisterKernel kCosh("Cosh", MakeArrayFunction<Function::kCosh>);
const RegisterKernel kTanh("Tanh", MakeArrayFunction<Function::kTanh>);
const RegisterKernel kAsinh("Asinh", MakeArrayFunction<Function::kAsinh>);
const RegisterKernel kAcosh("Acosh", MakeArrayFunction<Function::kAcosh>);
const RegisterKernel kAtanh("Atanh", MakeArrayFunction<Function::kAtanh>);
const RegisterKernel kErf("Erf", MakeArrayFunction<Function::kErf>);
const RegisterKernel kErfc("Erfc", MakeArrayFunction<Function::kErfc>);
const RegisterKernel kLgamma("Lgamma", MakeArrayFunction<Function::kLgamma>);
const RegisterKernel kDigamma("Digamma", MakeArrayFunction<Function::kDigamma>);
const RegisterKernel kSigmoid("Sigmoid", MakeArrayFunction<Function::kSigmoid>);
const RegisterKernel kLogSigmoid("LogSigmoid", MakeArrayFunction<Function::kLogSigmoid>);
const RegisterKernel kSoftplus("Softplus", MakeArrayFunction<Function::kSoftplus>);

std::unique_ptr<Kernel> MakeGelu(const KernelSpec& spec) {
  return spec.attributes.Get<bool>("approximate") ? MakeArrayFunction<Function::kGeluTanh>(spec)
                                                  : MakeArrayFunction<Function::kGelu>(spec);
}
const RegisterKernel kGelu("Gelu", MakeGelu);

// Loops that need a function of the whole array first work in pieces that stay in the cache.
constexpr int64_t kValuesAtATime = 512;

template <typename T, typename Body>
void ForEachPiece(int64_t count, const Body& body) {
  alignas(64) T values[kValuesAtATime];
  for (int64_t i = 0; i < count; i += kValuesAtATime)
    body(i, std::min(kValuesAtATime, count - i), values);
}

template <typename T>
LOCKSTEP_VECTOR_LOOPS void Multiply(const T* a, const T* b, T* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] * b[i];
}

// x * sigmoid(x).
template <typename T>
void SiluLoop(const void* x, void* out, int64_t count, const double*) {
  const T* from = static_cast<const T*>(x);
  ForEachPiece<T>(count, [&](int64_t at, int64_t n, T* sigmoid) {
    Compute(Function::kSigmoid, from + at, sigmoid, n);
    Multiply(from + at, sigmoid, static_cast<T*>(out) + at, n);
  });
}

template <typename T>
LOCKSTEP_VECTOR_LOOPS void BelowZero(const T* x, const T* expm1, T* out, int64_t count, T below,
                                     T above) {
  for (int64_t i = 0; i < count; ++i) {
    const T low = below * expm1[i], high = above * x[i];
    out[i] = x[i] < T(0) ? low : high;
  }
}

// below * (e^x - 1) under 0, else above * x.
template <typename T>
void ExponentialUnitLoop(const void* x, void* out, int64_t count, const double* parameters) {
  const T* from = static_cast<const T*>(x);
  ForEachPiece<T>(count, [&](int64_t at, int64_t n, T* expm1) {
    Compute(Function::kExpm1, from + at, expm1, n);
    BelowZero(from + at, expm1, static_cast<T*>(out) + at, n, static_cast<T>(parameters[0]),
              static_cast<T>(parameters[1]));
  });
}

std::unique_ptr<Kernel> MakeSilu(const KernelSpec& spec) {
  return MakeElementwise(spec,
                         ChooseReal(spec.inputs[0].dtype, SiluLoop<float>, SiluLoop<double>, 14));
}
const RegisterKernel kSilu("Silu", MakeSilu);

std::unique_ptr<Kernel> MakeExponentialUnit(const KernelSpec& spec) {
  return MakeElementwise(
      spec,
      ChooseReal(spec.inputs[0].dtype, ExponentialUnitLoop<float>, ExponentialUnitLoop<double>, 14),
      {spec.attributes.Get<double>("below"), spec.attributes.Get<double>("above")});
}
const RegisterKernel kElu("Elu", MakeExponentialUnit);
const RegisterKernel kSelu("Selu", MakeExponentialUnit);

// gradient * derivative(x), the derivative being a function of its own.
template <Function kFunction, typename T>
void DerivativeLoop(const void* a, const void* b, void* out, int64_t count, StayingOperands staying,
                    const double*) {
  const T* gradient = static_cast<const T*>(a);
  const T* x = static_cast<const T*>(b);
  ForEachPiece<T>(count, [&](int64_t at, int64_t n, T* derivative) {
    Compute(kFunction, x + at, derivative, n);
    Multiply(gradient + at, derivative, static_cast<T*>(out) + at, n);
  });
}

template <Function kFunction>
std::unique_ptr<Kernel> MakeDerivative(const KernelSpec& spec) {
  const DType dtype = spec.inputs[0].dtype;
  LoopChoice choice = ChooseReal(dtype, nullptr, nullptr, 16);
  if (dtype == DType::kFloat32 || choice.widen) choice.binary = DerivativeLoop<kFunction, float>;
  if (dtype == DType::kFloat64) choice.binary = DerivativeLoop<kFunction, double>;
  return MakeElementwise(spec, choice);
}

std::unique_ptr<Kernel> MakeGeluGrad(const KernelSpec& spec) {
  return spec.attributes.Get<bool>("approximate")
             ? MakeDerivative<Function::kGeluTanhDerivative>(spec)
             : MakeDerivative<Function::kGeluDerivative>(spec);
}
const RegisterKernel kGeluGrad("GeluGrad", MakeGeluGrad);
const RegisterKernel kSoftplusGrad("SoftplusGrad", MakeDerivative<Function::kSigmoid>);

// Gradients in terms of the result y.
struct SigmoidGrad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T y, T gradient) {
    return gradient * y * (T(1) - y);
  }
};
struct TanhGrad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T y, T gradient) {
    return gradient * (T(1) - y * y);
  }
};
struct ExponentialUnitGrad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T gradient, T y, T below, T above) {
    const T low = gradient * (y + below), high = gradient * above;
    return y < T(0) ? low : high;
  }
};
// In terms of x.
struct SoftsignGrad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T gradient, T x) {
    const T sum = T(1) + (x < T(0) ? -x : x);
    return gradient / (sum * sum);
  }
};
struct Softsign {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return x / (T(1) + (x < T(0) ? -x : x));
  }
};

const RegisterKernel kSigmoidGrad("SigmoidGrad", MakeBinary<SigmoidGrad, kRealTypes>);
const RegisterKernel kTanhGrad("TanhGrad", MakeBinary<TanhGrad, kRealTypes>);
const RegisterKernel kSoftsign("Softsign", MakeUnary<Softsign, kRealTypes>);
const RegisterKernel kSoftsignGrad("SoftsignGrad", MakeBinary<SoftsignGrad, kRealTypes>);

std::unique_ptr<Kernel> MakeExponentialUnitGrad(const KernelSpec& spec) {
  return MakeElementwise(
      spec, ChooseLoop<ExponentialUnitGrad, kRealTypes, GetBinary>(spec.inputs[0].dtype),
      {spec.attributes.Get<double>("below"), spec.attributes.Get<double>("above")});
}
const RegisterKernel kEluGrad("EluGrad", MakeExponentialUnitGrad);
const RegisterKernel kSeluGrad("SeluGrad", MakeExponentialUnitGrad);

}  // namespace
}  // namespace lockstep::kernels
