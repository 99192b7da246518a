#pragma once

#include <string>

#include "cluster/arbiter.h"

namespace lockstep::cluster {

/// Fills in where and as which process this task runs: host, process, process_start.
void DescribeProcess(Peer* self);

/// This machine's process table as the arbiter: a task of this host has ended if its process is
/// gone, is a zombie, or its number belongs to a process that started at another time. Nothing is
/// said of tasks on other hosts, or in other process namespaces.
class HostArbiter final : public Arbiter {
 public:
  /// With a directory that all tasks of the job on this host share, a task that was stopped while
  /// the others went on learns it there even if none of those it knew is left.
  explicit HostArbiter(std::string job_directory = "");

  void Ask(const std::vector<Peer>& peers, std::function<void(Verdict)> done) override;
  void NoteEpoch(uint64_t epoch) override;

 private:
  uint64_t NewestEpoch() const;

  const std::string path_;  // of the epochs that were entered; empty: none are kept
  Peer self_;
};

}  // namespace lockstep::cluster
