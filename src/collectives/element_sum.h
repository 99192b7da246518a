#pragma once

#include <cstddef>

#include "lockstep/tensor/dtype.h"

/// The one addition that all sums over ranks are made of.

namespace lockstep::collectives {

/// Whether `AddElements` knows the type: float32, float64, bfloat16, float16, and all integers.
bool CanAdd(DType dtype);

/// Which memory of a sum another core had last, where that is known: its lines are asked for before
/// their turn. Those of this core's own caches need no asking, which would keep others waiting.
/// `by_pages`: as in `base::CopyFromOtherCore`.
struct OfOtherCore {
  bool left = false, right = false, sum = false;
  bool by_pages = false;
};

/// Adds `count` elements, `sum[i] = left[i] + right[i]`; `sum` may be `left` or `right`. Integers
/// wrap around. bfloat16 and float16 are added in float32, and each sum is rounded to nearest,
/// ties to even. Denormals of float32, float64 and bfloat16 are zero, as in every kernel. Of two
/// NaN the left one's payload stays, at every place and length, so that no cut
/// into slices shows in the bits.
void AddElements(DType dtype, const std::byte* left, const std::byte* right, std::byte* sum,
                 size_t count, OfOtherCore of_other_core = {});

}  // namespace lockstep::collectives
