#pragma once

#include <cstdint>

#include "kernels/cpu/gradient_tile.h"

/// Gradients of weights whose input is zero nearly everywhere, as in images of digits: steps of the
/// chains with a zero of A are left out, with the same bits (zeros.h).
namespace lockstep::kernels {

/// The columns of the widest block of ComputeSparseGradient on this processor.
int64_t SparseGradientColumns();

/// As ComputeGradientTile, of at most SparseGradientColumns columns and with a finite G. Where
/// zeros are few, whole chains are computed. The next `next_rows` rows are soon asked for.
void ComputeSparseGradient(const GradientTile<float>& tile, int64_t next_rows = 0);

}  // namespace lockstep::kernels
