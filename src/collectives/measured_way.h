#pragma once

#include <array>

#include "base/executor.h"

namespace lockstep::collectives {

/// How ranks that share memory make a sum of which all of them see all parts: each all of it, or
/// each a slice, which it copies to the others.
enum class SumWay { kWhole, kSlices };

/// Which way took less time lately. That depends on how far the cores are from each other, which no
/// table knows, and changes where a virtual machine is moved. So the way that took less is taken
/// for a while, then the other one is tried again; at first often, as caches are cold.
class MeasuredWay {
 public:
  /// How many sums in a row are compared, the last ones before the ways are changed; and after how
  /// many sums of the better way the other one is tried, at first and later.
  static constexpr int kTries = 4, kShortest = 16, kLongest = 1024;

  /// The way of the next sum.
  SumWay Next();
  /// What a sum took. Sums that ended by an error tell nothing.
  void Took(SumWay way, base::Duration time);

 private:
  // The first sum of a way finds the caches as the other one left them, and does not count; of the
  // others counts the middle one: what disturbs a sum makes it longer, and a rank is the quicker
  // the later the other one begins.
  struct Tries {
    int seen = 0;
    std::array<base::Duration, kTries - 1> times;
    base::Duration Middle() const;
  };

  void Turn();
  Tries& tries(SumWay way) { return way == SumWay::kWhole ? whole_ : slices_; }

  Tries whole_, slices_;
  SumWay way_ = SumWay::kSlices;
  int left_ = kTries;  // sums before the next turn
  bool is_trial_ = false;
  int run_ = kShortest;  // how long the better way is taken next
};

}  // namespace lockstep::collectives
