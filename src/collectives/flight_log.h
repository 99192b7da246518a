#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "collectives/call.h"
#include "collectives/partial_message.h"
#include "lockstep/base/status.h"

/// What tasks have done last, and where they part.

namespace lockstep::collectives {

/// What a task does between its collectives.
enum class Phase : uint8_t {
  kProgram = 0,
  kInput = 1,
  kStep = 2,
  kCallback = 3,
  kSave = 4,
  kEvaluation = 5,
  kStart = 6,
  kEnd = 7,
};
/// "input"
const char* PhaseName(Phase phase);
/// "in the input pipeline"
const char* PhasePlace(Phase phase);

/// One thing that a task has done.
struct FlightRecord {
  enum class What : uint8_t { kCall = 0, kPhase = 1, kAbort = 2 };
  enum class State : uint8_t { kRunning = 0, kDone = 1, kFailed = 2 };

  uint64_t number = 0;  // of the task's records, from 1
  base::Duration age{};
  What what = What::kCall;
  Phase phase = Phase::kProgram;  // of a phase
  State state = State::kRunning;  // of a call, as all below
  uint64_t epoch = 0;             // of an abort too
  OpId op;
  OpKind kind = OpKind::kAllReduceSum;
  DType dtype = DType::kInvalid;
  uint64_t count = 0;
  std::string label;
  std::string file;
  uint32_t line = 0;

  bool operator==(const FlightRecord&) const = default;
};
/// "all_reduce 4711 of dense/kernel": step, and bucket where it is not the first.
std::string NameOf(const FlightRecord& record);

/// The last records of a task, the oldest first.
struct FlightLog {
  int rank = 0;
  int num_ranks = 1;
  uint64_t epoch = 0;  // that the task is in
  std::vector<FlightRecord> records;

  bool operator==(const FlightLog&) const = default;
};

/// A line for the task, and one for each record, whose fields tabs separate: docs/collectives.md.
std::string ToText(const FlightLog& log);
/// Lines that begin with '#' are skipped. Errors: InvalidArgument, naming the line.
Result<FlightLog> ParseFlightLog(const std::string& text);

/// Where ranks part in `epoch`: the first collective that some rank has begun and not ended. Says
/// who waits there, who never came, what these are doing, or who called something else. Logs that
/// are not there are of ranks that gave no answer. Empty: nobody waits for anybody.
std::string FirstDifference(const std::vector<std::optional<FlightLog>>& logs, uint64_t epoch);

}  // namespace lockstep::collectives
