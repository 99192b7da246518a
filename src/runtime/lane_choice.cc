#include "runtime/lane_choice.h"

#include <algorithm>

namespace lockstep::runtime {

namespace {

// With less, no step is divided (plan_schedule.cc).
constexpr double kSmall = 20'000;
// Products of so many operations take at least a quarter of a millisecond, and milliseconds.
constexpr double kProbablyLarge = 2e7, kLarge = 2e8;
// Each lane should have so much: products take 10 us for it, other steps more.
constexpr double kOfALane = 1e6;
constexpr int kFirstRuns = 4;
// Starting the other lanes of a run takes up to as long.
constexpr base::Duration kShort = std::chrono::microseconds(20);
constexpr base::QuickestWay::Runs kRuns = {
    .first = 2 * base::QuickestWay::kTries, .shortest = 256, .longest = 8192};

}  // namespace

bool LaneChoice::is_small() const { return cost_ < kSmall; }
bool LaneChoice::is_large() const { return cost_ >= kLarge; }

LaneChoice::Run LaneChoice::Next(int lanes) {
  if (lanes < 2 || is_small() || is_short_.load(std::memory_order_relaxed)) return {};
  if (is_large()) return {.lanes = lanes};
  const auto worth = static_cast<int>(std::min(1e6, cost_ / kOfALane));
  const int several = std::clamp(worth, 2, lanes);
  const size_t likely = cost_ >= kProbablyLarge ? 1 : 0;
  Run run{.lanes = likely == 1 ? several : 1, .is_measured = true, .way = likely};
  if (is_in_use_.test_and_set(std::memory_order_acquire)) {
    run.is_measured = false;
    return run;
  }
  if (likely == 0 && first_runs_ < kFirstRuns) return run;
  if (!ways_) ways_.emplace(2, kRuns, likely);
  run.way = ways_->Next();
  run.lanes = run.way == 1 ? several : 1;
  return run;
}

void LaneChoice::Took(const Run& run, std::optional<base::Duration> time) {
  if (!run.is_measured) return;
  if (ways_) {
    if (time) ways_->Took(run.way, *time);
  } else {
    if (time) shortest_ = std::min(shortest_, *time);
    if (++first_runs_ == kFirstRuns && shortest_ < kShort) is_short_.store(true);
  }
  is_in_use_.clear(std::memory_order_release);
}

}  // namespace lockstep::runtime
