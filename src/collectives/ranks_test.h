#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "collectives/group.h"
#include "net/in_process.h"

/// For tests: P ranks of one process, on one event loop.

namespace lockstep::collectives {

class TestRanks {
 public:
  explicit TestRanks(int num_ranks, const GroupOptions& options = {})
      : network_(std::vector<base::Executor*>(static_cast<size_t>(num_ranks), &loop)),
        statuses(static_cast<size_t>(num_ranks)),
        present(static_cast<size_t>(num_ranks)) {
    for (int rank = 0; rank < num_ranks; ++rank)
      groups.push_back(std::make_unique<Group>(network_.transport(rank), options));
  }

  int num_ranks() const { return static_cast<int>(groups.size()); }
  Group& group(int rank) { return *groups[static_cast<size_t>(rank)]; }
  net::Transport& transport(int rank) { return network_.transport(rank); }
  /// To be given to the rank's collective; `Wait` waits for as many.
  OnReduced Done(int rank) {
    ++under_way_;
    return [this, rank](const Result<Reduced>& result) {
      statuses[static_cast<size_t>(rank)] = result.status();
      present[static_cast<size_t>(rank)] = result.ok() && result->present;
      --under_way_;
    };
  }
  bool Wait() {
    return loop.RunUntil([this] { return under_way_ == 0; }, std::chrono::seconds(60));
  }
  /// Lets all that is posted, and what follows from it at once, happen; no clock is asked.
  void Settle() {
    for (int round = 0; round < 50; ++round) {
      bool ran = false;
      loop.Post([&ran] { ran = true; });
      loop.RunUntil([&ran] { return ran; }, std::chrono::minutes(1));
    }
  }
  void RunFor(base::Duration time) {
    loop.RunUntil([] { return false; }, time);
  }
  const Status& status(int rank) const { return *statuses[static_cast<size_t>(rank)]; }

  base::EventLoop loop;

 private:
  net::InProcessNetwork network_;
  int under_way_ = 0;

 public:
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<std::optional<Status>> statuses;
  std::vector<bool> present;
};

}  // namespace lockstep::collectives
