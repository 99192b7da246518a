#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// The tasks of a cluster: per job (chief, worker, ps, evaluator, or names of your own) the address
/// "host:port" of each task, by index. Indices may have holes.
/// Errors: InvalidArgument for jobs and tasks that the cluster does not have.
/// Source: tf.train.ClusterSpec.
class ClusterSpec {
 public:
  using Tasks = std::map<int, std::string>;
  using Jobs = std::map<std::string, Tasks, std::less<>>;

  ClusterSpec() = default;
  explicit ClusterSpec(Jobs jobs) : jobs_(std::move(jobs)) {}
  /// Dense jobs: {{"worker", {"a:2222", "b:2222"}}}.
  ClusterSpec(std::initializer_list<std::pair<const std::string, std::vector<std::string>>> jobs);

  /// The names of the jobs, sorted.
  std::vector<std::string> jobs() const;
  bool has_job(std::string_view job) const { return jobs_.contains(job); }
  /// How many tasks a job has.
  int num_tasks(std::string_view job) const;
  /// Whether no index below its greatest is left out.
  bool is_dense(std::string_view job) const;
  /// The indices of a job's tasks, sorted.
  std::vector<int> task_indices(std::string_view job) const;
  const std::string& task_address(std::string_view job, int index) const;
  /// The addresses by index; a hole is an empty text.
  std::vector<std::string> job_tasks(std::string_view job) const;
  const Jobs& as_dict() const { return jobs_; }
  bool empty() const { return jobs_.empty(); }

  void set_task_address(const std::string& job, int index, std::string address) {
    jobs_[job][index] = std::move(address);
  }

  /// As JSON, on one line: lists where the indices are dense, else objects by index.
  std::string ToJson() const;

  bool operator==(const ClusterSpec&) const = default;

 private:
  const Tasks& Find(std::string_view job) const;
  Jobs jobs_;
};

}  // namespace lockstep
