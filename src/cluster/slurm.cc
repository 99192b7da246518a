#include <algorithm>
#include <numeric>

#include "cluster/address.h"
#include "cluster/node_list.h"
#include "cluster/resolvers.h"
#include "cluster/variables.h"

namespace lockstep::cluster {

namespace {

class SlurmResolver final : public Resolver {
 public:
  const char* name() const override { return "Slurm"; }
  std::vector<std::string> variables() const override { return {"SLURM_*"}; }
  // Inside a step alone: a batch script has SLURM_PROCID, too, but is no task.
  bool Finds(const Environment& environment) const override {
    return Lookup(environment, "SLURM_STEP_NUM_TASKS") ||
           Lookup(environment, "SLURM_STEP_NODELIST");
  }
  std::optional<Mistake> Hint(const Environment& environment) const override {
    if (!Lookup(environment, "SLURM_JOB_ID")) return {};
    return Mistake{"SLURM_JOB_ID", "", "the tasks of an allocation are those of a step",
                   "an allocation without a step: one process alone", "srun PROGRAM ARGUMENTS"};
  }

  Resolution Resolve(const Environment& environment) const override {
    Resolution resolution;
    Variables variables(environment, resolution);
    const auto placed =
        ExpandTasksPerNode(variables.Text("SLURM_STEP_TASKS_PER_NODE").value_or(""));
    const int64_t sum =
        placed.ok() ? std::accumulate(placed->begin(), placed->end(), int64_t{0}) : 1;
    const int size =
        variables.Size("SLURM_STEP_NUM_TASKS", "number of the step's tasks", "SLURM_PROCID",
                       static_cast<int>(std::min<int64_t>(sum, kMostTasks)));
    int rank = variables.Number("SLURM_PROCID", "rank", 0, kMostTasks, 0);
    if (rank >= size) {
      variables.Wrong("SLURM_PROCID", "it must be below SLURM_STEP_NUM_TASKS",
                      std::to_string(rank) + " of " + std::to_string(size),
                      "start all tasks by one srun");
      rank = size - 1;
    }
    Description description = DescribeWorkers(size, rank);
    const auto hosts = ReadHosts(variables);
    const auto counts = ReadCounts(variables, size);
    if (!hosts.empty() && !counts.empty() && hosts.size() != counts.size()) {
      variables.Wrong("SLURM_STEP_TASKS_PER_NODE",
                      "it must have as many entries as there are hosts",
                      std::to_string(counts.size()) + " for " + std::to_string(hosts.size()),
                      "start all tasks by one srun");
    } else if (resolution.mistakes.empty()) {
      Place(variables, hosts, counts, description);
    }
    Meet(variables, hosts, description);
    const size_t known = hosts.empty() ? counts.size() : hosts.size();
    const std::string nodes = std::to_string(std::max<size_t>(known, 1));
    if (!resolution.mistakes.empty()) {
      resolution.corrected =
          "srun --nodes=" + nodes + " --ntasks=" + std::to_string(size) + " PROGRAM ARGUMENTS";
    }
    variables.Finish(description);
    return resolution;
  }

 private:
  static std::vector<std::string> ReadHosts(Variables& variables) {
    const char* const kName = "SLURM_STEP_NODELIST";
    const auto text = variables.Text(kName);
    if (!text) {
      variables.Wrong(kName, "it must list the step's hosts", "nothing",
                      "start the program by srun");
      return {};
    }
    auto hosts = ExpandNodeList(*text);
    if (hosts.ok()) {
      variables.Note("hosts", *text, kName);
      return *hosts;
    }
    NoteBroken(variables, kName, hosts.status());
    return {};
  }

  static std::vector<int> ReadCounts(Variables& variables, int size) {
    const char* const kName = "SLURM_STEP_TASKS_PER_NODE";
    const auto text = variables.Text(kName);
    if (!text) return {};
    auto counts = ExpandTasksPerNode(*text);
    if (!counts.ok()) {
      NoteBroken(variables, kName, counts.status());
      return {};
    }
    const int64_t sum = std::accumulate(counts->begin(), counts->end(), int64_t{0});
    if (sum != size) {
      variables.Wrong(kName, "its sum must be SLURM_STEP_NUM_TASKS",
                      std::to_string(sum) + " and " + std::to_string(size),
                      "start all tasks by one srun");
      return {};
    }
    variables.Note("tasks on each host", *text, kName);
    return *counts;
  }

  // "rule; got values (place)" of a list becomes a mistake.
  static void NoteBroken(Variables& variables, const char* name, const Status& status) {
    const std::string& text = status.message();
    const size_t cut = text.find("; got ");
    variables.Wrong(name, text.substr(0, cut),
                    cut == std::string::npos ? "another" : text.substr(cut + 6),
                    "start the program by srun");
  }

  // Which task is on which host: by blocks, unless Slurm says that this one is elsewhere.
  static void Place(Variables& variables, const std::vector<std::string>& hosts,
                    const std::vector<int>& counts, Description& description) {
    const int rank = description.task.index;
    const int node = variables.NumberOr("SLURM_NODEID", "index of this host", 0, kMostTasks, -1);
    description.local_index =
        variables.NumberOr("SLURM_LOCALID", "index on this host", 0, kMostTasks, 0);
    if (counts.empty()) return;
    int first = 0, by_block = 0;
    while (rank >= first + counts[static_cast<size_t>(by_block)]) {
      first += counts[static_cast<size_t>(by_block++)];
    }
    if (node >= static_cast<int>(counts.size())) {
      return variables.Wrong("SLURM_NODEID", "it must be below the number of hosts",
                             std::to_string(node) + " of " + std::to_string(counts.size()),
                             "start all tasks by one srun");
    }
    const int here = node < 0 ? by_block : node;
    description.local_size = std::max(1, counts[static_cast<size_t>(here)]);
    if (description.local_index >= description.local_size) {
      return variables.Wrong(
          "SLURM_LOCALID", "it must be below the number of tasks on this host",
          std::to_string(description.local_index) + " of " + std::to_string(description.local_size),
          "start all tasks by one srun");
    }
    if (here != by_block || (node >= 0 && description.local_index != rank - first)) return;
    // On one host nobody else needs to be let in.
    const auto name = [&](size_t host) { return hosts.size() == 1 ? "127.0.0.1" : hosts[host]; };
    int task = 0;
    for (size_t host = 0; host < hosts.size(); ++host) {
      for (int i = 0; i < counts[host]; ++i) {
        description.cluster.set_task_address("worker", task++, Address{name(host), 0}.ToString());
      }
    }
  }

  // The port follows from job and step, as nobody hands one over; JAX's choice.
  static void Meet(Variables& variables, const std::vector<std::string>& hosts,
                   Description& description) {
    const int job = variables.NumberOr("SLURM_JOB_ID", "number of the job", 0, 999'999'999, 0);
    const auto step = variables.Text("SLURM_STEP_ID").value_or("0");
    const int step_number = ReadNumber(step, 0, 999'999'999).value_or(0) % 4096;
    description.job_id = "slurm-" + std::to_string(job) + "-" + step;
    if (hosts.empty()) return;
    const std::string where = hosts.size() == 1 ? "127.0.0.1" : hosts[0];
    description.MeetAt(Address{where, (job + step_number) % 4096 + 61440}.ToString());
  }
};

}  // namespace

std::unique_ptr<Resolver> MakeSlurmResolver() { return std::make_unique<SlurmResolver>(); }

}  // namespace lockstep::cluster
