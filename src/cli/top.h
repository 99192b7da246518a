#pragma once

#include <string>
#include <vector>

#include "distribute/workers/job_view.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct TopArguments {
  std::string job;      // a job's directory, or the address of one of its tasks
  double interval = 1;  // seconds
  bool once = false;
  bool json = false;
};
CLI::App* AddTop(CLI::App& app, TopArguments& arguments);

/// What is shown of a job: the later of two looks at it, and what happened in the `seconds`
/// between.
struct TopLine {
  std::string task, condition, activity, loss;
  uint64_t step = 0;
  double steps_per_second = 0, examples_per_second = 0, milliseconds = 0;  // a step
  double waiting = 0;                                                      // share of the time
  std::string waits_for;                                                   // whom most of that
  double memory_mib = 0, sent_mib = 0, received_mib = 0;                   // wire: a second
  std::string transports;
  uint64_t recoveries = 0, races = 0;
};
std::vector<TopLine> LinesOf(const distribute::JobView& before, const distribute::JobView& now,
                             double seconds);
/// As tables.
std::string ShowJob(const std::vector<TopLine>& lines,
                    const std::vector<distribute::EpochView>& epochs);
std::string JobAsJson(const std::vector<TopLine>& lines,
                      const std::vector<distribute::EpochView>& epochs);

/// `lockstep top`. Returns the exit status.
int Top(const TopArguments& arguments);

}  // namespace lockstep::cli
