#pragma once

#include <cstdint>

/// Softmax and what is built on it, row by row. The maximum and all sums take 16 virtual lanes,
/// lane i the elements i, i + 16, ..., which are added 8 apart, then 4, 2, 1: the bits of a row
/// depend on its values alone. T: float, double.
namespace lockstep::kernels {

/// y = exp(x - max x) / sum exp(x - max x), or with `log` its logarithm, for `rows` rows.
template <typename T>
void SoftmaxRows(const T* x, int64_t rows, int64_t columns, bool log, T* y);

/// loss = sum labels (log sum exp x - x); gradient = softmax(x) - labels.
template <typename T>
void CrossEntropyRows(const T* x, const T* labels, int64_t rows, int64_t columns, T* loss,
                      T* gradient);

/// The same for one label a row, which counts fully. Every label must lie in [0, columns).
template <typename T, typename Label>
void SparseCrossEntropyRows(const T* x, const Label* labels, int64_t rows, int64_t columns, T* loss,
                            T* gradient);

}  // namespace lockstep::kernels
