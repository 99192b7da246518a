#pragma once

#include <functional>
#include <vector>

#include "cluster/membership.h"

namespace lockstep::cluster {

/// Somebody who knows for certain which tasks have ended: this host's process table, a launcher
/// that waits for its children, Slurm, a Kubernetes lease. It answers what no majority can: whether
/// those who are silent can ever act again. Without one, a job that lost its majority stops.
class Arbiter {
 public:
  struct Verdict {
    /// Of those asked about, the ones that have ended and never come back.
    std::vector<Incarnation> ended;
    /// The newest epoch that any task has entered, as far as the arbiter was told; 0: unknown.
    uint64_t newest_epoch = 0;
    /// Whether a task has said that the job has come to its end.
    bool has_finished = false;
  };

  virtual ~Arbiter() = default;
  /// `done` may be called at once or later, on the executor of who asks; it may be dropped.
  virtual void Ask(const std::vector<Peer>& peers, std::function<void(Verdict)> done) = 0;
  /// Called by each task that enters an epoch.
  virtual void NoteEpoch(uint64_t epoch) = 0;
  /// Called by each task of an epoch whose members have all done all that they had to.
  virtual void NoteFinished() = 0;
};

}  // namespace lockstep::cluster
