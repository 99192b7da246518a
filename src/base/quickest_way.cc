#include "base/quickest_way.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::base {

QuickestWay::QuickestWay(size_t num_ways, const Runs& runs, size_t best)
    : runs_(runs),
      tries_(num_ways),
      best_(best),
      other_(best),
      left_(runs.first),
      runs_left_short_(num_ways - 2),
      run_(runs.shortest) {
  LOCKSTEP_CHECK_GE(num_ways, 2u);
}

size_t QuickestWay::Next() {
  // Where much is under way at once, a trial lasts until it is told what it took, within reason.
  const bool is_told = !is_trial_ || tries_[other_].seen >= kTries;
  if (left_ <= 0 && (is_told || left_ < -runs_.shortest)) Turn();
  const size_t way = is_trial_ ? other_ : best_;
  if (left_-- == kTries) tries_[way].seen = 0;
  return way;
}

void QuickestWay::Turn() {
  is_trial_ = !is_trial_;
  left_ = kTries;
  if (is_trial_) {
    do other_ = (other_ + 1) % tries_.size();
    while (other_ == best_);
    return;
  }
  if (tries_[other_].Middle() < tries_[best_].Middle()) best_ = other_;
  if (runs_left_short_ > 0) {
    --runs_left_short_;
  } else {
    left_ = run_;
    run_ = std::min(4 * run_, runs_.longest);
  }
}

void QuickestWay::Took(size_t way, Duration time) {
  Tries& all = tries_[way];
  if (all.seen > 0 && all.seen < kTries) all.times[static_cast<size_t>(all.seen - 1)] = time;
  ++all.seen;
}

void QuickestWay::TookElsewhere(size_t way, Duration time) {
  Tries& all = tries_[way];
  if (all.seen < 2 || all.seen > kTries) return;
  Duration& last = all.times[static_cast<size_t>(all.seen - 2)];
  last = std::max(last, time);
}

Duration QuickestWay::Tries::Middle() const {
  if (seen < kTries) return Duration::max();
  auto sorted = times;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

}  // namespace lockstep::base
