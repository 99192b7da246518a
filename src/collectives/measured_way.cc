#include "collectives/measured_way.h"

#include <algorithm>
#include <utility>

namespace lockstep::collectives {

SumWay MeasuredWay::Next() {
  if (left_ == 0) Turn();
  if (left_ == kTries) tries(way_).seen = 0;
  --left_;
  return way_;
}

void MeasuredWay::Turn() {
  is_trial_ = !is_trial_;
  if (is_trial_) {
    way_ = way_ == SumWay::kWhole ? SumWay::kSlices : SumWay::kWhole;
    left_ = kTries;
  } else {
    way_ = whole_.Middle() < slices_.Middle() ? SumWay::kWhole : SumWay::kSlices;
    left_ = std::exchange(run_, std::min(4 * run_, kLongest));
  }
}

void MeasuredWay::Took(SumWay way, base::Duration time) {
  Tries& all = tries(way);
  if (all.seen > 0 && all.seen < kTries) all.times[static_cast<size_t>(all.seen - 1)] = time;
  ++all.seen;
}

base::Duration MeasuredWay::Tries::Middle() const {
  if (seen < kTries) return base::Duration::max();
  auto sorted = times;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

}  // namespace lockstep::collectives
