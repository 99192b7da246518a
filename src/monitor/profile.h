#pragma once

#include <string>
#include <vector>

#include "base/trace.h"

/// What all tasks of a job have recorded, on one time line.

namespace lockstep::monitor {

/// How a host's clock stands to that of the first task.
struct ClockOffset {
  std::string host;
  int64_t ahead = 0;        // nanoseconds that are taken off its times
  int64_t uncertainty = 0;  // by which that may be wrong either way
  bool known = true;        // false: no messages went both ways
};

struct Profile {
  std::vector<base::Trace> tasks;  // on the clock of the first
  std::vector<ClockOffset> clocks;
};

/// Puts `traces` on the clock of the first. Tasks of one host share a clock. How far another is
/// ahead follows from messages between two hosts: of those in each direction the quickest is taken,
/// and both are taken to be on the way equally long. Hosts that no messages go to are reached over
/// others; what cannot be reached stays as it is.
Profile AlignClocks(std::vector<base::Trace> traces);

/// "_FusedMatMul" of "_FusedMatMul_13": an op's name without its number.
std::string KindOfOp(const std::string& name);

/// As JSON in the form of chrome://tracing and Perfetto: a process for each task, a thread for what
/// it was at, and one for each lane; collectives and messages as asynchronous events; memory as a
/// counter. Times are microseconds from the first event on.
std::string ChromeTrace(const Profile& profile);

}  // namespace lockstep::monitor
