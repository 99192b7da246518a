#include "cluster/jobs_variable.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "cluster/address.h"
#include "cluster/names.h"

namespace lockstep::cluster {

namespace {

constexpr char kName[] = "LOCKSTEP_JOBS";
using Counts = std::map<std::string, int>;

std::string TextOf(const Counts& counts) {
  std::string text;
  for (const std::string& job : JobNames()) {
    const auto count = counts.find(job);
    if (count == counts.end() || count->second == 0) continue;
    text += (text.empty() ? "" : ",") + job + ":" + std::to_string(count->second);
  }
  return text;
}

// One "job:count"; what is wrong becomes a mistake, and what was meant by it goes into `counts`.
// Gives whether it is right.
bool ReadEntry(Variables& variables, const std::string& entry, Counts& counts) {
  const auto wrong = [&](const std::string& expected, const std::string& got,
                         const std::string& cure) {
    variables.Wrong(kName, expected, got, cure);
    return false;
  };
  const size_t divider = entry.find_first_of(":= ");
  const std::string name = entry.substr(0, divider);
  const std::string job = IsJob(name) ? name : MeantName(name, JobNames(), JobSynonyms());
  const int most = job == "chief" || job == "evaluator" ? 1 : kMostTasks;
  constexpr int kNone = -1;
  const int count = divider == std::string::npos
                        ? kNone
                        : ReadNumber(entry.substr(divider + 1), 0, kMostTasks).value_or(kNone);
  if (job.empty()) {
    return wrong("a job must be chief, worker, ps or evaluator", "'" + name + "'",
                 "write worker:4,ps:2");
  }
  const bool twice = counts.contains(job);
  if (count != kNone) counts[job] = std::min(counts[job] + count, most);
  if (name != job) {
    return wrong("a job must be chief, worker, ps or evaluator", "'" + name + "'",
                 "call it " + job);
  }
  if (count == kNone || count > most) {
    return wrong("the number of " + job + " tasks must be from 0 to " + std::to_string(most),
                 "'" + entry + "'", "write " + job + ":1");
  }
  if (entry[divider] != ':') {
    return wrong("a job and its number must be divided by a colon", "'" + entry + "'",
                 "write " + job + ":" + std::to_string(count));
  }
  return twice ? wrong("each job must be there once", "'" + job + "' twice", "add them") : true;
}

Counts CountsOf(const Description& described) {
  Counts counts;
  for (const TaskName& task : described.Tasks()) ++counts[task.job];
  return counts;
}

// What was probably meant for so many tasks.
std::string Meant(Counts counts, int tasks) {
  int others = 0;
  for (const auto& [job, count] : counts) others += job == "worker" ? 0 : count;
  if (others >= tasks) counts.clear(), others = 0;
  counts["worker"] = tasks - others;
  return TextOf(counts);
}

// What `text` says, or means. `broken`: there are entries that are wrong.
Counts ReadJobCounts(Variables& variables, const std::string& text, bool& broken) {
  Counts counts;
  std::istringstream stream(text);
  for (std::string entry; std::getline(stream, entry, ',');)
    broken |= !ReadEntry(variables, entry, counts);
  return counts;
}

// Gives the tasks, in their order, the jobs that `counts` says.
void GiveJobs(const Counts& counts, Description* described) {
  const std::vector<TaskName> tasks = described->Tasks();
  if (tasks.empty()) return;
  ClusterSpec cluster;
  size_t next = 0;
  TaskName own = described->task;
  for (const std::string& job : JobNames()) {
    const auto count = counts.find(job);
    for (int i = 0; count != counts.end() && i < count->second; ++i, ++next) {
      if (tasks[next] == described->task) own = {job, i};
      cluster.set_task_address(job, i, described->AddressOf(tasks[next]));
    }
  }
  described->cluster = std::move(cluster);
  described->task = own;
}

}  // namespace

void ApplyJobs(Variables& variables, Description* described) {
  const auto text = variables.Text(kName);
  if (!text) return;
  bool broken = false;
  Counts counts = ReadJobCounts(variables, *text, broken);
  if (described == nullptr) {
    if (broken && !counts.empty()) variables.Correct(kName, TextOf(counts));
    return;
  }
  const Counts known = CountsOf(*described);
  const bool has_jobs = known.size() > 1 || (known.size() == 1 && !known.contains("worker"));
  if (has_jobs) {
    if (!broken && TextOf(counts) == TextOf(known)) return;
    variables.Wrong(kName, "it must agree with the cluster, whose jobs are known",
                    TextOf(counts) + " and " + TextOf(known), "unset it");
    return variables.Correct(kName, TextOf(known));
  }
  const int size = std::max<int>(1, static_cast<int>(described->Tasks().size()));
  int sum = 0;
  for (const auto& [job, count] : counts) sum += count;
  if (broken || sum != size || counts["chief"] + counts["worker"] == 0) {
    if (!broken) {
      variables.Wrong(kName, "it must say what each task is, a worker or chief among them",
                      std::to_string(sum) + " for " + std::to_string(size) + " tasks",
                      "let the numbers add up");
    }
    return variables.Correct(kName, Meant(std::move(counts), size));
  }
  variables.Note("jobs", *text, kName);
  GiveJobs(counts, described);
}

}  // namespace lockstep::cluster
