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

/// Elements of a weight: `rows` runs of `width`, and their gradient.
struct UpdateBlock {
  int64_t first = 0;  // of the weight's and the slots' elements
  int64_t stride = 0;
  int64_t rows = 1;
  int64_t width = 0;
  const void* gradient = nullptr;
  int64_t gradient_stride = 0;
};

/// Gives the blocks of a call one after another, their gradients just made.
class UpdateBlocks {
 public:
  virtual ~UpdateBlocks() = default;
  /// False after the last.
  virtual bool Next(UpdateBlock& block) = 0;
};

/// Updates the elements of all blocks.
using UpdateFunction = void (*)(const UpdateCall& call, const KernelMemory& memory,
                                UpdateBlocks& blocks);

/// A kernel that updates elements apart from each other, for float32 and float64; weights and slots
/// of 16 bits are widened to float32, updated, and rounded once to nearest even.
std::unique_ptr<Kernel> MakeUpdate(const KernelSpec& spec, UpdateFunction function);
/// The same for an update that makes its gradient itself, as a product (product_update.cc).
std::unique_ptr<Kernel> MakeProductUpdate(const KernelSpec& spec, UpdateFunction function);

// Registers `op`, with and without the product that makes its gradient, with the function that
// HWY_EXPORT has made a table for.
#define LOCKSTEP_REGISTER_UPDATE(op, Function)                                               \
  void Call##Function(const UpdateCall& call, const KernelMemory& memory, UpdateBlocks& b) { \
    HWY_DYNAMIC_DISPATCH(Function)(call, memory, b);                                         \
  }                                                                                          \
  const RegisterKernel k##Function(                                                          \
      op, [](const KernelSpec& spec) { return MakeUpdate(spec, Call##Function); });          \
  const RegisterKernel kProduct##Function("_Product" op, [](const KernelSpec& spec) {        \
    return MakeProductUpdate(spec, Call##Function);                                          \
  })

}  // namespace lockstep::kernels
