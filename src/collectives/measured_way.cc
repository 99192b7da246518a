#include "collectives/measured_way.h"

#include <algorithm>
#include <utility>

namespace lockstep::collectives {

SumWay MeasuredWay::Next() {
  if (left_ == 0) {
    trial_ = (trial_ + 1) % num_ways_;
    left_ = kTries;
    if (trial_ == 0) {
      const auto less = [](const Tries& a, const Tries& b) { return a.Middle() < b.Middle(); };
      best_ = static_cast<size_t>(std::min_element(tries_.begin(), tries_.end(), less) -
                                  tries_.begin());
      left_ = std::exchange(run_, std::min(4 * run_, kLongest));
    }
  }
  const size_t way = (best_ + trial_) % num_ways_;
  if (left_-- == kTries) tries_[way].seen = 0;
  return static_cast<SumWay>(way);
}

void MeasuredWay::Took(SumWay way, base::Duration time) {
  Tries& all = tries_[static_cast<size_t>(way)];
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
