#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/process.h"
#include "cluster/description.h"
#include "cluster/launch/frames.h"
#include "cluster/launch/launch_board.h"
#include "cluster/launch/line_prefixer.h"
#include "cluster/launch/policy.h"

namespace lockstep::cluster {

struct LaunchOptions {
  int workers = 1;
  int servers = 0;     // ps
  int evaluators = 0;  // 0 or 1
  bool chief = false;
  int devices = 0;  // of each task; 0: its share of its host's cores
  int max_workers = 0;
  bool speculate = false;  // workers that are slow are helped
  LaunchRules rules;
  base::Duration grace = std::chrono::seconds(10);
  std::vector<std::string> hosts;  // tasks are spread over them by blocks; empty: this machine
  std::vector<std::string> remote_shell = {"ssh", "-o", "BatchMode=yes"};
  std::string keeper_program;  // whose `keep` is a keeper, here and there; empty: this program
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> arguments;  // the program to run
};

/// What has become of a launched job.
struct LaunchReport {
  /// The end of one task that failed, and what came of it.
  struct Loss {
    TaskName task;
    base::ProcessEnd end;
    bool restarted = false;
    double seconds = 0;  // since the start of the tasks
  };
  int exit_status = 0;
  std::vector<Loss> losses;
  /// Of standard output: of the first task that ended well with an object in braces; else the
  /// leader's, or of the first one that has any.
  std::string last_line;
};

/// Starts the tasks of a job, each with its description, and stays until all have ended. Ports are
/// bound before any task starts, and each task inherits its own.
/// Threads: all on the loop.
class Launcher {
 public:
  /// Writes whole lines; `error`: to standard error.
  using Write = std::function<void(bool error, std::string_view lines)>;

  Launcher(base::EventLoop& loop, LaunchOptions options, Write write);
  ~Launcher();

  /// Starts the keepers. Errors: of starting them; InvalidArgument for hosts that do not go
  /// together.
  Status Begin();
  bool done() const { return done_; }
  /// After `TakeReport`: all keepers have ended, and with them everything.
  bool gone() const;
  /// Hands a signal of the user on; the second one kills.
  void Interrupt(int signal);
  /// One worker more, at most `max_workers` (or `workers`): one that has ended or was lost, else a
  /// new one. One worker less: the last one is asked to leave.
  void Grow();
  void Shrink();
  LaunchReport TakeReport();

 private:
  struct Task;
  void AddTask(const TaskName& name, std::string host);
  Status StartKeeper(Task& task);
  void OnAddress(Task& task, const std::string& address);
  void OnKeeper(Task& task);
  void OnFrame(Task& task, const Frame& frame);
  void OnKeeperGone(Task& task);
  void OnTaskEnd(Task& task, const base::ProcessEnd& end);
  void TellOtherHosts(const Task& task, const std::string& ended);
  void StartAll();
  void Do(const std::vector<LaunchPolicy::Action>& actions);
  void Order(Task& task);
  void ReplaceKeeper(Task& task);
  void StartAgain(const Task& task);
  void LookWhetherTheJobBegins();
  bool IsLeftUnfinished() const;
  bool IsCoordinator(const Task& task) const;
  void ForgetWhoIsGone();
  std::string JobDirectory() const;
  void OrderWaiting();
  void Fail(Task& task, const std::string& why);
  void Say(const std::string& text);
  void ShowBoard();
  void Finish();
  std::vector<std::pair<std::string, std::string>> VariablesFor(const Task& task) const;

  base::EventLoop& loop_;
  const LaunchOptions options_;
  const Write write_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::unique_ptr<LaunchPolicy> policy_;
  std::unique_ptr<LaunchBoard> board_;
  ClusterSpec cluster_;
  std::string token_, job_directory_;
  base::Timer grace_, board_timer_, keepers_, restart_, begins_;
  std::vector<int> waiting_;  // to be started again
  int lives_ = 1;             // of the job: one more whenever all that trained had ended
  base::Time started_{};
  bool all_addressed_ = false, done_ = false;
  bool lost_keeper_ = false;  // one ended before the job
  int interrupted_ = 0;
  LaunchReport report_;
};

/// The tasks that the options ask for, in the order of ranks, then servers and evaluators.
std::vector<TaskName> TasksOf(const LaunchOptions& options);

}  // namespace lockstep::cluster
