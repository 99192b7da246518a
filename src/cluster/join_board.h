#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cluster/membership.h"
#include "lockstep/base/status.h"

namespace lockstep::cluster {

/// A task of the description, as far as it is known before the task has come.
struct ExpectedTask {
  std::string job;
  int32_t index = 0;
  std::string control;  // its address; empty: unknown until it comes
};

/// Why a task could not be asked, in a few words: "connection refused", "no answer".
std::string DescribeSilence(const Status& status);
/// Whether the task's machine answered that no process listens there.
bool IsRefusal(const Status& status);

/// Who is here and who is missing, where and why, while a job comes up.
class JoinBoard {
 public:
  JoinBoard(std::vector<ExpectedTask> expected, base::Time now);

  void SetHere(const std::vector<Peer>& here);
  /// The last try to reach a task that is missing, or what it was refused for.
  void Note(const std::string& job, int32_t index, const std::string& fault);
  /// The expected tasks with an address that are not here.
  std::vector<ExpectedTask> Missing() const;
  /// "3 of 4 here; missing worker 2 at host:port, connection refused, for 12 s"
  std::string Text(base::Time now) const;

 private:
  using Name = std::pair<std::string, int32_t>;
  const std::vector<ExpectedTask> expected_;
  const base::Time since_;
  std::map<Name, Peer> here_;
  std::map<Name, std::string> faults_;
};

}  // namespace lockstep::cluster
