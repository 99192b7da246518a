#include "cluster/launch/policy.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace lockstep::cluster {

using Action = LaunchPolicy::Action;

bool IsDeath(const base::ProcessEnd& end) {
  return end.signal != 0 || (end.status > 128 && end.status <= 128 + SIGRTMAX);
}

bool WasAskedToEnd(const base::ProcessEnd& end) {
  const int status = end.exit_status() - 128;
  return status == SIGINT || status == SIGTERM || status == SIGHUP;
}

LaunchPolicy::LaunchPolicy(std::vector<TaskName> tasks, const LaunchRules& rules) : rules_(rules) {
  for (TaskName& name : tasks) states_.push_back({.name = std::move(name)});
}

std::vector<Action> LaunchPolicy::Begin() {
  std::vector<Action> actions;
  for (size_t i = 0; i < states_.size(); ++i) {
    states_[i].running = true;
    actions.push_back({Action::Kind::kStart, static_cast<int>(i)});
  }
  return actions;
}

std::vector<Action> LaunchPolicy::Ended(int task, const base::ProcessEnd& end) {
  State& state = states_[static_cast<size_t>(task)];
  state.running = false;
  if (end.ok() || state.leaving) return StopOthersIfDone();
  if (stopping_) {
    // What was told to stop may end as it likes, unless it was the user who told.
    if (interrupted_ && !failure_ && !IsServer(state)) {
      failure_ = end;
      failed_task_ = task;
    }
    return StopOthersIfDone();
  }
  state.has_died |= IsDeath(end);
  const bool restarts = (state.has_died && !WasAskedToEnd(end)) || rules_.restart_errors;
  if (restarts && state.restarts < rules_.max_restarts) {
    ++state.restarts;
    state.running = true;
    return {{Action::Kind::kStart, task}};
  }
  if (state.has_died && MayLose(state)) {
    state.lost = true;
    return StopOthersIfDone();
  }
  return Miss(task, end);
}

std::vector<Action> LaunchPolicy::CannotStart(int task, const base::ProcessEnd& end) {
  states_[static_cast<size_t>(task)].restarts = rules_.max_restarts;
  return Ended(task, end);
}

std::vector<Action> LaunchPolicy::Miss(int task, const base::ProcessEnd& end) {
  failure_ = end;
  failed_task_ = task;
  return StopAll(SIGTERM);
}

bool LaunchPolicy::MayLose(const State& state) const {
  const bool server = IsServer(state);
  if (server ? rules_.min_servers < 0 : rules_.min_workers <= 0 || !Trains(state)) return false;
  const auto left = std::count_if(states_.begin(), states_.end(), [&](const State& other) {
    const bool goes = other.lost || other.leaving;
    return &other != &state && !goes && (server ? IsServer(other) : Trains(other));
  });
  return left >= (server ? rules_.min_servers : rules_.min_workers);
}

std::vector<Action> LaunchPolicy::Interrupted(int signal) {
  // The second time nobody waits any longer.
  if (interrupted_) return GraceOver();
  interrupted_ = true;
  return StopAll(signal);
}

std::optional<int> LaunchPolicy::Grow(int most) {
  if (stopping_ || finished()) return {};
  int workers = 0;
  for (size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    if (state.name.job != "worker") continue;
    ++workers;
    if (state.running) continue;
    ++state.restarts;
    state.running = true;
    state.lost = state.leaving = false;
    return static_cast<int>(i);
  }
  if (workers >= most) return {};
  states_.push_back({.name = {"worker", workers}, .running = true});
  return static_cast<int>(states_.size()) - 1;
}

std::vector<Action> LaunchPolicy::Shrink() {
  if (stopping_) return {};
  int last = -1, running = 0;
  for (size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    if (state.name.job != "worker" || !state.running || state.leaving) continue;
    last = static_cast<int>(i);
    ++running;
  }
  if (running <= std::max(1, rules_.min_workers)) return {};
  states_[static_cast<size_t>(last)].leaving = true;
  return {{Action::Kind::kSignal, last, SIGTERM}};
}

std::vector<Action> LaunchPolicy::Recall(int task) {
  State& state = states_[static_cast<size_t>(task)];
  if (stopping_) return {};
  ++state.restarts;
  state.running = true;
  state.leaving = false;
  return {{Action::Kind::kStart, task}};
}

std::vector<Action> LaunchPolicy::GraceOver() { return StopAll(SIGKILL); }

std::vector<Action> LaunchPolicy::StopAll(int signal) {
  stopping_ = true;
  std::vector<Action> actions;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].running) {
      actions.push_back({Action::Kind::kSignal, static_cast<int>(i), signal});
    }
  }
  return actions;
}

std::vector<Action> LaunchPolicy::StopOthersIfDone() {
  if (stopping_) return {};
  std::vector<Action> actions;
  bool evaluates = false;
  for (size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    if (!state.running || IsServer(state)) continue;
    if (!IsEvaluator(state)) return {};
    evaluates = true;
    if (!std::exchange(state.leaving, true)) {
      actions.push_back({Action::Kind::kSignal, static_cast<int>(i), SIGTERM, /*has_time=*/true});
    }
  }
  if (evaluates || finished()) return actions;
  return StopAll(SIGTERM);
}

bool LaunchPolicy::finished() const {
  return std::none_of(states_.begin(), states_.end(),
                      [](const State& state) { return state.running; });
}

}  // namespace lockstep::cluster
