#pragma once

#include <atomic>
#include <optional>

#include "base/quickest_way.h"

namespace lockstep::runtime {

/// How many lanes a plan's runs take of a default team: one, or as many as its work is worth,
/// whichever takes less time.
///
/// `cost`, the floating-point operations of a run as kernels estimate them, decides for plans that
/// are clearly small or large. Estimates may be wrong by a factor of 100, because a product does
/// 100 operations a nanosecond and a sum in one chain less than one. So in between the runs are
/// timed: the first ones on one lane, which settle it if they take a few microseconds; the others
/// compare one lane with all, and again from time to time, as other processes may come and go.
/// Threads: any; runs at the same time do not measure.
class LaneChoice {
 public:
  explicit LaneChoice(double cost = 0) : cost_(cost) {}

  struct Run {
    int lanes = 1;
    bool is_measured = false;  // `Took` is to be called
    size_t way = 0;            // 0: one lane
  };
  /// For the next run, of a team of `lanes`.
  Run Next(int lanes);
  /// How long a measured run took; nothing if it failed or got other lanes.
  void Took(const Run& run, std::optional<base::Duration> time);

  /// Whether the work is enough for several lanes without a measurement.
  bool is_large() const;
  bool is_small() const;

 private:
  const double cost_;
  std::atomic_flag is_in_use_ = ATOMIC_FLAG_INIT;  // for the rest
  int first_runs_ = 0;
  base::Duration shortest_ = base::Duration::max();  // of the first runs
  std::atomic<bool> is_short_{false};
  std::optional<base::QuickestWay> ways_;
};

}  // namespace lockstep::runtime
