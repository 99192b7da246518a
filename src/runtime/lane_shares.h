#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::runtime {

/// Rows (or columns, or steps of chains) that lanes divide, each of them beginning at a multiple of
/// `grain`.
struct RowDomain {
  int64_t rows = 1;
  int64_t grain = 1;
};

/// Which rows of each of a plan's domains each lane takes: at first equally many, then so many that
/// all lanes work as long. Rows may cost unlike times, as of weights whose inputs are mostly zero,
/// some lanes have undivided steps too, and one core may be slower than another. The division
/// changes no bit. Threads: lanes call `Of` and `Add` while a run is under way, one thread the rest
/// between runs.
class LaneShares {
 public:
  /// No lanes.
  LaneShares() = default;
  LaneShares(const std::vector<RowDomain>& domains, int lanes);

  struct Share {
    int64_t begin, end;
  };
  Share Of(int domain, int lane) const {
    const std::vector<int64_t>& borders = domains_[domain].borders;
    return {borders[lane], borders[lane + 1]};
  }

  /// Whether lanes are to tell of the present run how long they have worked.
  bool measures() const { return measures_; }
  /// This lane has worked so long (in any unit) in phases whose dearest work is of this domain.
  void Add(int domain, int lane, uint64_t time) {
    Domain& own = domains_[domain];
    if (own.is_balanced()) own.lanes[lane].times[measured_] += time;
  }
  /// A run has come to its end; the next one may be divided otherwise.
  void EndRun();

  /// Where the lanes' shares would end, in grains, so that all would have taken as long: `ends`, of
  /// which the last stays, is where they ended, and `times` what they took.
  static std::vector<int64_t> Balanced(const std::vector<int64_t>& ends,
                                       const std::vector<uint64_t>& times);

 private:
  static constexpr int kWindow = 9;  // measured runs, whose medians count
  struct alignas(64) Lane {
    uint64_t times[kWindow] = {};
  };
  struct Domain {
    RowDomain domain;
    std::vector<int64_t> borders;  // lanes + 1
    std::vector<Lane> lanes;       // none: the shares stay even
    bool is_balanced() const { return !lanes.empty(); }
  };
  bool Balance(Domain& domain);

  std::vector<Domain> domains_;
  bool is_balanced_ = false;  // one of them at least
  bool measures_ = false;
  int64_t runs_ = 0;
  int64_t interval_ = 1;  // between measured runs
  int measured_ = 0;      // of this window
};

}  // namespace lockstep::runtime
