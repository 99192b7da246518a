#include "lockstep/cluster/cluster_spec.h"

#include "cluster/json_text.h"
#include "lockstep/base/status.h"

namespace lockstep {

namespace {

template <typename Keys>
std::string Listed(const Keys& keys) {
  std::string text;
  for (const auto& [key, unused] : keys) {
    if (!text.empty()) text += ", ";
    if constexpr (std::is_same_v<std::decay_t<decltype(key)>, int>) {
      text += std::to_string(key);
    } else {
      text += key;
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace

ClusterSpec::ClusterSpec(
    std::initializer_list<std::pair<const std::string, std::vector<std::string>>> jobs) {
  for (const auto& [job, addresses] : jobs) {
    Tasks& tasks = jobs_[job];
    for (size_t i = 0; i < addresses.size(); ++i) tasks[static_cast<int>(i)] = addresses[i];
  }
}

std::vector<std::string> ClusterSpec::jobs() const {
  std::vector<std::string> names;
  for (const auto& [job, tasks] : jobs_) names.push_back(job);
  return names;
}

const ClusterSpec::Tasks& ClusterSpec::Find(std::string_view job) const {
  const auto place = jobs_.find(job);
  if (place == jobs_.end()) {
    throw Error(Code::kInvalidArgument, "[cluster_spec] the cluster must have the job; got '" +
                                            std::string(job) + "' (jobs: " + Listed(jobs_) + ")");
  }
  return place->second;
}

int ClusterSpec::num_tasks(std::string_view job) const {
  return static_cast<int>(Find(job).size());
}

bool ClusterSpec::is_dense(std::string_view job) const {
  const Tasks& tasks = Find(job);
  return tasks.empty() ||
         (tasks.begin()->first == 0 && tasks.rbegin()->first == static_cast<int>(tasks.size()) - 1);
}

std::vector<int> ClusterSpec::task_indices(std::string_view job) const {
  std::vector<int> indices;
  for (const auto& [index, address] : Find(job)) indices.push_back(index);
  return indices;
}

const std::string& ClusterSpec::task_address(std::string_view job, int index) const {
  const Tasks& tasks = Find(job);
  const auto place = tasks.find(index);
  if (place == tasks.end()) {
    throw Error(Code::kInvalidArgument, "[cluster_spec] the job must have the task; got " +
                                            std::string(job) + " " + std::to_string(index) +
                                            " (tasks: " + Listed(tasks) + ")");
  }
  return place->second;
}

std::vector<std::string> ClusterSpec::job_tasks(std::string_view job) const {
  const Tasks& tasks = Find(job);
  std::vector<std::string> addresses;
  if (!tasks.empty()) addresses.resize(static_cast<size_t>(tasks.rbegin()->first) + 1);
  for (const auto& [index, address] : tasks) addresses[static_cast<size_t>(index)] = address;
  return addresses;
}

std::string ClusterSpec::ToJson() const {
  using cluster::Quoted;
  std::string text;
  for (const auto& [job, tasks] : jobs_) {
    const bool dense = is_dense(job);
    std::string inside;
    for (const auto& [index, address] : tasks) {
      if (!inside.empty()) inside += ", ";
      if (!dense) inside += Quoted(std::to_string(index)) + ": ";
      inside += Quoted(address);
    }
    if (!text.empty()) text += ", ";
    text += Quoted(job) + ": " + (dense ? "[" + inside + "]" : "{" + inside + "}");
  }
  return "{" + text + "}";
}

}  // namespace lockstep
