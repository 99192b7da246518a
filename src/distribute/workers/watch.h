#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "net/transport.h"

namespace lockstep::distribute {

/// What a task has waited for and sent, for its metrics, and for the trace of who profiles it.
/// Threads: that of the communicator; the metrics themselves can be read by any.
class Watch {
 public:
  Watch();

  base::Metrics& metrics() { return *metrics_; }
  const std::shared_ptr<base::Metrics>& shared_metrics() const { return metrics_; }

  /// An epoch begins, with these tasks by rank; of no names: "worker 0", "worker 1" ...
  void Enter(uint64_t epoch, std::vector<std::string> tasks, int num_ranks);
  const std::vector<std::string>& tasks() const { return tasks_; }
  /// There was nothing to do until a message of rank `peer` came, or something else; -1.
  void Waited(const std::string& what, int peer, base::Time from, base::Time to);
  /// Brings what went over the wire up to date.
  void NoteTraffic(const net::Transport& transport);
  void NoteRecovery() { recoveries_.Add(1); }

 private:
  const std::shared_ptr<base::Metrics> metrics_ = std::make_shared<base::Metrics>();
  base::Metric& epoch_;
  base::Metric& recoveries_;
  std::vector<std::string> tasks_;
  std::vector<base::Metric*> waits_;  // by rank, and at last for nobody
  struct Road {
    base::Metric* sent = nullptr;
    base::Metric* received = nullptr;
    net::Traffic noted;
  };
  std::vector<Road> roads_;  // by rank
};

}  // namespace lockstep::distribute
