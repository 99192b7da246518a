#pragma once

#include <immintrin.h>

namespace lockstep::base {

/// While one lives, this thread's vector arithmetic takes and gives zero in place of denormal
/// numbers, as TensorFlow's kernels do; arithmetic on denormals is up to a hundred times slower.
/// Every thread that runs kernels opens one, so that who computes what changes no bit.
class FlushDenormals {
 public:
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero); }
  ~FlushDenormals() { _mm_setcsr(saved_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  const unsigned saved_;
};

}  // namespace lockstep::base
