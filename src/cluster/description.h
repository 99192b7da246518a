#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "lockstep/cluster/cluster_spec.h"

namespace lockstep::cluster {

/// What a process was started with; passed in, so that tests and fuzzers can make one up.
/// `base::ProcessEnvironment()` gives the real one.
using Environment = std::map<std::string, std::string>;

/// A task by its job and index: worker 2.
struct TaskName {
  std::string job = "worker";
  int index = 0;
  /// "worker 2"
  std::string ToString() const { return job + " " + std::to_string(index); }
  auto operator<=>(const TaskName&) const = default;
};

/// Something known about the cluster, and who said so.
struct Fact {
  std::string what;      // "number of workers"
  std::string value;     // "4"
  std::string variable;  // "OMPI_COMM_WORLD_SIZE"
};

/// A cluster as one of its tasks sees it.
/// Ranks: the chief, if there is one, is rank 0, then come the workers by index; ps and evaluator
/// have none (TensorFlow's id_in_cluster), unless servers take part in the training.
struct Description {
  /// Every task. An address may be unknown: empty, or with port 0; its task publishes it.
  ClusterSpec cluster;
  TaskName task;
  int devices = 0;                      // of each task; 0: not said
  int local_index = 0, local_size = 1;  // among the tasks on this host, as far as known
  std::string rpc_layer;
  std::string environment;
  /// Where the tasks meet: "host:port", several divided by commas; empty: at the leader's address.
  /// Where nobody says the leader's address, it is the first of these.
  std::string coordinator;
  /// A directory that all tasks on this host see; empty: none.
  std::string job_directory;
  /// A name that this job's tasks share and no other job on their machines has; empty: none. Tasks
  /// on one host may meet by it where nobody says an address.
  std::string job_id;
  /// Whether ps tasks have ranks, after the workers' (ParameterServerStrategy).
  bool servers_have_ranks = false;
  std::string resolver;  // who found it; "none": one process alone
  std::vector<Fact> facts;

  int num_ranks() const;
  /// This task's rank; -1 for tasks that do not train.
  int rank() const { return RankOf(task); }
  int RankOf(const TaskName& name) const;
  TaskName TaskOfRank(int rank) const;
  /// Empty if unknown.
  std::string AddressOf(const TaskName& name) const;
  /// All tasks, in the order of ranks, then ps, then evaluators and other jobs.
  std::vector<TaskName> Tasks() const;
  /// Chief, or worker 0 where there is no chief: writes saves, leads collectives.
  TaskName Leader() const;
  bool IsChief() const { return task == Leader(); }
  /// Whether tasks of several know an address of one of them.
  bool SaysWhereToMeet() const;
  /// Sets `coordinator`, and by it the leader's address where that is unknown.
  void MeetAt(const std::string& addresses);
  /// The devices of a task whose program names none: as described, else this task's share of the
  /// host's cores.
  int DevicesHere() const;
  /// Whether all tasks are known to be on this host.
  bool IsOneHost() const { return local_size == static_cast<int>(Tasks().size()); }
  /// Its form as TF_CONFIG, on one line, for this task.
  std::string ToTfConfig() const;
};

/// `size` workers with unknown addresses, of which this is `rank`.
Description DescribeWorkers(int size, int rank);

/// In single quotes, as the shell reads it.
std::string ShellQuoted(const std::string& text);
/// `export NAME='VALUE'`, quoted for the shell.
std::string ExportLine(const std::string& name, const std::string& value);

}  // namespace lockstep::cluster
