#pragma once

#include <deque>
#include <memory>
#include <string>

#include "cluster/member.h"
#include "distribute/workers/flight.h"
#include "distribute/workers/job_view.h"

namespace lockstep::distribute {

/// Answers those who watch the job: this task's figures, its epochs, and how all members are. Tells
/// the coordinators how far the task is, so that they can say who is stuck.
/// Threads: the executor of `rpc`; figures and flight recorder have other ones.
class WatchReporter {
 public:
  /// `rpc` and `member` outlive it.
  WatchReporter(net::Rpc& rpc, cluster::Member& member, std::shared_ptr<base::Metrics> metrics,
                std::shared_ptr<Flight> flight);
  ~WatchReporter();
  WatchReporter(const WatchReporter&) = delete;
  WatchReporter& operator=(const WatchReporter&) = delete;

  /// The task has entered an epoch.
  void Enter(const cluster::Membership& membership);

 private:
  static constexpr size_t kEpochs = 16;
  struct Seen {
    EpochView epoch;
    base::Time when{};
  };
  std::string Answer() const;
  void TellProgress();
  base::Time Now() const { return rpc_.executor().Now(); }

  net::Rpc& rpc_;
  cluster::Member& member_;
  const std::shared_ptr<base::Metrics> metrics_;
  const std::shared_ptr<Flight> flight_;
  base::Metric& steps_;
  std::deque<Seen> epochs_;
  base::Timer tell_;
};

}  // namespace lockstep::distribute
