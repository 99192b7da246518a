#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::cli {

/// One access in the trace of a scheduled run.
struct TracedAccess {
  int thread = 0;
  bool writes = false;
  std::string place;  // "file.cc:12", "-:0" where it is not known; of an op its node
  std::string variable;
  int occurrence = 0;  // of equal accesses
  bool is_op = false;  // of a graph, whose order was drawn
  auto operator<=>(const TracedAccess&) const = default;
  std::string ToString() const;
};

/// How one schedule ended.
struct ScheduledRun {
  int64_t seed = 0;
  int status = 0;  // as a shell reports it
  // Whether it came to its end; else it was stopped, as all its threads waited for each other or
  // its time was over.
  bool ended = true;
  bool stuck = false;
  std::string output;
  std::string digest;
  bool exact = true;
  std::map<int, std::string> waits;   // by thread: where it waits for a lock
  std::vector<std::string> failures;  // exceptions that ended threads: "3 ValueError: why"
  std::vector<TracedAccess> accesses;
  std::vector<int> turns;           // which thread got each
  std::vector<size_t> turns_begin;  // by turn: so many accesses before it
  /// The ops of graphs, in their order.
  std::vector<TracedAccess> Ops() const;
  bool SameOutcome(const ScheduledRun& other) const {
    return ended == other.ended && status == other.status && output == other.output &&
           digest == other.digest && FailureKinds() == other.FailureKinds();
  }
  /// The failures' types, by thread.
  std::vector<std::string> FailureKinds() const;
};
/// Reads what `runtime::Schedule::Write` writes; false where it is no trace.
bool ReadTrace(const std::string& text, ScheduledRun* run);

/// The threads' turns on the way from `from` to `to` after `swaps` exchanges of two turns that
/// follow each other, and how many the whole way takes; nothing where the turns are not the same
/// ones in another order.
struct TurnsOnTheWay {
  std::vector<int> turns;
  size_t swaps = 0;  // of the whole way
  size_t last = 0;   // the last exchange was of this turn and the next
};
std::optional<TurnsOnTheWay> Between(const std::vector<int>& from, const std::vector<int>& to,
                                     size_t swaps);
/// Of the accesses in turn `turn` and in the next one those two that must not change places.
std::optional<std::pair<TracedAccess, TracedAccess>> ConflictAt(const ScheduledRun& run,
                                                                size_t turn);

/// The runs that ended alike, by their numbers.
std::vector<std::vector<size_t>> GroupByOutcome(const std::vector<ScheduledRun>& runs);

/// Two accesses of different threads to one variable, at least one of which writes, whose order
/// tells two outcomes apart: they are in another order in two schedules, one of each outcome, that
/// differ in as few such orders as can be found. Of several it is the one that tells most schedules
/// apart.
struct DecidingPair {
  TracedAccess first, second;  // in this order in `outcome`
  int64_t seed = 0;            // of the schedule in `outcome`, and of the one in the other
  int64_t other_seed = 0;
  int orders = 1;         // in so many the two schedules differ; 1: nothing else decides
  double in_outcome = 0;  // the share of schedules with `first` before `second`
  double in_other = 0;
};
std::optional<DecidingPair> FindDecidingPair(const std::vector<ScheduledRun>& runs,
                                             const std::vector<size_t>& outcome,
                                             const std::vector<size_t>& other);

}  // namespace lockstep::cli
