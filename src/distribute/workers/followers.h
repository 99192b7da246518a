#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "distribute/workers/notes.h"
#include "distribute/workers/roles.h"
#include "lockstep/base/status.h"

namespace lockstep::distribute {

class Communicator;

/// Ranks that rest (crowded_hosts.h) follow the others some runs behind, so that they need a core
/// now and then only. Every so many runs they tell where they are, and those that work wait for
/// what they told that long ago. How many depends on how long a run takes. Runs in between may be
/// silent: then nothing comes to those who rest. All ranks make the same calls in the same order,
/// in runs in which somebody rests.
class Followers {
 public:
  /// From one such message to the next: as many runs, a power of two, as take about this long,
  /// since what who rests tells is heard so much later.
  static constexpr base::Duration kBetweenMessages = std::chrono::milliseconds(64);
  static constexpr uint64_t kFewestRuns = 8, kMostRuns = 256;
  /// So many runs may a rank that works be ahead of one that rests, at most.
  static constexpr uint64_t kMostLead = 2 * kMostRuns;
  /// How many runs may lie between them where a run sends so many bytes, as these are kept until
  /// who rests has taken them.
  static uint64_t SpacingFor(int64_t bytes);

  explicit Followers(Communicator& ranks);
  ~Followers();
  Followers(const Followers&) = delete;
  Followers& operator=(const Followers&) = delete;

  /// Other ranks than so far.
  void BeginEpoch();
  /// Run number `run` begins, with the name `step`; who rests tells its notes. At most `most` runs
  /// lie between two messages, unless the run is silent. Whether it is: if it may be, but not where
  /// who rests tells something, and not where runs are so long that it would be heard too late.
  bool BeginRun(const Roles& roles, uint64_t run, uint64_t step, uint64_t most, bool may_be_silent);
  /// Calls `then` once those that rest are near enough for the run to end; at once, or as work of
  /// the executor. Errors: of collectives.
  void WhenNear(std::function<void(const Status&)> then);
  /// The run ends: a run that all ranks have begun for certain.
  uint64_t EndRun(bool rests);
  /// What any rank that works had raised in the run that ended: the same on all ranks.
  void Hear(uint32_t notes);

  /// The oldest step of which a message is still due; `otherwise`: none is.
  uint64_t OldestStep(uint64_t otherwise) const;
  /// How long who rests may sleep while it waits.
  base::Duration Nap() const { return nap_; }

 private:
  struct Call {
    uint64_t run = 0;
    uint64_t step = 0;
    bool is_open = false;  // some have not told
  };
  struct State {
    std::deque<Call> calls;
    Status failed;
    uint64_t due = 0;  // calls of this run and of those before are waited for
    std::function<void(const Status&)> then;

    bool IsNear() const;
    void Tell();
  };
  void Ask(const Roles& roles, const Call& call);
  void MeasureRuns(bool rests, uint64_t run);

  Communicator& ranks_;
  // What is under way may end after this object.
  std::shared_ptr<State> state_;
  uint64_t met_ = 0;
  uint64_t spacing_ = kFewestRuns;  // before anybody has told
  uint64_t measured_run_ = 0;
  base::Time measured_{};
  base::Duration nap_{};
};

}  // namespace lockstep::distribute
