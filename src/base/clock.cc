#include "base/clock.h"

namespace lockstep::base {

Time MonotonicClock::Now() const {
  return Time(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace lockstep::base
