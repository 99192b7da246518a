#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/printf.h"
#include "cli/top.h"

namespace lockstep::cli {

namespace {

using base::MetricSample;
using base::Printf;
using distribute::EpochView;
using distribute::JobView;
using distribute::TaskView;
using nlohmann::ordered_json;

constexpr double kMiB = 1048576;

std::string LabelOf(const MetricSample& sample, const std::string& name) {
  for (const auto& [label, value] : sample.labels)
    if (label == name) return value;
  return "";
}

// The sum over all labels.
double ValueOf(const TaskView& view, const std::string& name) {
  double sum = 0;
  for (const MetricSample& sample : view.metrics)
    if (sample.name == name) sum += sample.value;
  return sum;
}

const MetricSample* Find(const TaskView& view, const std::string& name) {
  for (const MetricSample& sample : view.metrics)
    if (sample.name == name) return &sample;
  return nullptr;
}

const TaskView* SameTask(const JobView& job, const JobView::Task& task) {
  for (const JobView::Task& other : job.tasks)
    if (other.health.peer.incarnation == task.health.peer.incarnation) return &other.view;
  return nullptr;
}

void AddWaits(const TaskView& before, const TaskView& now, double seconds, TopLine& line) {
  std::map<std::string, double> waits;
  for (const MetricSample& sample : now.metrics)
    if (sample.name == "lockstep_wait_seconds_total")
      waits[LabelOf(sample, "peer")] += sample.value;
  for (const MetricSample& sample : before.metrics)
    if (sample.name == "lockstep_wait_seconds_total")
      waits[LabelOf(sample, "peer")] -= sample.value;
  double most = 0;
  for (const auto& [peer, waited] : waits) {
    line.waiting += waited / seconds;
    if (waited <= most) continue;
    most = waited;
    line.waits_for = peer;
  }
}

TopLine LineOf(const JobView::Task& task, const TaskView* earlier, double seconds) {
  const TaskView& view = task.view;
  TopLine line{.task = task.health.peer.job + " " + std::to_string(task.health.peer.index),
               .condition = cluster::ConditionName(task.health.condition),
               .activity = task.health.progress.activity,
               .step = task.health.progress.step};
  if (!task.reached.ok()) {
    line.activity = task.reached.message();
    return line;
  }
  line.step = static_cast<uint64_t>(ValueOf(view, "lockstep_steps_total"));
  if (const MetricSample* loss = Find(view, "lockstep_loss"); loss != nullptr && loss->value != 0)
    line.loss = Printf("%.4f", loss->value);
  line.memory_mib = ValueOf(view, "lockstep_resident_memory_bytes") / kMiB;
  line.recoveries = static_cast<uint64_t>(ValueOf(view, "lockstep_recoveries_total"));
  line.races = static_cast<uint64_t>(ValueOf(view, "lockstep_race_reports_total"));
  std::set<std::string> transports;
  for (const MetricSample& sample : view.metrics)
    if (sample.name == "lockstep_sent_bytes_total") transports.insert(LabelOf(sample, "transport"));
  for (const std::string& name : transports)
    line.transports += (line.transports.empty() ? "" : ",") + name;
  if (earlier == nullptr || seconds <= 0) return line;
  const auto grown = [&](const char* name) {
    return ValueOf(view, name) - ValueOf(*earlier, name);
  };
  line.steps_per_second = grown("lockstep_steps_total") / seconds;
  line.examples_per_second = grown("lockstep_examples_total") / seconds;
  line.sent_mib = grown("lockstep_sent_bytes_total") / kMiB / seconds;
  line.received_mib = grown("lockstep_received_bytes_total") / kMiB / seconds;
  const MetricSample* took = Find(view, "lockstep_step_seconds");
  const MetricSample* took_before = Find(*earlier, "lockstep_step_seconds");
  if (took != nullptr) {
    const double count =
        static_cast<double>(took->count() - (took_before == nullptr ? 0 : took_before->count()));
    if (count > 0) line.milliseconds = grown("lockstep_step_seconds") / count * 1000;
  }
  AddWaits(*earlier, view, seconds, line);
  return line;
}

}  // namespace

std::vector<TopLine> LinesOf(const JobView& before, const JobView& now, double seconds) {
  std::vector<TopLine> lines;
  for (const JobView::Task& task : now.tasks)
    lines.push_back(LineOf(task, SameTask(before, task), seconds));
  return lines;
}

std::string ShowJob(const std::vector<TopLine>& lines, const std::vector<EpochView>& epochs) {
  std::string text = Printf("%zu tasks", lines.size());
  if (!epochs.empty())
    text += Printf(", epoch %llu", static_cast<unsigned long long>(epochs.back().number));
  text += Printf("\n%-12s %-7s %8s %8s %9s %8s %9s %6s %-12s %8s %8s %8s %5s %5s  %s\n", "task",
                 "state", "step", "steps/s", "examples/s", "ms/step", "loss", "waits", "for",
                 "mem MiB", "MiB/s out", "MiB/s in", "recov", "races", "wire, activity");
  for (const TopLine& line : lines) {
    text += Printf(
        "%-12.12s %-7.7s %8llu %8.1f %10.0f %8.3f %9.9s %5.1f%% %-12.12s %8.1f %9.2f %8.2f %5llu "
        "%5llu  %.24s %.60s\n",
        line.task.c_str(), line.condition.c_str(), static_cast<unsigned long long>(line.step),
        line.steps_per_second, line.examples_per_second, line.milliseconds, line.loss.c_str(),
        line.waiting * 100, line.waits_for.c_str(), line.memory_mib, line.sent_mib,
        line.received_mib, static_cast<unsigned long long>(line.recoveries),
        static_cast<unsigned long long>(line.races), line.transports.c_str(),
        line.activity.c_str());
  }
  text += "membership\n";
  for (auto epoch = epochs.rbegin(); epoch != epochs.rend(); ++epoch) {
    std::string tasks;
    for (const std::string& task : epoch->tasks) tasks += (tasks.empty() ? "" : ", ") + task;
    text += Printf("  epoch %llu, %.0f s ago: ", static_cast<unsigned long long>(epoch->number),
                   std::chrono::duration<double>(epoch->age).count());
    text += tasks + (epoch->reason.empty() ? "" : " (" + epoch->reason + ")") + "\n";
  }
  return text;
}

std::string JobAsJson(const std::vector<TopLine>& lines, const std::vector<EpochView>& epochs) {
  ordered_json json{{"epoch", epochs.empty() ? 0 : epochs.back().number},
                    {"tasks", ordered_json::array()},
                    {"epochs", ordered_json::array()}};
  for (const TopLine& line : lines) {
    json["tasks"].push_back(
        {{"task", line.task},
         {"state", line.condition},
         {"activity", line.activity},
         {"step", line.step},
         {"steps_per_s", line.steps_per_second},
         {"examples_per_s", line.examples_per_second},
         {"ms_per_step", line.milliseconds},
         {"loss", line.loss.empty() ? ordered_json() : ordered_json(std::stod(line.loss))},
         {"waiting", line.waiting},
         {"waits_for", line.waits_for},
         {"memory_mib", line.memory_mib},
         {"sent_mib_per_s", line.sent_mib},
         {"received_mib_per_s", line.received_mib},
         {"transports", line.transports},
         {"recoveries", line.recoveries},
         {"race_reports", line.races}});
  }
  for (const EpochView& epoch : epochs) {
    json["epochs"].push_back({{"epoch", epoch.number},
                              {"reason", epoch.reason},
                              {"tasks", epoch.tasks},
                              {"seconds_ago", std::chrono::duration<double>(epoch.age).count()}});
  }
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace lockstep::cli
