#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/profile.h"

namespace lockstep::monitor {

/// Where the time of a step went at one task, in milliseconds, which add up to `whole`.
struct StepTime {
  double whole = 0;
  double input = 0;
  double compute = 0;  // the step without its waits
  double wait = 0;     // for peers; in all of the step
  double callback = 0;
  double save = 0;
  double evaluation = 0;
  double other() const { return whole - input - compute - wait - callback - save - evaluation; }
};

struct ProfileSummary {
  std::vector<std::string> tasks;
  struct Step {
    uint64_t step = 0;
    std::vector<StepTime> by_task;  // as `tasks`
    // Who waited longest, and for whom; empty: nobody did.
    std::string waiter, waited_for;
    double longest_wait = 0;
  };
  std::vector<Step> steps;
  /// Milliseconds that task i waited for task j.
  std::vector<std::vector<double>> waits;
  struct Task {
    double memory_mib = 0;  // the most
    double sent_mib = 0;
    double received_mib = 0;
  };
  std::vector<Task> by_task;
  /// The dearest kinds of ops, milliseconds of all lanes and tasks together.
  std::vector<std::pair<std::string, double>> ops;
  std::vector<ClockOffset> clocks;
  uint64_t dropped = 0;

  StepTime MeanOf(size_t task) const;
};

ProfileSummary Summarize(const Profile& profile);
/// As tables for people.
std::string Describe(const ProfileSummary& summary);
/// The same as a JSON object.
std::string ToJson(const ProfileSummary& summary);

}  // namespace lockstep::monitor
