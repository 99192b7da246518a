#pragma once

#include <array>
#include <cstdint>

namespace lockstep {

/// A size along height and width; one number stands for both.
struct Size2D {
  int64_t height = 1;
  int64_t width = 1;

  constexpr Size2D() = default;
  constexpr Size2D(int64_t both) : height(both), width(both) {}  // NOLINT: implicit, as in Keras
  constexpr Size2D(int both) : Size2D(int64_t{both}) {}          // NOLINT
  constexpr Size2D(int64_t h, int64_t w) : height(h), width(w) {}
  constexpr operator std::array<int64_t, 2>() const { return {height, width}; }  // NOLINT
  bool operator==(const Size2D&) const = default;
};

}  // namespace lockstep
