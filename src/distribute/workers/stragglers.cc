#include "distribute/workers/stragglers.h"

#include <algorithm>
#include <cmath>

namespace lockstep::distribute {

namespace {

constexpr const char* kNames[] = {"input", "step", "callback"};
constexpr int kStep = 1;
// Whoever is without leaves cannot be measured: after so many reports it gets its part once more,
// then after twice as many, and so on.
constexpr int64_t kFirstPatience = 16, kMostPatience = 1024;
// A slowness that is so near to the one before is the same.
constexpr double kSame = 1.3;
// Shorter work than this a run is nobody's fault.
constexpr double kShortest = 20e3;  // nanoseconds

double Nanoseconds(base::Duration time) { return static_cast<double>(time.count()); }

// The lower one of the middle two: of two ranks the faster is the usual one.
double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double AtWork(const WorkReport& report, int kind) {
  return Nanoseconds(kind == 0 ? report.input : kind == kStep ? report.step : report.callback);
}

}  // namespace

Stragglers::Stragglers(int ranks)
    : places_(static_cast<size_t>(ranks)),
      slowness_(static_cast<size_t>(ranks), 1),
      patience_(kFirstPatience) {}

bool Stragglers::Take(const std::vector<WorkReport>& reports, int64_t runs) {
  findings_.clear();
  changed_ = false;
  for (int kind = 0; kind < 3; ++kind) Judge(reports, kind, runs);
  return TryIdle(reports) || changed_;
}

void Stragglers::Judge(const std::vector<WorkReport>& reports, int kind, int64_t runs) {
  int64_t examples = 0;
  std::vector<double> times, known;
  for (const WorkReport& report : reports) {
    // A step takes as long as it has examples, the rest is everybody's alike.
    const double part = static_cast<double>(kind == kStep ? report.examples : runs);
    examples += report.examples;
    times.push_back(part > 0 ? AtWork(report, kind) / part : -1);
    if (times.back() >= 0) known.push_back(times.back());
  }
  // What a usual run takes in all: nothing that is short beside it holds the others up.
  std::vector<double> totals;
  for (const WorkReport& report : reports)
    if (report.examples > 0)
      totals.push_back(Nanoseconds(report.input + report.step + report.callback));
  const double run = Median(totals) / static_cast<double>(runs);
  const double usual = Median(known);
  const double part_of_run =
      kind != kStep ? 1
                    : static_cast<double>(examples) / static_cast<double>(reports.size() * runs);
  for (size_t rank = 0; rank < times.size(); ++rank) {
    if (times[rank] < 0) continue;
    Place& place = places_[rank];
    const double floor = kind == kStep ? usual : std::max(usual, run);
    const double ratio = floor > 0 ? times[rank] / floor : 1;
    const bool matters = AtWork(reports[rank], kind) > kShortest * static_cast<double>(runs);
    place.slow_at[kind] = ratio > kSlow && matters ? place.slow_at[kind] + 1 : 0;
    const bool is_slow = place.slow_at[kind] >= 2;
    const bool is_well = ratio < kWell;
    if (is_slow != place.told[kind] && (is_slow || is_well)) {
      place.told[kind] = is_slow;
      findings_.push_back({static_cast<int>(rank), is_slow ? kNames[kind] : "", ratio,
                           floor * part_of_run / 1e6, times[rank] * part_of_run / 1e6});
    }
    if (kind == kStep && place.told[kind]) SlowDown(rank, ratio);
    if (kind == kStep && !place.told[kind]) SlowDown(rank, 1);
  }
}

bool Stragglers::SlowDown(size_t rank, double times) {
  const double before = slowness_[rank];
  const bool is_same =
      (before == 1) == (times == 1) && times < before * kSame && before < times * kSame;
  if (is_same) return false;
  slowness_[rank] = times;
  return changed_ = true;
}

bool Stragglers::TryIdle(const std::vector<WorkReport>& reports) {
  bool any = false;
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    if (slowness_[rank] == 1 || reports[rank].examples > 0) {
      places_[rank].idle = 0;
    } else if (++places_[rank].idle >= patience_) {
      places_[rank] = {};
      slowness_[rank] = 1;
      any = true;
    }
  }
  if (any) patience_ = std::min(kMostPatience, 2 * patience_);
  return any;
}

std::vector<uint32_t> DivideBySlowness(uint32_t leaves, const std::vector<double>& slowness,
                                       const std::vector<bool>& may) {
  std::vector<uint32_t> counts(slowness.size(), 0);
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
    size_t best = slowness.size();
    double least = 0;
    for (size_t rank = 0; rank < slowness.size(); ++rank) {
      if (!may[rank]) continue;
      const double time = (counts[rank] + 1) * slowness[rank];
      if (best < slowness.size() && time >= least) continue;
      best = rank;
      least = time;
    }
    if (best == slowness.size()) break;
    ++counts[best];
  }
  return counts;
}

}  // namespace lockstep::distribute
