#pragma once

#include <cstddef>
#include <cstdint>

#include "base/quickest_way.h"

namespace lockstep::collectives {

/// How ranks that share memory make a sum of which all of them see all parts: each all of it, or
/// each a slice, which the others copy; those read in ascending order, or from four pages in turn.
enum class SumWay : uint8_t { kWhole = 0, kSlices = 1, kSlicesByPages = 2 };
inline constexpr size_t kSumWays = 3;

/// Which way took least time lately. That depends on the processor, and on how far its cores are
/// from each other, which no table knows, and which changes where a virtual machine is moved.
class MeasuredWay {
 public:
  /// Sums before all ways were tried, as caches are cold; and between trials, then and in the end.
  static constexpr int kTries = base::QuickestWay::kTries, kFirst = 8, kShortest = 64,
                       kLongest = 1024;

  /// Of sums of so many bytes. Of more than 2 MiB, which do not stay in a core's own caches, no
  /// pages are read in turn.
  explicit MeasuredWay(size_t bytes)
      : quickest_(bytes > 2 << 20 ? kSumWays - 1 : kSumWays, {kFirst, kShortest, kLongest},
                  static_cast<size_t>(SumWay::kSlices)) {}

  /// The way of the next sum.
  SumWay Next() { return static_cast<SumWay>(quickest_.Next()); }
  /// What a sum took here. Sums that ended by an error tell nothing.
  void Took(SumWay way, base::Duration time) {
    quickest_.Took(static_cast<size_t>(way), time);
    last_way_ = way;
    last_time_ = time;
  }
  /// What the last sum took elsewhere: the slowest rank counts.
  void TookElsewhere(SumWay way, base::Duration time) {
    if (way == last_way_) quickest_.TookElsewhere(static_cast<size_t>(way), time);
  }
  /// What the last sum took here; 0: there was none.
  SumWay last_way() const { return last_way_; }
  base::Duration last_time() const { return last_time_; }

 private:
  base::QuickestWay quickest_;
  SumWay last_way_ = SumWay::kWhole;
  base::Duration last_time_{};
};

}  // namespace lockstep::collectives
