#pragma once

#include <memory>

#include "kernels/kernel.h"

namespace lockstep::kernels {

/// A kernel for bfloat16 and float16 made of `factory`'s kernel for float32: inputs are widened,
/// outputs rounded once to nearest even. Row i of n must write the i-th n-th part of every output.
std::unique_ptr<Kernel> MakeWidened(const KernelSpec& spec, KernelFactory factory);

}  // namespace lockstep::kernels
