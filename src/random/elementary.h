#pragma once

/// The logarithm, sine and cosine that normals need: the same bits on every machine, no libm.

namespace lockstep::random {

/// Natural logarithm. Range: positive normal float64. Max error: 1 ulp.
double Log(double x);

struct SinCos {
  double sine;
  double cosine;
};

/// Sine and cosine of one angle. Range: |angle| <= 2^20. Max error: 2 ulp.
SinCos SineCosine(double angle);

}  // namespace lockstep::random
