#include "monitor/profile_summary.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/printf.h"

namespace lockstep::monitor {

namespace {

using base::Printf;
using base::Trace;
using base::TraceEvent;
using Kind = TraceEvent::Kind;

constexpr size_t kOps = 10, kStepLines = 20;
constexpr double kMiB = 1048576;

double Milliseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

// How much of `event` lies in `step`.
int64_t Within(const TraceEvent& event, const TraceEvent& step) {
  return std::max<int64_t>(0,
                           std::min(event.end(), step.end()) - std::max(event.begin, step.begin));
}

double* PlaceOf(StepTime& time, const std::string& phase) {
  if (phase == "input") return &time.input;
  if (phase == "step") return &time.compute;
  if (phase == "callback") return &time.callback;
  if (phase == "save") return &time.save;
  if (phase == "evaluation") return &time.evaluation;
  return nullptr;
}

// The events of a kind, by their beginning; those of one kind here never overlap.
std::vector<const TraceEvent*> Of(const Trace& trace, Kind kind) {
  std::vector<const TraceEvent*> events;
  for (const TraceEvent& event : trace.events)
    if (event.kind == kind) events.push_back(&event);
  return events;
}

StepTime TimeOf(const Trace& trace, const TraceEvent& step,
                const std::vector<const TraceEvent*>& phases,
                const std::vector<const TraceEvent*>& waits) {
  StepTime time{.whole = Milliseconds(step.length)};
  for (const TraceEvent* phase : phases) {
    double* place = PlaceOf(time, trace.NameOf(phase->name));
    if (place == nullptr || Within(*phase, step) == 0) continue;
    *place += Milliseconds(Within(*phase, step));
    for (const TraceEvent* wait : waits) {
      TraceEvent part = *wait;
      part.begin = std::max(part.begin, step.begin);
      part.length = std::min(wait->end(), step.end()) - part.begin;
      if (part.length > 0) *place -= Milliseconds(Within(part, *phase));
    }
  }
  for (const TraceEvent* wait : waits) time.wait += Milliseconds(Within(*wait, step));
  return time;
}

void AddSteps(const Trace& trace, size_t task, size_t tasks,
              std::map<uint64_t, ProfileSummary::Step>& steps) {
  const auto phases = Of(trace, Kind::kPhase), waits = Of(trace, Kind::kWait);
  for (const TraceEvent* step : Of(trace, Kind::kStep)) {
    ProfileSummary::Step& own = steps[step->value];
    own.step = step->value;
    own.by_task.resize(tasks);
    own.by_task[task] = TimeOf(trace, *step, phases, waits);
    std::map<std::string, double> by_peer;
    for (const TraceEvent* wait : waits) {
      if (wait->peer != TraceEvent::kNone && Within(*wait, *step) > 0)
        by_peer[trace.NameOf(wait->peer)] += Milliseconds(Within(*wait, *step));
    }
    for (const auto& [peer, milliseconds] : by_peer) {
      if (milliseconds <= own.longest_wait) continue;
      own.longest_wait = milliseconds;
      own.waiter = trace.task;
      own.waited_for = peer;
    }
  }
}

}  // namespace

std::string KindOfOp(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789");  // "SelectV2" ends with one of its own
  const bool numbered = end != std::string::npos && end > 0 && end + 1 < name.size();
  return numbered && name[end] == '_' ? name.substr(0, end) : name;
}

ProfileSummary Summarize(const Profile& profile) {
  ProfileSummary summary{.clocks = profile.clocks};
  const size_t tasks = profile.tasks.size();
  std::map<std::string, size_t> numbers;
  for (const Trace& trace : profile.tasks) {
    numbers[trace.task] = summary.tasks.size();
    summary.tasks.push_back(trace.task);
    summary.dropped += trace.dropped;
  }
  summary.waits.assign(tasks, std::vector<double>(tasks, 0));
  summary.by_task.resize(tasks);
  std::map<uint64_t, ProfileSummary::Step> steps;
  std::map<std::string, double> ops;
  for (size_t i = 0; i < tasks; ++i) {
    const Trace& trace = profile.tasks[i];
    AddSteps(trace, i, tasks, steps);
    ProfileSummary::Task& own = summary.by_task[i];
    for (const TraceEvent& event : trace.events) {
      const auto bytes = static_cast<double>(event.value) / kMiB;
      if (event.kind == Kind::kMemory) own.memory_mib = std::max(own.memory_mib, bytes);
      if (event.kind == Kind::kSend) own.sent_mib += bytes;
      if (event.kind == Kind::kReceive) own.received_mib += bytes;
      if (event.kind == Kind::kOp)
        ops[KindOfOp(trace.NameOf(event.name))] += Milliseconds(event.length);
      if (event.kind != Kind::kWait) continue;
      const auto peer = numbers.find(trace.NameOf(event.peer));
      if (peer != numbers.end()) summary.waits[i][peer->second] += Milliseconds(event.length);
    }
  }
  for (auto& [number, step] : steps) summary.steps.push_back(std::move(step));
  summary.ops.assign(ops.begin(), ops.end());
  std::stable_sort(summary.ops.begin(), summary.ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (summary.ops.size() > kOps) summary.ops.resize(kOps);
  return summary;
}

StepTime ProfileSummary::MeanOf(size_t task) const {
  StepTime mean;
  double count = 0;
  for (const Step& step : steps) {
    const StepTime& time = step.by_task[task];
    if (time.whole == 0) continue;  // it was not there yet
    ++count;
    for (double StepTime::*part :
         {&StepTime::whole, &StepTime::input, &StepTime::compute, &StepTime::wait,
          &StepTime::callback, &StepTime::save, &StepTime::evaluation})
      mean.*part += time.*part;
  }
  if (count == 0) return mean;
  for (double StepTime::*part :
       {&StepTime::whole, &StepTime::input, &StepTime::compute, &StepTime::wait,
        &StepTime::callback, &StepTime::save, &StepTime::evaluation})
    mean.*part /= count;
  return mean;
}

namespace {

std::string DescribeTasks(const ProfileSummary& summary) {
  std::string text = Printf(
      "profile of steps %llu to %llu, milliseconds a step\n%-12s %9s %8s %8s %8s %8s %8s %8s %9s "
      "%9s\n",
      static_cast<unsigned long long>(summary.steps.front().step),
      static_cast<unsigned long long>(summary.steps.back().step), "task", "whole", "input",
      "compute", "wait", "callback", "save", "other", "mem MiB", "sent MiB");
  for (size_t i = 0; i < summary.tasks.size(); ++i) {
    const StepTime mean = summary.MeanOf(i);
    text += Printf("%-12.12s %9.3f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %9.1f %9.2f\n",
                   summary.tasks[i].c_str(), mean.whole, mean.input, mean.compute, mean.wait,
                   mean.callback, mean.save, mean.other() + mean.evaluation,
                   summary.by_task[i].memory_mib, summary.by_task[i].sent_mib);
  }
  return text;
}

std::string DescribeSteps(const ProfileSummary& summary) {
  std::string text = "step by step, the task that took longest:\n";
  for (size_t s = 0; s < summary.steps.size() && s < kStepLines; ++s) {
    const auto& step = summary.steps[s];
    const auto slowest =
        std::max_element(step.by_task.begin(), step.by_task.end(),
                         [](const StepTime& a, const StepTime& b) { return a.whole < b.whole; });
    text += Printf("%6llu  %-12.12s %9.3f  input %.3f  compute %.3f  wait %.3f",
                   static_cast<unsigned long long>(step.step),
                   summary.tasks[static_cast<size_t>(slowest - step.by_task.begin())].c_str(),
                   slowest->whole, slowest->input, slowest->compute, slowest->wait);
    if (!step.waiter.empty())
      text += Printf("; longest: %s waits %.3f for %s", step.waiter.c_str(), step.longest_wait,
                     step.waited_for.c_str());
    text += "\n";
  }
  if (summary.steps.size() > kStepLines)
    text += Printf("  ... %zu more\n", summary.steps.size() - kStepLines);
  return text;
}

std::string DescribeWaits(const ProfileSummary& summary) {
  if (summary.tasks.size() < 2) return "";
  std::string text = "who waited for whom, milliseconds in all:\n";
  for (size_t i = 0; i < summary.tasks.size(); ++i) {
    for (size_t j = 0; j < summary.tasks.size(); ++j) {
      if (i != j && summary.waits[i][j] > 0)
        text += Printf("  %s for %s: %.3f\n", summary.tasks[i].c_str(), summary.tasks[j].c_str(),
                       summary.waits[i][j]);
    }
  }
  return text;
}

std::string DescribeClocks(const ProfileSummary& summary) {
  std::string text;
  for (const ClockOffset& clock : summary.clocks) {
    if (!clock.known)
      text += "the clock of " + clock.host + " is unknown: no messages went both ways\n";
    else if (clock.ahead != 0 || clock.uncertainty != 0)
      text +=
          Printf("the clock of %.36s is %.3f ms ahead (give or take %.3f), and was corrected\n",
                 clock.host.c_str(), Milliseconds(clock.ahead), Milliseconds(clock.uncertainty));
  }
  return text;
}

}  // namespace

std::string Describe(const ProfileSummary& summary) {
  if (summary.steps.empty()) return "profile: no step was recorded\n";
  std::string text = DescribeTasks(summary) + DescribeSteps(summary) + DescribeWaits(summary);
  text += "dearest ops, milliseconds of all lanes:\n";
  for (const auto& [name, milliseconds] : summary.ops)
    text += Printf("  %-40.40s %9.3f\n", name.c_str(), milliseconds);
  text += DescribeClocks(summary);
  if (summary.dropped > 0)
    text += Printf("%llu events had no room; profile fewer steps\n",
                   static_cast<unsigned long long>(summary.dropped));
  return text;
}

namespace {

nlohmann::ordered_json ToObject(const StepTime& time) {
  return {{"ms", time.whole},
          {"input_ms", time.input},
          {"compute_ms", time.compute},
          {"wait_ms", time.wait},
          {"callback_ms", time.callback},
          {"save_ms", time.save},
          {"evaluation_ms", time.evaluation},
          {"other_ms", time.other()}};
}

}  // namespace

std::string ToJson(const ProfileSummary& summary) {
  nlohmann::ordered_json json{
      {"tasks", nlohmann::ordered_json::array()},  {"steps", nlohmann::ordered_json::array()},
      {"waits", nlohmann::ordered_json::array()},  {"ops", nlohmann::ordered_json::object()},
      {"clocks", nlohmann::ordered_json::array()}, {"dropped", summary.dropped}};
  for (size_t i = 0; i < summary.tasks.size(); ++i) {
    auto task = ToObject(summary.MeanOf(i));
    task["task"] = summary.tasks[i];
    task["memory_mib"] = summary.by_task[i].memory_mib;
    task["sent_mib"] = summary.by_task[i].sent_mib;
    task["received_mib"] = summary.by_task[i].received_mib;
    json["tasks"].push_back(std::move(task));
    for (size_t j = 0; j < summary.tasks.size(); ++j) {
      if (summary.waits[i][j] > 0)
        json["waits"].push_back(
            {{"task", summary.tasks[i]}, {"for", summary.tasks[j]}, {"ms", summary.waits[i][j]}});
    }
  }
  for (const auto& step : summary.steps) {
    nlohmann::ordered_json own{{"step", step.step}, {"tasks", nlohmann::ordered_json::array()}};
    for (const StepTime& time : step.by_task) own["tasks"].push_back(ToObject(time));
    if (!step.waiter.empty())
      own["longest_wait"] = {
          {"task", step.waiter}, {"for", step.waited_for}, {"ms", step.longest_wait}};
    json["steps"].push_back(std::move(own));
  }
  for (const auto& [name, milliseconds] : summary.ops) json["ops"][name] = milliseconds;
  for (const ClockOffset& clock : summary.clocks)
    json["clocks"].push_back({{"host", clock.host},
                              {"ahead_ns", clock.ahead},
                              {"uncertainty_ns", clock.uncertainty},
                              {"known", clock.known}});
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace lockstep::monitor
