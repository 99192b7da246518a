#pragma once

/// The logarithm, sine and cosine that normals need: the same bits on every machine, no libm.

namespace lockstep::random {

/// Natural logarithm. Range: positive normal float64. Max error: 1 ulp.
double Log(double x);

/// The same in float32, rounded as glibc (2.28 and later) rounds it, whose logarithm TensorFlow
/// takes for its normals: within 0.82 ulp, not always the nearest float. Range: positive normal
/// float32.
float Log(float x);

struct SinCos {
  double sine;
  double cosine;
};

/// Sine and cosine of one angle. Range: |angle| <= 2^20. Max error: 2 ulp.
SinCos SineCosine(double angle);
/// The same, to be rounded to float32; those are glibc's floats. Range: |angle| <= 100.
SinCos SineCosine(float angle);

}  // namespace lockstep::random
