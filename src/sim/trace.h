#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"

namespace lockstep::sim {

/// What happened in a simulated world: a running hash, and the lines themselves if they are kept.
class Trace {
 public:
  explicit Trace(bool keep_lines) : keep_lines_(keep_lines) {}

  /// Notes that `what`, a literal, happened; the numbers say to whom and how.
  void Note(base::Time when, const char* what, int rank, int other = -1, uint64_t detail = 0);

  uint64_t hash() const { return hash_; }
  uint64_t events() const { return events_; }
  /// "12.345678 ms: arrive, rank 1, other 0, detail 0", empty unless kept.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void Mix(uint64_t value);

  bool keep_lines_;
  uint64_t hash_ = 14695981039346656037u;
  uint64_t events_ = 0;
  std::vector<std::string> lines_;
};

/// A hash of bytes that is the same in every process.
uint64_t HashBytes(std::span<const std::byte> bytes);

}  // namespace lockstep::sim
