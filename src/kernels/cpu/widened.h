#pragma once

#include <memory>

#include "kernels/cpu/for_dtype.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {

/// A kernel for bfloat16 and float16 made of `factory`'s kernel for float32: inputs are widened,
/// outputs rounded once to nearest even. Row i of n must write the i-th n-th part of every output.
std::unique_ptr<Kernel> MakeWidened(const KernelSpec& spec, KernelFactory factory);

/// MakeForReals, and for 16 bits MakeWidened of it.
template <template <typename> class K>
std::unique_ptr<Kernel> MakeForFloats(const KernelSpec& spec) {
  if (IsHalf(spec.outputs[0].dtype)) return MakeWidened(spec, MakeForReals<K>);
  return MakeForReals<K>(spec);
}

}  // namespace lockstep::kernels
