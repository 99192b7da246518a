#pragma once

#include <cstdint>
#include <span>

#include "data/image_set.h"

namespace lockstep::data {

constexpr int64_t kDigitSide = 28;
constexpr int64_t kDigitPixels = kDigitSide * kDigitSide;
constexpr int64_t kDigitClasses = 10;

/// The two sets of embedded digits share their shapes and their randomness, but no example.
enum class DigitSplit : uint8_t { kTrain = 0, kTest = 1 };

/// Draws the handwritten-like digits `first .. first + labels.size()` of the endless set that
/// (`seed`, `split`) names: strokes of several writing styles with random shear, rotation, scale,
/// place, thickness, pressure and noise. Example i is a function of (seed, split, i) alone, with
/// equal bits on every processor; each block of ten examples from a multiple of ten on holds every
/// class once.
/// Shapes: images uint8 [n, 28, 28], labels uint8 [n].     Cost: about 4 us an example.
void DrawDigits(uint64_t seed, DigitSplit split, int64_t first, std::span<uint8_t> images,
                std::span<uint8_t> labels);

/// The examples `first .. first + count` as a set of their own.
ImageSet MakeDigits(uint64_t seed, DigitSplit split, int64_t first, int64_t count);

}  // namespace lockstep::data
