#include "collectives/measured_way.h"

#include <algorithm>

namespace lockstep::collectives {

MeasuredWay::MeasuredWay(size_t bytes)
    : num_ways_(bytes > 2 << 20 ? 2 : kSumWays), runs_left_short_(num_ways_ - 2) {}

SumWay MeasuredWay::Next() {
  if (left_ == 0) Turn();
  const size_t way = is_trial_ ? other_ : best_;
  if (left_-- == kTries) tries_[way].seen = 0;
  return static_cast<SumWay>(way);
}

void MeasuredWay::Turn() {
  is_trial_ = !is_trial_;
  if (is_trial_) {
    do other_ = (other_ + 1) % num_ways_;
    while (other_ == best_);
    left_ = kTries;
    return;
  }
  if (tries_[other_].Middle() < tries_[best_].Middle()) best_ = other_;
  left_ = kTries;
  if (runs_left_short_ > 0) {
    --runs_left_short_;
  } else {
    left_ = run_;
    run_ = std::min(4 * run_, kLongest);
  }
}

void MeasuredWay::Took(SumWay way, base::Duration time) {
  Tries& all = tries_[static_cast<size_t>(way)];
  if (all.seen > 0 && all.seen < kTries) all.times[static_cast<size_t>(all.seen - 1)] = time;
  ++all.seen;
  last_way_ = way;
  last_time_ = time;
}

void MeasuredWay::TookElsewhere(SumWay way, base::Duration time) {
  Tries& all = tries_[static_cast<size_t>(way)];
  if (way != last_way_ || all.seen < 2 || all.seen > kTries) return;
  base::Duration& last = all.times[static_cast<size_t>(all.seen - 2)];
  last = std::max(last, time);
}

base::Duration MeasuredWay::Tries::Middle() const {
  if (seen < kTries) return base::Duration::max();
  auto sorted = times;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

}  // namespace lockstep::collectives
