#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "distribute/workers/roles.h"
#include "lockstep/base/status.h"
#include "net/transport.h"

namespace lockstep::distribute {

/// This task was left out of the job, which went on without it: it was stopped, or cut off. What it
/// holds is of the past; it may enter again as a joiner.
class LeftOut : public Error {
 public:
  explicit LeftOut(const std::string& why) : Error(Code::kAborted, why) {}
};

/// This task has left the job because it was asked to; the others go on.
class Left : public Error {
 public:
  explicit Left(const std::string& when) : Error(Code::kCancelled, when) {}
};

/// All that were left of the job have been asked to leave, in the middle of the training.
class AllLeft : public Left {
 public:
  using Left::Left;
};

/// The job has ended without this task, as far as anybody can tell.
class JobEnded : public Left {
 public:
  using Left::Left;
};

/// Whose work of writing is.
enum class Writer {
  kFirst,   ///< the first worker's, whoever it is
  kAnyTask  ///< a task's that has claimed it
};

/// Says who takes part, epoch after epoch. Between epochs a communicator has no ranks.
/// Threads: that of the communicator.
class Roster {
 public:
  struct Epoch {
    uint64_t number = 0;
    /// Connected to the epoch's ranks, in this epoch; good until the next one is asked for.
    net::Transport* transport = nullptr;
    /// Those who were in this task's epoch before and are gone: "worker 2".
    std::vector<std::string> lost;
    std::string reason;
    /// Not empty: too few take part to go on, and why.
    std::string halt;
    /// By rank: "worker 2"; empty: nobody knows.
    std::vector<std::string> tasks;
    /// This task comes into a job that has begun without it.
    bool entering = false;
    /// What each rank does; of no rank: all are workers.
    Roles roles;
  };

  virtual ~Roster() = default;
  virtual base::Executor& executor() = 0;
  /// Waits for an epoch later than `after`; 0: for the first one of this task, or the one after it
  /// was left out. Tells those who decide what this task knows of the end of the epoch before.
  /// Errors: thrown; LeftOut.
  virtual Epoch Next(uint64_t after) = 0;
  /// Whether `Next` would not wait.
  virtual bool has_next(uint64_t after) = 0;
  /// Whether others wait to be let in, or to leave.
  virtual bool change_waiting() const { return false; }
  /// This task stands before `step`, as all others will; the next epoch begins when all have said
  /// so, with those who wait.
  virtual void ReadyForChange(uint64_t step) {}
  /// Whoever waits in `Next`, because it was left out or nobody leads the job, looks now and then
  /// whether it is `asked` to end, and leaves then.
  virtual void LeaveWhen(std::function<bool()> asked) {}
  /// Goes away; the others go on in the next epoch, for which they are ready.
  virtual void Leave() {}
  /// Whether this task is of the present epoch still, so that no other one can be doing what is one
  /// task's to do: asks those who decide, unless it has just been told. Waits.
  virtual bool Holds() { return true; }
  /// Of the tasks that come with one `work`, each when it likes, one is told to do it (true), and
  /// the others when it is done (false); whoever did it says `Done`, or that it failed, so that
  /// another one tries. Where the one that does it goes away, so it is, too. Also false: this task
  /// was left out. Nothing: this roster cannot say.
  virtual std::optional<bool> Claims(const std::string& work) { return std::nullopt; }
  virtual void Done(const std::string& work, bool well) {}
  /// Meets all others for the last time; false: another epoch has begun instead.
  virtual bool Finish() { return true; }
  /// As `Holds`, for work on another thread, which may last for several epochs: what is given says,
  /// on any thread, whether this task still is a `writer` in the present epoch. False, too, when
  /// the roster has gone.
  virtual std::function<bool()> Writes(Writer writer) {
    return [] { return true; };
  }
};

}  // namespace lockstep::distribute
