#include "cluster/description.h"

#include <algorithm>

#include "base/cores.h"
#include "cluster/json_text.h"

namespace lockstep::cluster {

namespace {

const ClusterSpec::Tasks& TasksOf(const ClusterSpec& cluster, const char* job) {
  static const ClusterSpec::Tasks kNone;
  const auto place = cluster.as_dict().find(job);
  return place == cluster.as_dict().end() ? kNone : place->second;
}

// The jobs whose tasks have ranks, in the order of ranks.
std::vector<const char*> JobsWithRanks(const Description& description) {
  std::vector<const char*> jobs{"chief", "worker"};
  if (description.servers_have_ranks) jobs.push_back("ps");
  return jobs;
}

}  // namespace

int Description::num_ranks() const {
  if (cluster.empty()) return 1;
  size_t ranks = 0;
  for (const char* job : JobsWithRanks(*this)) ranks += TasksOf(cluster, job).size();
  return static_cast<int>(ranks);
}

int Description::RankOf(const TaskName& name) const {
  if (cluster.empty()) return name == task ? 0 : -1;
  int rank = 0;
  for (const char* job : JobsWithRanks(*this)) {
    for (const auto& [index, address] : TasksOf(cluster, job)) {
      if (name.job == job && name.index == index) return rank;
      ++rank;
    }
  }
  return -1;
}

TaskName Description::TaskOfRank(int rank) const {
  for (const char* job : JobsWithRanks(*this)) {
    for (const auto& [index, address] : TasksOf(cluster, job)) {
      if (rank-- == 0) return {job, index};
    }
  }
  return task;
}

std::string Description::AddressOf(const TaskName& name) const {
  const auto& tasks = TasksOf(cluster, name.job.c_str());
  const auto place = tasks.find(name.index);
  return place == tasks.end() ? std::string() : place->second;
}

std::vector<TaskName> Description::Tasks() const {
  std::vector<TaskName> names;
  const auto add = [&](const std::string& job, const ClusterSpec::Tasks& tasks) {
    for (const auto& [index, address] : tasks) names.push_back({job, index});
  };
  for (const char* job : {"chief", "worker", "ps"}) add(job, TasksOf(cluster, job));
  for (const auto& [job, tasks] : cluster.as_dict()) {
    if (job != "chief" && job != "worker" && job != "ps") add(job, tasks);
  }
  return names;
}

int Description::DevicesHere() const {
  return devices > 0 ? devices : std::max(1, base::Cores() / std::max(1, local_size));
}

TaskName Description::Leader() const { return num_ranks() == 0 ? task : TaskOfRank(0); }

std::string Description::ToTfConfig() const {
  std::string text = "{\"cluster\": " + cluster.ToJson() +
                     ", \"task\": {\"type\": " + Quoted(task.job) +
                     ", \"index\": " + std::to_string(task.index) + "}";
  if (!rpc_layer.empty()) text += ", \"rpc_layer\": " + Quoted(rpc_layer);
  if (!environment.empty()) text += ", \"environment\": " + Quoted(environment);
  return text + "}";
}

bool Description::SaysWhereToMeet() const {
  if (!coordinator.empty() || num_ranks() <= 1) return true;
  for (int rank = 0; rank < num_ranks(); ++rank) {
    const std::string address = AddressOf(TaskOfRank(rank));
    if (!address.empty() && !address.ends_with(":0")) return true;
  }
  return false;
}

void Description::MeetAt(const std::string& addresses) {
  coordinator = addresses;
  if (cluster.empty() || num_ranks() == 0) return;
  const TaskName leader = Leader();
  const std::string known = AddressOf(leader);
  if (!known.empty() && !known.ends_with(":0")) return;
  cluster.set_task_address(leader.job, leader.index, addresses.substr(0, addresses.find(',')));
}

Description DescribeWorkers(int size, int rank) {
  Description description;
  description.task.index = rank;
  for (int i = 0; i < size; ++i) description.cluster.set_task_address("worker", i, "");
  return description;
}

std::string ShellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ExportLine(const std::string& name, const std::string& value) {
  return "export " + name + "=" + ShellQuoted(value);
}

}  // namespace lockstep::cluster
