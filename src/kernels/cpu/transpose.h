#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns.
void Transpose(const float* from, int64_t from_stride, int64_t rows, int64_t columns, float* to,
               int64_t to_stride);
void Transpose(const double* from, int64_t from_stride, int64_t rows, int64_t columns, double* to,
               int64_t to_stride);

}  // namespace lockstep::kernels
