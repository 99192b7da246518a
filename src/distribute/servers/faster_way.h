#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace lockstep::distribute {

/// Which of two ways of doing the same takes less time: both are tried in turn at first, then now
/// and then the one that was slower. A first time, in which something is made, is not counted.
class FasterWay {
 public:
  enum Way : int { kFirst, kSecond };

  Way Next() const;
  void Took(Way way, base::Duration time);

 private:
  struct Tried {
    int64_t times = 0;
    std::array<base::Duration, 3> last;
  };
  base::Duration Typical(Way way) const;

  std::array<Tried, 2> tried_;
};

}  // namespace lockstep::distribute
