#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "collectives/flight_log.h"

namespace lockstep::collectives {

/// The last operations of a task, always on: a ring of fixed size, into which a record is a few
/// stores. Threads: one writes, any read.
class FlightRecorder {
 public:
  static constexpr size_t kRecords = 1024;

  FlightRecorder();

  /// Which rank of which epoch this task is from now on.
  void Sit(uint64_t epoch, int rank, int num_ranks);
  /// From now on the task does something else; nothing is recorded if it is the same.
  void Enter(Phase phase, base::Time now);
  Phase phase() const { return phase_; }
  uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }
  /// A collective begins; its record's number, for `End`.
  uint64_t Begin(uint64_t epoch, OpId op, const Call& call, base::Time now);
  void End(uint64_t number, bool ok);
  void Abort(uint64_t epoch, base::Time now);

  /// At most the last `most` records.
  FlightLog Read(base::Time now, size_t most = kRecords) const;

 private:
  // A record as words, so that who reads while it is written sees that it is not whole: the first
  // word is the number, 0 while the rest is written.
  static constexpr size_t kLabelWords = 5;
  struct Slot {
    std::array<std::atomic<uint64_t>, 9 + kLabelWords> words{};
  };

  Slot& Open(uint64_t number);
  FlightRecord Decode(const std::array<uint64_t, 9 + kLabelWords>& words, base::Time now) const;

  const std::unique_ptr<std::array<Slot, kRecords>> slots_;
  std::atomic<uint64_t> last_{0};  // the number of the newest record
  std::atomic<uint64_t> epoch_{0};
  std::atomic<uint64_t> seat_{uint64_t{1} << 32};  // rank, and the number of ranks above it
  Phase phase_ = Phase::kStart;
};

}  // namespace lockstep::collectives
