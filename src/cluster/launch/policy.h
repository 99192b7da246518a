#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "cluster/description.h"

namespace lockstep::cluster {

struct LaunchRules {
  int max_restarts = 0;  // of each task
  int min_workers = 0;   // 0: all are needed; else the job goes on while so many are left
  int min_servers = -1;  // of ps; -1: all are needed
  /// Whether a task that ended with an error status in its first life is restarted, too. The same
  /// program would most likely fail again, so only a death is a reason to restart by default.
  bool restart_errors = false;
};

/// Whether a signal ended the task, or a shell reported that a signal ended the program that it ran
/// (128 + the signal's number). Every other end but status 0 is an error of the program.
bool IsDeath(const base::ProcessEnd& end);

/// Whether that signal asks a process to end (SIGINT, SIGTERM, SIGHUP), so that a restart would
/// contradict whoever sent it.
bool WasAskedToEnd(const base::ProcessEnd& end);

/// What becomes of a job when its tasks end: no processes and no clock, so every case is a test.
/// - A task that died (`IsDeath`) is restarted while it has restarts left, unless it was asked to
/// end.
///   Then a worker or server is lost if enough are left. Otherwise the job fails, and the other
///   tasks are stopped.
/// - A task that ends with an error status fails the job, unless `restart_errors` allows a restart.
///   A task that died before is an exception: its restarts are attempts to join the job again, so
///   an error of theirs counts as one more death.
/// When all tasks that train have ended, the evaluator is asked to end, without a time limit;
/// servers (ps) are stopped when all other tasks have ended.
class LaunchPolicy {
 public:
  LaunchPolicy(std::vector<TaskName> tasks, const LaunchRules& rules);

  struct Action {
    enum class Kind { kStart, kSignal };
    Kind kind;
    int task;
    int signal = 0;
    bool has_time = false;  // nobody kills it after the grace
    bool operator==(const Action&) const = default;
  };
  std::vector<Action> Begin();
  std::vector<Action> Ended(int task, const base::ProcessEnd& end);
  /// It could not be started at all, nor will it be another time.
  std::vector<Action> CannotStart(int task, const base::ProcessEnd& end);
  /// A task that was lost is needed after all: the job fails.
  std::vector<Action> Miss(int task, const base::ProcessEnd& end);
  /// The user's signal goes on to all that run.
  std::vector<Action> Interrupted(int signal);
  /// One worker more: the first one that has ended or was lost, else a new one while there are
  /// fewer than `most`; its index among the tasks, which is then to be started. Nothing where the
  /// job ends or is full.
  std::optional<int> Grow(int most);
  /// One worker less: the last one that runs is asked to leave, and may end as it likes.
  std::vector<Action> Shrink();
  /// One that was asked to leave and has ended is needed after all.
  std::vector<Action> Recall(int task);
  const TaskName& name(int task) const { return states_[static_cast<size_t>(task)].name; }
  /// Those told to stop had time enough.
  std::vector<Action> GraceOver();

  /// Nothing runs and nothing will.
  bool finished() const;
  /// Somebody was told to stop: the grace has begun.
  bool stopping() const { return stopping_; }
  /// 0, or how the first task that failed ended, as a shell reports it.
  int exit_status() const { return failure_ ? failure_->exit_status() : 0; }
  /// Index of the task that failed first; -1: none.
  int failed_task() const { return failed_task_; }
  int restarts(int task) const { return states_[static_cast<size_t>(task)].restarts; }
  bool running(int task) const { return states_[static_cast<size_t>(task)].running; }
  bool lost(int task) const { return states_[static_cast<size_t>(task)].lost; }
  /// It was asked to end, and may do so as it likes.
  bool leaving(int task) const { return states_[static_cast<size_t>(task)].leaving; }

 private:
  struct State {
    TaskName name;
    bool running = false, lost = false, leaving = false;
    bool has_died = false;
    int restarts = 0;
  };
  static bool IsServer(const State& state) { return state.name.job == "ps"; }
  static bool IsEvaluator(const State& state) { return state.name.job == "evaluator"; }
  static bool Trains(const State& state) {
    return state.name.job == "worker" || state.name.job == "chief";
  }
  bool MayLose(const State& state) const;
  std::vector<Action> StopAll(int signal);
  std::vector<Action> StopOthersIfDone();

  std::vector<State> states_;
  LaunchRules rules_;
  bool stopping_ = false;
  bool interrupted_ = false;
  std::optional<base::ProcessEnd> failure_;
  int failed_task_ = -1;
};

}  // namespace lockstep::cluster
