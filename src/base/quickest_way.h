#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/clock.h"

namespace lockstep::base {

/// Which of several ways of doing the same took least time lately: that one is taken for a while,
/// then another one is tried, in turn. Threads: one at a time.
class QuickestWay {
 public:
  /// How often in a row a way is tried, and the best one before it, to be compared.
  static constexpr int kTries = 4;
  /// How often the best way known is taken before another is tried: at first; when all were tried,
  /// and each time four times as often, up to the last.
  struct Runs {
    int first, shortest, longest;
  };

  /// `num_ways`: at least two, with numbers from 0. `best`: the one to begin with.
  QuickestWay(size_t num_ways, const Runs& runs, size_t best = 0);

  /// The way to take now. What was taken before may still be under way.
  size_t Next();
  /// What it took. What ended by an error tells nothing.
  void Took(size_t way, Duration time);
  /// That what came last took longer elsewhere.
  void TookElsewhere(size_t way, Duration time);

 private:
  // The first time finds caches as another way left them, or makes something, and does not count;
  // of the others counts the middle one: what disturbs it makes it longer, and who begins before
  // others takes longer than who begins last.
  struct Tries {
    int seen = 0;
    std::array<Duration, kTries - 1> times;
    Duration Middle() const;
  };

  void Turn();

  const Runs runs_;
  std::vector<Tries> tries_;
  size_t best_, other_;  // the other one was tried last
  bool is_trial_ = false;
  int left_;                // times before the next turn
  size_t runs_left_short_;  // until all ways were tried
  int run_;
};

}  // namespace lockstep::base
