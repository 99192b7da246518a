#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/executor.h"
#include "base/randomness.h"
#include "sim/trace.h"

namespace lockstep::sim {

struct SchedulerOptions {
  /// How long a piece of work keeps its rank busy, at most; drawn for each.
  base::Duration longest_work = std::chrono::microseconds(20);
  /// How far the ranks' clocks may stand apart.
  base::Duration clock_skew = std::chrono::seconds(5);
  /// Lines of work that each rank has side by side, as a process has threads; on one clock.
  int lanes = 1;
};

/// Virtual time for several ranks: runs one piece of work after another, in an order that a seed
/// decides among what may come next. Each rank has an executor for each of its lanes, and a clock
/// of its own.
class Scheduler {
 public:
  Scheduler(int num_ranks, const SchedulerOptions& options, base::Randomness& randomness,
            Trace& trace);
  ~Scheduler();

  /// The executor of a rank; its clock differs from `Now` by the rank's skew.
  base::Executor& executor(int rank, int lane = 0);
  int lanes() const { return options_.lanes; }
  base::Time Now() const { return now_; }

  /// Has `work` done on a rank at a moment of the world's timeline; dropped if the rank is dead
  /// then.
  void PostAt(int rank, base::Time when, base::Work work, int lane = 0);
  /// Has `work` done outside of all ranks, dead or paused ones too: a fault.
  void PostFault(base::Time when, base::Work work);

  /// Runs the earliest piece of work; false when nothing is left.
  bool RunOne();
  /// Runs until `done` (asked after each piece), nothing is left or `limit` has passed.
  bool RunUntil(const std::function<bool()>& done, base::Duration limit);

  /// Keeps the rank's first lane busy for `time`; then `work` comes before all else.
  void Busy(int rank, base::Duration time, base::Work work);
  /// Has `look` called after each piece of work of the rank's first lane; null: nothing.
  void AfterWork(int rank, base::Work look);

  /// The rank does nothing before `until`.
  void Pause(int rank, base::Time until);
  /// The rank does nothing ever again, unless it is revived with an empty queue.
  void Kill(int rank);
  void Revive(int rank);
  bool alive(int rank) const;

 private:
  class Lane;
  base::Time NextTime(const Lane& lane) const;
  Lane& lane(int rank, int number) const { return *lanes_[rank * options_.lanes + number]; }

  const SchedulerOptions options_;
  base::Randomness& randomness_;
  Trace& trace_;
  base::Time now_{};
  std::vector<std::unique_ptr<Lane>> lanes_;  // rank by rank; the last one runs the faults
};

}  // namespace lockstep::sim
