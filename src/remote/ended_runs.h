#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/clock.h"

namespace lockstep::remote {

/// What a server remembers of the runs that are over, for messages that come late or twice.
class EndedRuns {
 public:
  /// An end is remembered for `kept` and longer.
  explicit EndedRuns(base::Duration kept) : kept_(kept) {}

  void Add(uint64_t run, bool committed, base::Time now);
  /// Of a run that met no other task, and whose end nobody asks for: the last 4096 are kept.
  void AddAlone(uint64_t run);
  bool Contains(uint64_t run) const { return ended_.contains(run) || alone_.contains(run); }
  /// Nothing for a run that was alone, or is not known.
  std::optional<bool> committed(uint64_t run) const;

 private:
  const base::Duration kept_;
  std::unordered_map<uint64_t, bool> ended_;
  std::deque<std::pair<base::Time, uint64_t>> order_;
  std::unordered_set<uint64_t> alone_;
  std::deque<uint64_t> alone_order_;
};

}  // namespace lockstep::remote
