#pragma once

#include <memory>

#include "kernels/kernel.h"
#include "ops/training.h"

namespace lockstep::kernels {

/// What an update of some elements is given besides memory.
struct UpdateCall {
  const ops::Attributes& attributes;
  DType dtype;  // of weight, slots and gradient: float32 or float64
  int64_t extras;
};

/// Updates the elements [first, last).
using UpdateFunction = void (*)(const UpdateCall& call, const KernelMemory& memory, int64_t first,
                                int64_t last);

/// A kernel that updates elements apart from each other, for float32 and float64; weights and slots
/// of 16 bits are widened to float32, updated, and rounded once to nearest even.
std::unique_ptr<Kernel> MakeUpdate(const KernelSpec& spec, UpdateFunction function);

// Registers `op` with the function that HWY_EXPORT has made a table for.
#define LOCKSTEP_REGISTER_UPDATE(op, Function)                                                 \
  const RegisterKernel k##Function(op, [](const KernelSpec& spec) {                            \
    return MakeUpdate(                                                                         \
        spec, [](const UpdateCall& call, const KernelMemory& m, int64_t first, int64_t last) { \
          HWY_DYNAMIC_DISPATCH(Function)(call, m, first, last);                                \
        });                                                                                    \
  })

}  // namespace lockstep::kernels
