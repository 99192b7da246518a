#pragma once

#include <cstdint>
#include <span>

#include "random/philox.h"

/// Uniform distributions, bit for bit TensorFlow's. Every function fills `out` with the elements
/// first, first + 1, ... of the tensor that `stream` stands for, whatever that tensor's size.
/// Source: TF core/lib/random/random_distributions.h, stateless_random_ops.

namespace lockstep::random {

/// Fills with u · (high − low) + low, u in [0, 1) of 23 random bits; all in float32.
void FillUniform(const Stream& stream, uint64_t first, std::span<float> out, float low = 0,
                 float high = 1);
/// The same with 52 random bits, two words an element, in float64.
void FillUniform(const Stream& stream, uint64_t first, std::span<double> out, double low = 0,
                 double high = 1);
/// Fills with the bits of float16 values in [0, 1), 10 random bits each.
void FillUniformFloat16(const Stream& stream, uint64_t first, std::span<uint16_t> out);
/// Fills with the bits of bfloat16 values in [0, 1), 7 random bits each.
void FillUniformBfloat16(const Stream& stream, uint64_t first, std::span<uint16_t> out);

/// Fills with low + word % (high − low), in [low, high); biased as TensorFlow is. low < high.
void FillUniformInteger(const Stream& stream, uint64_t first, std::span<int32_t> out, int32_t low,
                        int32_t high);
void FillUniformInteger(const Stream& stream, uint64_t first, std::span<int64_t> out, int64_t low,
                        int64_t high);

/// Fills with integers of the full range: a word for 32 bits, two words (low first) for 64.
void FillFullRange(const Stream& stream, uint64_t first, std::span<uint32_t> out);
void FillFullRange(const Stream& stream, uint64_t first, std::span<int32_t> out);
void FillFullRange(const Stream& stream, uint64_t first, std::span<uint64_t> out);
void FillFullRange(const Stream& stream, uint64_t first, std::span<int64_t> out);

/// One full-range int64 of `stream`: its first element.
int64_t FullRangeInt64(const Stream& stream);

}  // namespace lockstep::random
