#include "nn/orthogonal.h"

#include <cmath>

namespace lockstep::nn {

namespace {

double Dot(const std::vector<double>& matrix, int64_t rows, int64_t columns, int64_t a, int64_t b) {
  double sum = 0;
  for (int64_t r = 0; r < rows; ++r) sum += matrix[r * columns + a] * matrix[r * columns + b];
  return sum;
}

}  // namespace

void Orthonormalize(std::vector<double>& matrix, int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t k = 0; k < c; ++k) {
        const double part = Dot(matrix, rows, columns, k, c);
        for (int64_t r = 0; r < rows; ++r)
          matrix[r * columns + c] -= part * matrix[r * columns + k];
      }
    }
    const double norm = std::sqrt(Dot(matrix, rows, columns, c, c));
    for (int64_t r = 0; r < rows; ++r) matrix[r * columns + c] /= norm;
  }
}

}  // namespace lockstep::nn
