#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// From here on an angle's quarter turns no longer fit three parts of π/2.
inline constexpr double kHugeAngle = 0x1p30;

/// True for finite angles that ReduceHugeAngle takes.
inline bool IsHugeAngle(double angle) {
  const double size = angle < 0 ? -angle : angle;
  return size >= kHugeAngle && size <= 0x1.fffffffffffffp1023;
}

/// angle = quadrants · π/2 + high + low modulo 2π, |high| <= π/4; quadrants modulo 4.
struct HugeAngle {
  double high;
  double low;
  uint64_t quadrants;
};

/// Reduces a huge angle in integers, with as many digits of 2/π as it needs (Payne and Hanek 1983).
/// Error: 2^-100 of the rest. Same bits on every machine.
HugeAngle ReduceHugeAngle(double angle);

}  // namespace lockstep::kernels
