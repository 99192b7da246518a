#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "lockstep/base/status.h"
#include "net/port.h"

/// For tests: ranks as forked processes that exchange messages step by step, and report.

namespace lockstep::net {

struct RankProcessOptions {
  PortOptions port;
  size_t body_bytes = 100000;
  /// The transport is kept from one epoch to the next instead of being made anew.
  bool keep_transport = false;
  /// Every other process shares no memory.
  bool mixes_roads = false;
};

/// What a rank reports on its pipe, a line each: "at ADDRESS", "step EPOCH NANOSECONDS" for the
/// first whole step of an epoch, "abort EPOCH NANOSECONDS CODE TEXT", "wrong WHAT".
struct Report {
  std::string word;
  uint64_t epoch = 0;
  base::Time when;
  std::string text;
};

class RankProcesses {
 public:
  explicit RankProcesses(const RankProcessOptions& options) : options_(options) {}
  ~RankProcesses();

  /// Starts another process; its number.
  int Start();
  pid_t pid(int process) const { return children_[process].pid; }
  /// What a process said first: "shm=HOST/NAME tcp=HOST:PORT".
  const std::string& address(int process) const { return children_[process].address; }
  /// Lets `members`, in this order, begin an epoch.
  void Begin(uint64_t epoch, const std::vector<int>& members);
  /// The next report with that word of that epoch; other reports before it are skipped, but
  /// "wrong" ends the test. Fails the test after `limit`.
  Report Await(int process, const std::string& word, uint64_t epoch,
               base::Duration limit = std::chrono::seconds(60));
  /// The same, but to be late is no failure.
  bool TryAwait(int process, const std::string& word, uint64_t epoch, base::Duration limit,
                Report* report);
  void Signal(int process, int signal);
  base::Time Now() const { return base::MonotonicClock().Now(); }

 private:
  struct Child {
    pid_t pid = -1;
    int to = -1;
    int from = -1;
    std::string buffer;
    std::string address;
  };
  bool ReadLine(Child& child, std::string* line, base::Time until);

  const RankProcessOptions options_;
  std::vector<Child> children_;
};

}  // namespace lockstep::net
