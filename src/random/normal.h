#pragma once

#include <cstdint>
#include <span>

#include "random/philox.h"

/// Normal distributions with TensorFlow's rules (Box–Muller on pairs of words). Every function
/// fills `out` with the elements first, first + 1, ... of the tensor that `stream` stands for.
/// TensorFlow takes logarithm and sine from the machine's libm; these take random/elementary.h,
/// so that the bits are the same everywhere: in float32 TensorFlow's with glibc 2.28 or later, in
/// float64 within 1e-15 of them.
/// Source: TF core/lib/random/random_distributions.h.

namespace lockstep::random {

/// Fills with z · deviation + mean, rounded after each operation.
void FillNormal(const Stream& stream, uint64_t first, std::span<float> out, float mean = 0,
                float deviation = 1);
/// The same with both words of a block's halves in each uniform, in float64.
void FillNormal(const Stream& stream, uint64_t first, std::span<double> out, double mean = 0,
                double deviation = 1);

/// Fills with normals drawn again until |z| < 2, then scaled. Each group of four outputs (two of
/// float64) reads its own part of the stream, 256 (128) blocks after the last group's.
void FillTruncatedNormal(const Stream& stream, uint64_t first, std::span<float> out, float mean = 0,
                         float deviation = 1);
void FillTruncatedNormal(const Stream& stream, uint64_t first, std::span<double> out,
                         double mean = 0, double deviation = 1);

}  // namespace lockstep::random
