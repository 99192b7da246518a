// Activations that bend at a point, and their gradients.

#include <algorithm>

#include "kernels/cpu/elementwise.h"

namespace lockstep::kernels {
namespace {

// A NaN passes through, -0 stays.
struct Relu {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return x < T(0) ? T(0) : x;
  }
};

struct ReluGrad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T gradient, T x) {
    return x > T(0) ? gradient : T(0);
  }
};

struct Relu6 {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    const T lower = x < T(0) ? T(0) : x;
    return lower > T(6) ? T(6) : lower;
  }
};

struct Relu6Grad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T gradient, T x) {
    return (x > T(0)) & (x < T(6)) ? gradient : T(0);
  }
};

// As TensorFlow: the larger of x and slope * x for slopes up to 1.
struct LeakyRelu {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x, T slope, T) {
    const T scaled = slope * x;
    return x > T(0) ? x : scaled;
  }
};

struct LeakyReluGrad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T gradient, T x, T slope, T) {
    const T scaled = slope * gradient;
    return x > T(0) ? gradient : scaled;
  }
};

std::vector<double> Alpha(const KernelSpec& spec) {
  return {spec.attributes.GetOr<double>("alpha", 0.2)};
}

std::unique_ptr<Kernel> MakeLeakyRelu(const KernelSpec& spec) {
  return MakeElementwise(spec, ChooseLoop<LeakyRelu, kRealTypes, GetUnary>(spec.inputs[0].dtype),
                         Alpha(spec));
}

std::unique_ptr<Kernel> MakeLeakyReluGrad(const KernelSpec& spec) {
  return MakeElementwise(
      spec, ChooseLoop<LeakyReluGrad, kRealTypes, GetBinary>(spec.inputs[0].dtype), Alpha(spec));
}

const RegisterKernel kRelu("Relu", MakeUnary<Relu, kNumberTypes>);
const RegisterKernel kReluGrad("ReluGrad", MakeBinary<ReluGrad, kNumberTypes>);
const RegisterKernel kRelu6("Relu6", MakeUnary<Relu6, kNumberTypes>);
const RegisterKernel kRelu6Grad("Relu6Grad", MakeBinary<Relu6Grad, kNumberTypes>);
const RegisterKernel kLeakyRelu("LeakyRelu", MakeLeakyRelu);
const RegisterKernel kLeakyReluGrad("LeakyReluGrad", MakeLeakyReluGrad);

}  // namespace
}  // namespace lockstep::kernels
