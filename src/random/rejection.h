#pragma once

#include <cstdint>
#include <span>

#include "random/philox.h"

/// Distributions whose draws are tried until one is accepted, with TensorFlow's rules: number i of
/// a tensor reads its own part of the stream, from 256 * i blocks on (42 * i for binomials of few
/// successes). With P parameters and S
/// samples of each, number p * S + s is `out[s * P + p]`; all in float64, to be rounded to the
/// tensor's dtype. Logarithms are those of random/elementary.h; exp, pow, log1p and lgamma are the
/// machine's, so that a draw that all but hits the limit may differ between machines.
/// Source: TF core/kernels/{random_op,random_poisson_op,random_binomial_op}.cc.

namespace lockstep::random {

/// Gamma distributions of shape `alphas` and rate 1. Range: alphas > 0.
/// Source: Marsaglia & Tsang 2000.
void FillGamma(const Stream& stream, std::span<const double> alphas, std::span<double> out);

/// Poisson distributions; none above `highest`. Range: rates >= 0; NaN for others.
/// Source: Knuth below a rate of 10, else Hoermann 1993.
void FillPoisson(const Stream& stream, std::span<const double> rates, double highest,
                 std::span<double> out);

/// How many of `counts` trials succeed, each with its probability; NaN where that is NaN.
/// Source: Kachitvichyanukul & Schmeiser 1988 (inversion), Hoermann 1993.
void FillBinomial(const Stream& stream, std::span<const double> counts,
                  std::span<const double> probabilities, std::span<double> out);

/// Blocks of its stream that a generator's binomials reserve. Source: TF StatefulRandomBinomial.
inline uint64_t BinomialBlocks(uint64_t parameters, uint64_t samples) {
  return parameters * (150 + 50 * samples) * 256;
}

}  // namespace lockstep::random
