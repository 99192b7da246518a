// Rounding to whole numbers, and bounds.

#include <cmath>

#include "kernels/copy.h"
#include "kernels/cpu/elementwise.h"

namespace lockstep::kernels {
namespace {

struct Floor {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return std::floor(x);
  }
};
struct Ceil {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return std::ceil(x);
  }
};
// Halves go to the even neighbour.
struct Rint {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return std::rint(x);
  }
};

std::unique_ptr<Kernel> MakeRound(const KernelSpec& spec) {
  return IsInteger(spec.inputs[0].dtype) ? MakeCopy(spec) : MakeUnary<Rint, kRealTypes>(spec);
}

const RegisterKernel kFloor("Floor", MakeUnary<Floor, kRealTypes>);
const RegisterKernel kCeil("Ceil", MakeUnary<Ceil, kRealTypes>);
const RegisterKernel kRint("Rint", MakeUnary<Rint, kRealTypes>);
const RegisterKernel kRound("Round", MakeRound);

// NaN passes through.
struct Clip {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x, T low, T high) {
    const T lower = high < x ? high : x;
    return lower < low ? low : lower;
  }
};
struct ClipGrad {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T gradient, T x, T low, T high) {
    return (x >= low) & (x <= high) ? gradient : T(0);
  }
};

std::vector<double> Bounds(const KernelSpec& spec) {
  return {spec.attributes.Get<double>("low"), spec.attributes.Get<double>("high")};
}

std::unique_ptr<Kernel> MakeClip(const KernelSpec& spec) {
  return MakeElementwise(spec, ChooseLoop<Clip, kNumberTypes, GetUnary>(spec.inputs[0].dtype),
                         Bounds(spec));
}
std::unique_ptr<Kernel> MakeClipGrad(const KernelSpec& spec) {
  return MakeElementwise(spec, ChooseLoop<ClipGrad, kRealTypes, GetBinary>(spec.inputs[0].dtype),
                         Bounds(spec));
}

const RegisterKernel kClip("ClipByValue", MakeClip);
const RegisterKernel kClipGrad("ClipByValueGrad", MakeClipGrad);

}  // namespace
}  // namespace lockstep::kernels
