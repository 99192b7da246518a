#pragma once

#include <memory>

#include "kernels/kernel.h"

namespace lockstep::kernels {

/// Copies input 0 to output 0, which has as many elements of the same dtype.
std::unique_ptr<Kernel> MakeCopy(const KernelSpec& spec);

}  // namespace lockstep::kernels
