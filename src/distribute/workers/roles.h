#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::distribute {

/// Which ranks of an epoch compute on examples (workers, a chief too) and which keep variables
/// (servers, the job "ps"). Where one kind is missing, the other does its part as well. Some may
/// rest: they have neither examples nor rows, and only follow. Any division of the work gives the
/// same bits.
class Roles {
 public:
  /// Ranks of one kind: all are workers.
  Roles(int workers = 0) : is_server_(workers, false) { List(); }  // NOLINT(google-explicit-*)
  /// By rank.
  explicit Roles(std::vector<bool> is_server) : is_server_(std::move(is_server)) { List(); }
  /// Workers, then servers.
  static Roles Of(int workers, int servers) {
    std::vector<bool> is_server(workers, false);
    is_server.resize(workers + servers, true);
    return Roles(std::move(is_server));
  }

  /// The same ranks, of which those rest that `rests`, by rank.
  Roles WithResting(std::vector<bool> rests) const {
    Roles roles;
    roles.is_server_ = is_server_;
    if (std::find(rests.begin(), rests.end(), true) != rests.end()) roles.rests_ = std::move(rests);
    roles.List();
    return roles;
  }

  int num_ranks() const { return static_cast<int>(is_server_.size()); }
  bool AnybodyRests() const { return !rests_.empty(); }
  /// By rank; empty: nobody rests.
  const std::vector<bool>& resting() const { return rests_; }
  bool Rests(int rank) const { return !rests_.empty() && rests_[rank]; }
  bool IsServer(int rank) const { return is_server_[rank]; }
  /// Which of those that compute a rank is; -1: it has no examples.
  int WorkerOf(int rank) const {
    const auto place = std::find(leaf_ranks().begin(), leaf_ranks().end(), rank);
    return place == leaf_ranks().end() ? -1 : static_cast<int>(place - leaf_ranks().begin());
  }
  /// Ranks in ascending order.
  const std::vector<int>& workers() const { return workers_; }
  const std::vector<int>& servers() const { return servers_; }
  /// Those that leaves are divided over: the workers, or the servers where no worker is left.
  const std::vector<int>& leaf_ranks() const { return workers_.empty() ? servers_ : workers_; }
  /// Those that rows of updates are divided over: the servers, or the workers where there are none.
  const std::vector<int>& row_ranks() const { return servers_.empty() ? workers_ : servers_; }
  /// Who writes and prints: the first of the workers.
  int chief() const { return leaf_ranks().empty() ? 0 : leaf_ranks().front(); }
  bool operator==(const Roles&) const = default;

  /// num_ranks() + 1 borders of `count` items that the ranks `holders`, in ascending order, divide
  /// evenly, rounded down to multiples of `grain`; the others have none.
  std::vector<int64_t> Divide(int64_t count, const std::vector<int>& holders,
                              int64_t grain = 1) const {
    std::vector<int64_t> borders{0};
    const auto parts = static_cast<int64_t>(holders.size());
    int64_t part = 0;
    for (int rank = 0; rank < num_ranks(); ++rank) {
      if (part < parts && holders[part] == rank) ++part;
      borders.push_back(part == parts ? count : count * part / parts / grain * grain);
    }
    return borders;
  }

 private:
  void List() {
    for (int rank = 0; rank < num_ranks(); ++rank)
      if (!Rests(rank)) (is_server_[rank] ? servers_ : workers_).push_back(rank);
  }

  std::vector<bool> is_server_;
  std::vector<bool> rests_;  // empty: nobody does
  std::vector<int> workers_, servers_;
};

}  // namespace lockstep::distribute
