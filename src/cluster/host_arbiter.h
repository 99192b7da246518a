#pragma once

#include <optional>
#include <string>

#include "cluster/arbiter.h"

namespace lockstep::cluster {

/// Fills in where and as which process this task runs: host, process, process_start.
void DescribeProcess(Peer* self);
/// The same of another process of this host.
void DescribeProcess(int64_t process, Peer* peer);

/// A process that has ended, as whoever started it tells other hosts of it.
struct EndedProcess {
  std::string host;
  int64_t process = 0;
  uint64_t process_start = 0;
  uint64_t newest_epoch = 0;  // that any task on its host had entered then

  /// On one line; `Parse` gives nothing for a text that is none.
  std::string ToString() const;
  static std::optional<EndedProcess> Parse(const std::string& line);
};
/// Tells the tasks on this host that share the directory.
void NoteEnded(const std::string& job_directory, const EndedProcess& ended);
/// The newest epoch that a task on this host has entered; 0: none, or nothing is known.
uint64_t NewestEpochIn(const std::string& job_directory);

/// A parameter server takes part in the training, so the job lives on in it; told to the launcher.
void NoteServer(const std::string& job_directory);
bool HasServers(const std::string& job_directory);

/// Whether a task on this host has said that the job has come to its end.
bool HasFinished(const std::string& job_directory);

/// Whether tasks on this host wait for others, and no epoch has begun yet.
bool IsComingUp(const std::string& job_directory);

/// This machine's process table as the arbiter: a task of this host has ended if its process is
/// gone, is a zombie, or its number belongs to a process that started at another time. Of tasks on
/// other hosts, or in other process namespaces, it says what a launcher has told.
class HostArbiter final : public Arbiter {
 public:
  /// With a directory that all tasks of the job on this host share, a task that was stopped while
  /// the others went on learns it there even if none of those it knew is left; and a launcher tells
  /// there who has ended elsewhere.
  explicit HostArbiter(std::string job_directory = "");

  void Ask(const std::vector<Peer>& peers, std::function<void(Verdict)> done) override;
  void NoteEpoch(uint64_t epoch) override;
  void NoteFinished() override;

 private:
  const std::string directory_;  // empty: none
  Peer self_;
};

}  // namespace lockstep::cluster
