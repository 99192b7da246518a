#include "distribute/servers/faster_way.h"

#include <algorithm>

namespace lockstep::distribute {

namespace {

constexpr int64_t kTrials = 4;      // of each way, of which the first one is not counted
constexpr int64_t kBetween = 200;   // times of the faster way before the other is tried again
constexpr int64_t kTriedAgain = 3;  // times

}  // namespace

base::Duration FasterWay::Typical(Way way) const {
  std::array<base::Duration, 3> last = tried_[way].last;
  std::sort(last.begin(), last.end());
  return last[1];
}

FasterWay::Way FasterWay::Next() const {
  const int64_t first = tried_[kFirst].times, second = tried_[kSecond].times;
  if (std::min(first, second) < kTrials) return second < first ? kSecond : kFirst;
  const Way faster = Typical(kSecond) < Typical(kFirst) ? kSecond : kFirst;
  const int64_t turn = (first + second) % (kBetween + kTriedAgain);
  return turn < kBetween ? faster : Way(1 - faster);
}

void FasterWay::Took(Way way, base::Duration time) {
  Tried& tried = tried_[way];
  tried.last[tried.times % 3] = time;
  ++tried.times;
}

}  // namespace lockstep::distribute
