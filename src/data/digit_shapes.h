#pragma once

#include <cstdint>
#include <span>

namespace lockstep::data {

/// A point of a glyph's box: x to the right and y down, each from 0 to 100.
struct GlyphPoint {
  uint8_t x;
  uint8_t y;
};

/// A line of the pen: a smooth curve through `points[0 .. count)`, two or more.
struct GlyphStroke {
  static constexpr int kMaxPoints = 12;
  int count;
  GlyphPoint points[kMaxPoints];
};

/// One way to write a digit: `strokes[0 .. count)`.
struct GlyphStyle {
  static constexpr int kMaxStrokes = 3;
  int count;
  GlyphStroke strokes[kMaxStrokes];
};

/// The ways to write `digit` (0 to 9), four or more each.
std::span<const GlyphStyle> GlyphStyles(int digit);

}  // namespace lockstep::data
