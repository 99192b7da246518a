#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::kernels {

/// What a kernel keeps in this thread's scratch memory; each has a place of its own.
enum class ScratchUse {
  kPackedColumns,
  kPackedRows,
  kLeafSums,
  kFoldPlan,
  kGradientBlock,
  kSparse,
  kNonzeroBits,
  kLeafParts,
  kChannelBits,
  kSparseFactor,
  kByteNumbers
};
inline constexpr size_t kScratchUses = static_cast<size_t>(ScratchUse::kByteNumbers) + 1;

/// `bytes` of this thread's memory for `use`, aligned to 64, valid until the next call for `use` on
/// this thread. It grows and is reused, so that a kernel's call costs no allocation.
void* ThreadScratchBytes(ScratchUse use, size_t bytes);

template <typename T>
T* ThreadScratch(ScratchUse use, int64_t count) {
  return static_cast<T*>(ThreadScratchBytes(use, static_cast<size_t>(count) * sizeof(T)));
}

}  // namespace lockstep::kernels
