#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "collectives/flight_log.h"
#include "collectives/plan.h"
#include "distribute/workers/stragglers.h"

namespace lockstep::distribute {

class Communicator;

/// How ranks help one of them that is slow (`--speculate`): every so many runs they tell each other
/// what they were at work with. A straggler is named with what it is slow at; where that is its
/// part of the steps, the others take over leaves of its, so that all are done at the same time.
/// The bits stay, as every division gives the same. Within an epoch all ranks call it alike; with
/// each epoch it begins anew.
class Speculation {
 public:
  /// The ranks tell each other after so many runs.
  static constexpr int64_t kRuns = 32;

  void BeginEpoch(int ranks);
  /// Before each run of a step. Errors: of collectives, thrown.
  void BeforeRun(Communicator& ranks);
  /// After it: the rank has had so many examples, and was at work for `busy`.
  void AfterRun(int64_t examples, base::Duration busy);
  /// The task does something else from now on.
  void Enter(collectives::Phase phase, base::Time now);

  /// `even`, or where one is slow, the same leaves in other blocks; a rank without any gets none.
  collectives::Division Divide(const collectives::Division& even) const;
  const Stragglers& stragglers() const { return stragglers_; }
  /// How often the division has been changed.
  int64_t changes() const { return changes_; }

  /// For tests: a rank's work in a run with so many examples, in place of what was measured.
  using Measure = std::function<WorkReport(int64_t examples)>;
  void set_measure(Measure measure) { measure_ = std::move(measure); }
  /// For tests: how many runs lie between two reports.
  void set_interval(int64_t runs) { interval_ = runs; }

 private:
  Stragglers stragglers_{0};
  WorkReport own_;
  int64_t runs_ = 0;
  int64_t interval_ = kRuns;
  int64_t changes_ = 0;
  collectives::Phase phase_ = collectives::Phase::kProgram;
  base::Time since_{};
  Measure measure_;
};

}  // namespace lockstep::distribute
