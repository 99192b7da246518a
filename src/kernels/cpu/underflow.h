#pragma once

#include <immintrin.h>

namespace lockstep::kernels {

/// Whether, since it was made, a result on this thread was too small for its type. Only by such a
/// result a chain of sums from +0 becomes -0.
class UnderflowWatch {
 public:
  UnderflowWatch() : before_(_mm_getcsr()) { _mm_setcsr(before_ & ~kFlag); }
  ~UnderflowWatch() { _mm_setcsr(_mm_getcsr() | (before_ & kFlag)); }
  UnderflowWatch(const UnderflowWatch&) = delete;
  UnderflowWatch& operator=(const UnderflowWatch&) = delete;
  bool Seen() const { return (_mm_getcsr() & kFlag) != 0; }

 private:
  static constexpr unsigned kFlag = _MM_EXCEPT_UNDERFLOW;
  const unsigned before_;
};

}  // namespace lockstep::kernels
