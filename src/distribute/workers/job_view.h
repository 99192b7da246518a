#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "cluster/health.h"
#include "net/rpc.h"

/// What who watches a job is told by its tasks. Nothing here changes anything in the job.

namespace lockstep::distribute {

/// An epoch that a task has been in.
struct EpochView {
  uint64_t number = 0;
  std::string reason;
  std::vector<std::string> tasks;  // by rank: "worker 0"
  base::Duration age{};
};

/// A task as it sees itself.
struct TaskView {
  std::string task;
  std::vector<base::MetricSample> metrics;
  std::vector<EpochView> epochs;  // the last ones, the newest last
};
std::string Encode(const TaskView& view);
/// Errors: DataLoss.
Result<TaskView> DecodeTaskView(const std::string& text);

/// All tasks, as the leader hears of them, and what each says of itself.
struct JobView {
  struct Task {
    cluster::TaskHealth health;
    Status reached;  // why there is no view of it
    TaskView view;
  };
  std::vector<Task> tasks;  // by rank
  /// Of the task that was asked.
  std::vector<EpochView> epochs;
};
using OnJobView = std::function<void(const Result<JobView>&)>;

/// Asks the task at `address`, and then all others, each for no longer than `limit`. Errors given
/// to `done`: those of the first call.
void ReadJob(net::Rpc& rpc, const std::string& address, base::Duration limit, OnJobView done);

/// Where the tasks of a job on this host can be asked: a file of each in the job's directory, which
/// only its user can read.
struct Contact {
  std::string task;
  std::string address;
  std::string token;
  std::string credentials;  // a directory; may be empty
  int64_t process = 0;      // on this host
};
Status NoteContact(const std::string& job_directory, const Contact& contact);
/// None where the directory has none.
std::vector<Contact> ContactsIn(const std::string& job_directory);

inline constexpr const char* kWatchTask = "watch.Task";
inline constexpr const char* kWatchJob = "watch.Job";

}  // namespace lockstep::distribute
