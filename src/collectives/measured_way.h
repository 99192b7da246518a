#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/executor.h"

namespace lockstep::collectives {

/// How ranks that share memory make a sum of which all of them see all parts: each all of it, or
/// each a slice, which the others copy; those read in ascending order, or from four pages in turn.
enum class SumWay : uint8_t { kWhole = 0, kSlices = 1, kSlicesByPages = 2 };
inline constexpr size_t kSumWays = 3;

/// Which way took least time lately. That depends on the processor, and on how far its cores are
/// from each other, which no table knows, and which changes where a virtual machine is moved. So
/// the way that took least is taken for a while, then another one is tried, in turn; at first
/// sooner, as caches were cold.
class MeasuredWay {
 public:
  /// How many sums in a row are compared, the last ones before the way is changed; and how many are
  /// made in the best way known before the next trial: at first, when all ways were tried, and in
  /// the end.
  static constexpr int kTries = 4, kFirst = 8, kShortest = 64, kLongest = 1024;

  /// Of sums of so many bytes. Of more than 2 MiB, which do not stay in a core's own caches, no
  /// pages are read in turn.
  explicit MeasuredWay(size_t bytes);

  /// The way of the next sum.
  SumWay Next();
  /// What a sum took here. Sums that ended by an error tell nothing.
  void Took(SumWay way, base::Duration time);
  /// What the last sum took elsewhere: the slowest rank counts.
  void TookElsewhere(SumWay way, base::Duration time);
  /// What the last sum took here; 0: there was none.
  SumWay last_way() const { return last_way_; }
  base::Duration last_time() const { return last_time_; }

 private:
  // The first sum of a way finds the caches as another one left them, and does not count; of the
  // others counts the middle one: what disturbs a sum makes it longer, and a rank is the quicker
  // the later the other one begins.
  struct Tries {
    int seen = 0;
    std::array<base::Duration, kTries - 1> times;
    base::Duration Middle() const;
  };

  void Turn();

  const size_t num_ways_;  // the first ones
  std::array<Tries, kSumWays> tries_;
  size_t best_ = static_cast<size_t>(SumWay::kSlices);
  size_t other_ = best_;  // that was tried last
  bool is_trial_ = false;
  int left_ = kFirst;       // sums before the next turn
  size_t runs_left_short_;  // until all ways were tried
  int run_ = kShortest;
  SumWay last_way_ = SumWay::kWhole;
  base::Duration last_time_{};
};

}  // namespace lockstep::collectives
