#pragma once

#include <cstdint>

#include "kernels/cpu/gradient_tile.h"
#include "kernels/cpu/scaled_bytes.h"

/// Gradients of weights whose input is zero nearly everywhere, as in images of digits: steps of the
/// chains with a zero of A are left out, with the same bits (zeros.h).
namespace lockstep::kernels {

/// The columns of the widest block of ComputeSparseGradient on this processor.
int64_t SparseGradientColumns();

/// As ComputeGradientTile, of at most SparseGradientColumns columns, with A from `a` (`tile.a` is
/// not read) and a finite G; numbers of bytes are finite too. Where zeros are few, whole chains are
/// computed. The next `next_rows` rows are soon asked for. A: float, uint8_t.
template <typename A>
void ComputeSparseGradient(const GradientTile<float>& tile, const Factor<A>& a,
                           int64_t next_rows = 0);

/// The same with whole chains, whatever is finite.
template <typename A>
void ComputeWholeGradient(const GradientTile<float>& tile, const Factor<A>& a);

}  // namespace lockstep::kernels
