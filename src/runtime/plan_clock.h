#pragma once

#include <x86intrin.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/trace.h"

namespace lockstep::runtime {

/// Adds up how long the steps of a plan take on each lane, by the processor's time-stamp counter.
/// Threads: each lane writes its own counters; read them between runs.
class PlanClock {
 public:
  static constexpr int kWaiting = -1;  // at barriers
  static constexpr int kRun = -2;      // whole runs, on lane 0

  explicit PlanClock(size_t num_steps);

  /// Who wants to know of the steps of a run.
  struct Watch {
    PlanClock* clock = nullptr;
    base::TraceRecorder* trace = nullptr;
    uint32_t first = 0;  // the first step's name in the trace, and that of waiting
    uint32_t waiting = 0;
  };

  /// Measures its own lifetime; does nothing where nobody watches.
  class Span {
   public:
    Span(const Watch& watch, int lane, int what)
        : watch_(watch), lane_(lane), what_(what), start_(watch.clock == nullptr ? 0 : __rdtsc()) {
      if (watch.trace != nullptr) begin_ = watch.trace->Now();
    }
    ~Span() {
      if (watch_.clock != nullptr) watch_.clock->Add(lane_, what_, __rdtsc() - start_);
      if (watch_.trace != nullptr) Trace();
    }
    Span(const Span&) = delete;

   private:
    void Trace() const;
    const Watch& watch_;
    int lane_;
    int what_;
    uint64_t start_;
    base::Time begin_{};
  };

  /// A table: microseconds a run, added up over lanes, dearest first; small steps are summed up.
  std::string Describe(const std::vector<std::string>& names) const;

 private:
  static constexpr int kLanes = 64;
  void Add(int lane, int what, uint64_t ticks);

  struct alignas(64) Lane {
    std::vector<uint64_t> ticks;  // waiting, then the steps
  };
  std::array<Lane, kLanes> lanes_;
  uint64_t run_ticks_ = 0;
  uint64_t runs_ = 0;
};

}  // namespace lockstep::runtime
