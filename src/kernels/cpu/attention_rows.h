#pragma once

#include <cstdint>

/// What attention does with one query's row of scores; sums take 16 virtual lanes as in
/// softmax_rows.h. The first `seen` of `columns` scores count. T: float, double.
namespace lockstep::kernels {

/// scores = exp(scale scores - max), 0 past `seen`; returns 1 / their sum, and in `log_sum` the
/// logarithm of sum exp(scale scores).
template <typename T>
T ScoresToPowers(T* scores, int64_t seen, int64_t columns, T scale, T* log_sum);

/// scores = exp(scale scores - log_sum), 0 past `seen`: the softmax again.
template <typename T>
void ScoresToShares(T* scores, int64_t seen, int64_t columns, T scale, T log_sum);

/// gradients = scale shares (gradients - delta).
template <typename T>
void SharesGradient(const T* shares, T* gradients, int64_t columns, T scale, T delta);

/// x = factor x.
template <typename T>
void ScaleRow(T* x, int64_t columns, T factor);

/// sum a b.
template <typename T>
T DotOfRows(const T* a, const T* b, int64_t columns);

}  // namespace lockstep::kernels
