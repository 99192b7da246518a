#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::nn {

/// Replaces the row-major matrix [rows, columns], rows >= columns, by the Q of its QR decomposition
/// whose R has a positive diagonal. Each column loses its parts along the columns before it, twice,
/// so that rounding does not add up.
void Orthonormalize(std::vector<double>& matrix, int64_t rows, int64_t columns);

}  // namespace lockstep::nn
