#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace lockstep::distribute {

/// What a rank was at work with in a number of runs, without waiting for others.
struct WorkReport {
  base::Duration input{}, step{}, callback{};
  /// The examples of its leaves, of all runs.
  int64_t examples = 0;
};

/// Who is slower than the others, how much, and at what, as every rank finds it alike from the same
/// reports.
class Stragglers {
 public:
  /// Slower than so many times the median, twice in a row, is a straggler; until it is below the
  /// second again.
  static constexpr double kSlow = 2, kWell = 1.5;

  /// What is told of a rank: that it is slow, or no longer is.
  struct Finding {
    int rank = 0;
    std::string at;                   // "input", "step", "callback"; empty: it keeps up again
    double times = 1;                 // the median of all ranks
    double usual_ms = 0, own_ms = 0;  // of a run; a step's for an even part of the examples
  };

  explicit Stragglers(int ranks);

  /// Takes what all ranks report of the same `runs` runs. True: `slowness` is another one now.
  bool Take(const std::vector<WorkReport>& reports, int64_t runs);

  /// How many times longer than most a rank takes for a leaf, by rank; 1 for who keeps up.
  const std::vector<double>& slowness() const { return slowness_; }
  /// What is new since the report before.
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  struct Place {
    int slow_at[3] = {0, 0, 0};  // in so many reports in a row; by kind of work
    bool told[3] = {false, false, false};
    int64_t idle = 0;  // reports in which it had no leaf
  };
  void Judge(const std::vector<WorkReport>& reports, int kind, int64_t runs);
  bool SlowDown(size_t rank, double times);
  bool TryIdle(const std::vector<WorkReport>& reports);

  std::vector<Place> places_;
  std::vector<double> slowness_;
  std::vector<Finding> findings_;
  int64_t patience_;
  bool changed_ = false;
};

/// How many of `leaves` each rank gets so that the slowest is done first of all ways: 0 where `may`
/// is false.
std::vector<uint32_t> DivideBySlowness(uint32_t leaves, const std::vector<double>& slowness,
                                       const std::vector<bool>& may);

}  // namespace lockstep::distribute
