#pragma once

#include <x86intrin.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::runtime {

/// Adds up how long the steps of a plan take on each lane, by the processor's time-stamp counter.
/// Threads: each lane writes its own counters; read them between runs.
class PlanClock {
 public:
  static constexpr int kWaiting = -1;  // at barriers
  static constexpr int kRun = -2;      // whole runs, on lane 0

  explicit PlanClock(size_t num_steps);

  /// Measures its own lifetime; does nothing without a clock.
  class Span {
   public:
    Span(PlanClock* clock, int lane, int what)
        : clock_(clock), lane_(lane), what_(what), start_(clock == nullptr ? 0 : __rdtsc()) {}
    ~Span() {
      if (clock_ != nullptr) clock_->Add(lane_, what_, __rdtsc() - start_);
    }
    Span(const Span&) = delete;

   private:
    PlanClock* clock_;
    int lane_;
    int what_;
    uint64_t start_;
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
