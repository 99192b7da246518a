#include "data/digits.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "data/counter_hash.h"
#include "data/digit_shapes.h"

// Only +, -, *, / and comparisons of floats, in a fixed order: the bits are the same everywhere.

namespace lockstep::data {
namespace {

// Streams of the hash: labels of a block of ten, and the drawing of one example.
constexpr uint64_t kLabelStream = 0x6c6162;
constexpr uint64_t kDrawStream = 0x647277;

constexpr int kSide = static_cast<int>(kDigitSide);
constexpr int kLanes = 8;                // columns that are drawn at once
constexpr int kStride = kSide + kLanes;  // a window of columns may begin at the last one

// Vectors of the compiler's own: the same operations in each lane, whatever the instruction set.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
constexpr Lanes kLaneNumbers = {0, 1, 2, 3, 4, 5, 6, 7};

struct Vec {
  float x;
  float y;
};

// The ink of one image: values in [0, 1].
struct Canvas {
  alignas(32) float ink[kSide][kStride] = {};
};

// How one example differs from the plain shapes.
struct Hand {
  Vec column_x;  // image of the glyph's x axis, pixels per unit
  Vec column_y;
  Vec centre;      // in pixels
  float jitter;    // of points, units of the glyph's box
  float radius;    // half the width of the pen, pixels
  float ink;       // darkness in (0, 1]
  float pressure;  // how much radius and ink change from stroke to stroke
};

Hand DrawHand(CounterHash& hash) {
  Hand hand;
  // Angle by the tangent of its half: a rotation without sine and cosine.
  const float half = 0.16f * hash.Triangular();
  const float norm = 1.0f / (1.0f + half * half);
  const float cosine = (1.0f - half * half) * norm;
  const float sine = 2.0f * half * norm;
  const float shear = 0.35f * hash.Triangular();
  const float size = 0.2f * hash.Between(0.72f, 1.1f);
  const float width = size * hash.Between(0.75f, 1.2f);
  hand.column_x = {cosine * width, sine * width};
  hand.column_y = {(-sine - shear * cosine) * size, (cosine - shear * sine) * size};
  hand.centre = {13.5f + 2.5f * hash.Triangular(), 13.5f + 2.5f * hash.Triangular()};
  hand.jitter = hash.Chance(0.2f) ? hash.Between(8.0f, 15.0f) : hash.Between(2.0f, 7.0f);
  hand.radius = hash.Between(0.55f, 1.5f);
  hand.ink = hash.Chance(0.12f) ? hash.Between(0.3f, 0.65f) : hash.Between(0.7f, 1.0f);
  hand.pressure = hash.Between(0.0f, 0.3f);
  return hand;
}

// The first row or column that ink of a segment with ends at `p` and `q` can reach, and the one
// behind the last.
int Lowest(float p, float q, float reach) {
  return static_cast<int>(std::clamp(std::min(p, q) - reach + 1.0f, 0.0f, 28.0f));
}
int Behind(float p, float q, float reach) {
  return static_cast<int>(std::clamp(std::max(p, q) + reach + 1.0f, 0.0f, 28.0f));
}

// Darkens what a straight line of the pen from `a` to `b` covers.
void DrawSegment(Canvas& canvas, Vec a, Vec b, float radius, float ink) {
  const float outer = radius + 0.5f;
  const float inner = radius > 0.5f ? radius - 0.5f : 0.0f;
  const float falloff = ink / (outer * outer - inner * inner);
  const Vec d = {b.x - a.x, b.y - a.y};
  const float inverse = 1.0f / std::max(d.x * d.x + d.y * d.y, 1e-6f);
  const Lanes zero = {};
  const Lanes one = zero + 1.0f;
  const Lanes darkest = zero + ink;
  const int right = Behind(a.x, b.x, outer);
  const int bottom = Behind(a.y, b.y, outer);
  for (int left = Lowest(a.x, b.x, outer); left < right; left += kLanes) {
    const Lanes x = kLaneNumbers + (static_cast<float>(left) - a.x);
    for (int row = Lowest(a.y, b.y, outer); row < bottom; ++row) {
      const float y = static_cast<float>(row) - a.y;
      Lanes along = (x * d.x + y * d.y) * inverse;
      along = along < zero ? zero : along;
      along = along > one ? one : along;
      const Lanes ex = x - along * d.x;
      const Lanes ey = y - along * d.y;
      Lanes cover = (outer * outer - (ex * ex + ey * ey)) * falloff;
      cover = cover > darkest ? darkest : cover;
      Lanes old;
      std::memcpy(&old, &canvas.ink[row][left], sizeof old);
      cover = old > cover ? old : cover;
      std::memcpy(&canvas.ink[row][left], &cover, sizeof cover);
    }
  }
}

// The points of a stroke, moved as this hand moves them, in pixels. A stroke of two points gets a
// third one between them, so that straight lines bend as well.
int PlacePoints(const GlyphStroke& stroke, const Hand& hand, CounterHash& hash,
                std::array<Vec, GlyphStroke::kMaxPoints>& out) {
  int count = 0;
  const auto place = [&](float x, float y) {
    x += hand.jitter * hash.Triangular() - 50.0f;
    y += hand.jitter * hash.Triangular() - 50.0f;
    out[count++] = {hand.centre.x + hand.column_x.x * x + hand.column_y.x * y,
                    hand.centre.y + hand.column_x.y * x + hand.column_y.y * y};
  };
  for (int i = 0; i < stroke.count; ++i) {
    const GlyphPoint point = stroke.points[i];
    if (i == 1 && stroke.count == 2) {
      place(0.5f * (stroke.points[0].x + point.x), 0.5f * (stroke.points[0].y + point.y));
    }
    place(point.x, point.y);
  }
  return count;
}

// The point at `t` in [0, 1] of the Catmull-Rom curve from p1 to p2.
Vec CurvePoint(Vec p0, Vec p1, Vec p2, Vec p3, float t) {
  const auto blend = [t](float a, float b, float c, float d) {
    const float cubic = 3.0f * (b - c) + d - a;
    const float square = 2.0f * a - 5.0f * b + 4.0f * c - d;
    return b + 0.5f * t * (c - a + t * (square + t * cubic));
  };
  return {blend(p0.x, p1.x, p2.x, p3.x), blend(p0.y, p1.y, p2.y, p3.y)};
}

// Draws a smooth curve through the stroke's points, leaving out segment `gap` (none if negative).
void DrawStroke(Canvas& canvas, const GlyphStroke& stroke, const Hand& hand, int gap,
                CounterHash& hash) {
  constexpr int kPieces = 3;  // straight segments from point to point
  std::array<Vec, GlyphStroke::kMaxPoints> points;
  const int count = PlacePoints(stroke, hand, hash, points);
  const float pressure = 1.0f + hand.pressure * hash.Triangular();
  const float radius = hand.radius * pressure;
  const float ink = std::min(1.0f, hand.ink * pressure);
  Vec from = points[0];
  for (int i = 0; i + 1 < count; ++i) {
    const Vec before = points[std::max(i - 1, 0)];
    const Vec after = points[std::min(i + 2, count - 1)];
    for (int piece = 1; piece <= kPieces; ++piece) {
      const float t = static_cast<float>(piece) * (1.0f / kPieces);
      const Vec to = CurvePoint(before, points[i], points[i + 1], after, t);
      if (i * kPieces + piece != gap + 1) DrawSegment(canvas, from, to, radius, ink);
      from = to;
    }
  }
}

// A short line where none belongs: a slip of the pen, or part of a neighbour.
void DrawSlip(Canvas& canvas, const Hand& hand, CounterHash& hash) {
  const Vec a = {hash.Between(1.0f, 27.0f), hash.Between(1.0f, 27.0f)};
  const Vec b = {a.x + 6.0f * hash.Triangular(), a.y + 6.0f * hash.Triangular()};
  DrawSegment(canvas, a, b, 0.7f * hand.radius, hand.ink);
}

// Adds the paper's grain and rounds to bytes.
void Develop(const Canvas& canvas, CounterHash& hash, uint8_t* image) {
  constexpr int kPadded = 32;  // a round number of columns, for the vectoriser
  const int grain = static_cast<int>(hash.Below(24));
  for (int row = 0; row < kSide; ++row) {
    uint8_t noise[kPadded];
    for (int word = 0; word < kPadded / 8; ++word) {
      const uint64_t bits = hash.Next();
      for (int i = 0; i < 8; ++i) noise[word * 8 + i] = static_cast<uint8_t>(bits >> (8 * i));
    }
    uint8_t bytes[kPadded];
    for (int column = 0; column < kPadded; ++column) {
      // Half of the paper stays white.
      const int above = noise[column] - 128;
      const int speck = ((above > 0 ? above : 0) * grain) >> 7;
      // Ink is never negative, and lround would be the C library's. NOLINTNEXTLINE(*-roundings)
      const int value = static_cast<int>(canvas.ink[row][column] * 255.0f + 0.5f) + speck;
      bytes[column] = static_cast<uint8_t>(value < 255 ? value : 255);
    }
    std::copy_n(bytes, kSide, image + ptrdiff_t{row} * kSide);
  }
}

uint8_t LabelOf(uint64_t seed, DigitSplit split, int64_t index) {
  CounterHash hash(seed, kLabelStream + static_cast<uint64_t>(split), index / kDigitClasses);
  std::array<uint8_t, kDigitClasses> labels = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (uint32_t i = kDigitClasses - 1; i > 0; --i) std::swap(labels[i], labels[hash.Below(i + 1)]);
  return labels[index % kDigitClasses];
}

void DrawDigit(uint64_t seed, DigitSplit split, int64_t index, int label, uint8_t* image) {
  CounterHash hash(seed, kDrawStream + static_cast<uint64_t>(split), index);
  const auto styles = GlyphStyles(label);
  const GlyphStyle& style = styles[hash.Below(static_cast<uint32_t>(styles.size()))];
  const Hand hand = DrawHand(hash);
  const bool broken = hash.Chance(0.15f);
  const int broken_stroke = static_cast<int>(hash.Below(style.count));
  Canvas canvas;
  for (int i = 0; i < style.count; ++i) {
    const GlyphStroke& stroke = style.strokes[i];
    const int gap = static_cast<int>(hash.Below(3 * stroke.count));
    DrawStroke(canvas, stroke, hand, broken && i == broken_stroke ? gap : -1, hash);
  }
  if (hash.Chance(0.2f)) DrawSlip(canvas, hand, hash);
  Develop(canvas, hash, image);
}

}  // namespace

void DrawDigits(uint64_t seed, DigitSplit split, int64_t first, std::span<uint8_t> images,
                std::span<uint8_t> labels) {
  LOCKSTEP_CHECK_GE(first, 0);
  LOCKSTEP_CHECK_EQ(images.size(), labels.size() * kDigitPixels);
  for (size_t i = 0; i < labels.size(); ++i) {
    const int64_t index = first + static_cast<int64_t>(i);
    labels[i] = LabelOf(seed, split, index);
    DrawDigit(seed, split, index, labels[i], &images[i * kDigitPixels]);
  }
}

ImageSet MakeDigits(uint64_t seed, DigitSplit split, int64_t first, int64_t count) {
  LOCKSTEP_CHECK_GE(count, 0);
  ImageSet set{count, kDigitSide, kDigitSide, {}, {}};
  set.images.resize(count * kDigitPixels);
  set.labels.resize(count);
  DrawDigits(seed, split, first, set.images, set.labels);
  return set;
}

}  // namespace lockstep::data
