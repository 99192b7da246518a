#pragma once

#include <chrono>

/// Time as every room sees it: durations and points on a timeline that only base can read.

namespace lockstep::base {

using Duration = std::chrono::nanoseconds;

/// The timeline of an executor: monotonic, its zero means nothing, virtual under simulation.
struct Timeline {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<Timeline>;
  static constexpr bool is_steady = true;
};
using Time = std::chrono::time_point<Timeline>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
};

/// The machine's monotonic clock.
class MonotonicClock final : public Clock {
 public:
  Time Now() const override;
};

/// Milliseconds with one decimal, as error texts print durations.
inline double Milliseconds(Duration duration) {
  return static_cast<double>(duration.count() / 100000) / 10.0;
}

}  // namespace lockstep::base
