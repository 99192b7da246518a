#include "runtime/lane_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::runtime {

namespace {

// With fewer grains a lane would have too much or too little either way.
constexpr int64_t kLeastGrains = 8;
// A share's border stays within this part of an even share of where it was at first, so that each
// lane keeps rows by which it is seen how fast it is.
constexpr double kMostChange = 0.4;
// The first runs touch memory that is in no cache.
constexpr int64_t kFirstMeasured = 3;
// Where nothing has changed for long, one of so many runs is measured.
constexpr int64_t kMostInterval = 16;
// A difference of less than this part of the mean is not worth moving rows between caches.
constexpr double kLeastDifference = 0.015;

int64_t GrainsOf(const RowDomain& domain) {
  return (domain.rows + domain.grain - 1) / domain.grain;
}

}  // namespace

LaneShares::LaneShares(const std::vector<RowDomain>& domains, int lanes) {
  for (const RowDomain& domain : domains) {
    Domain& own = domains_.emplace_back();
    own.domain = domain;
    const int64_t grains = GrainsOf(domain);
    for (int lane = 0; lane <= lanes; ++lane)
      own.borders.push_back(std::min(domain.rows, grains * lane / lanes * domain.grain));
    if (lanes > 1 && grains >= kLeastGrains * lanes) own.lanes.resize(lanes);
    is_balanced_ |= own.is_balanced();
  }
}

std::vector<int64_t> LaneShares::Balanced(const std::vector<int64_t>& ends,
                                          const std::vector<uint64_t>& times) {
  const size_t lanes = ends.size();
  const double total =
      static_cast<double>(std::accumulate(times.begin(), times.end(), uint64_t{0}));
  std::vector<int64_t> result = ends;
  double before = 0;  // that lanes up to this one have worked
  for (size_t lane = 0, next = 0; lane < lanes; ++lane) {
    const int64_t begin = lane == 0 ? 0 : ends[lane - 1];
    const auto time = static_cast<double>(times[lane]);
    // Within a lane's share all rows count alike.
    for (; next + 1 < lanes; ++next) {
      const double wanted = total * static_cast<double>(next + 1) / static_cast<double>(lanes);
      if (wanted > before + time || time == 0) break;
      result[next] =
          begin + std::llround((wanted - before) / time * static_cast<double>(ends[lane] - begin));
    }
    before += time;
  }
  return result;
}

bool LaneShares::Balance(Domain& own) {
  const int64_t grain = own.domain.grain, grains = GrainsOf(own.domain);
  const auto lanes = static_cast<int64_t>(own.lanes.size());
  std::vector<int64_t> ends;
  std::vector<uint64_t> times;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    uint64_t* const middle = own.lanes[lane].times + kWindow / 2;
    std::nth_element(own.lanes[lane].times, middle, own.lanes[lane].times + kWindow);
    times.push_back(*middle);
    own.lanes[lane] = {};
    ends.push_back((own.borders[lane + 1] + grain - 1) / grain);
  }
  const auto mean = static_cast<double>(std::accumulate(times.begin(), times.end(), uint64_t{0})) /
                    static_cast<double>(lanes);
  const auto most = static_cast<double>(*std::max_element(times.begin(), times.end()));
  if (most <= mean * (1 + kLeastDifference)) return false;
  const std::vector<int64_t> wanted = Balanced(ends, times);
  bool changed = false;
  for (int64_t lane = 0; lane + 1 < lanes; ++lane) {
    const auto even = static_cast<double>(grains) / static_cast<double>(lanes);
    const double middle = even * static_cast<double>(lane + 1), slack = even * kMostChange;
    const int64_t end = std::clamp(wanted[lane], static_cast<int64_t>(std::ceil(middle - slack)),
                                   static_cast<int64_t>(std::floor(middle + slack)));
    changed |= end != ends[lane];
    own.borders[lane + 1] = end * grain;
  }
  return changed;
}

void LaneShares::EndRun() {
  if (!is_balanced_) return;
  if (measures_ && ++measured_ == kWindow) {
    measured_ = 0;
    bool changed = false;
    for (Domain& own : domains_) changed |= own.is_balanced() && Balance(own);
    interval_ =
        changed ? std::max<int64_t>(1, interval_ / 2) : std::min(kMostInterval, interval_ * 2);
  }
  ++runs_;
  measures_ = runs_ >= kFirstMeasured && runs_ % interval_ == 0;
}

}  // namespace lockstep::runtime
