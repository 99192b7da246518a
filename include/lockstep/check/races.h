#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/check/race_check.h"

namespace lockstep {

/// One of the accesses that a report is about.
struct RaceAccess {
  uint64_t version = 0;  // that was read, or made
  int thread =
      0;  // 1 is the one that began the program, then in the order of their start; 0: not known
  std::string file;  // without folders; empty where the line is not known
  uint32_t line = 0;
  std::string who = {};  // "thread 2 of process 4711 on alpha"; empty for a thread of this process
};

/// A race between threads, of one process or of clients of one server, that has happened.
struct RaceReport {
  enum class Kind {
    /// What `written` made is overwritten by what was computed from `read`, an older version.
    kLostUpdate,
    /// A gradient was computed from the versions of `read` and of `assigned`, a later read.
    kMixedGradient,
  };
  Kind kind = Kind::kLostUpdate;
  /// Else the value went through the host, and only the last read of its thread is known.
  bool certain = true;
  /// The variable is a server's.
  bool on_server = false;
  std::string variable;
  RaceAccess read;
  RaceAccess written;
  RaceAccess assigned;
  int64_t count = 1;  // at the same places

  /// "lost update: `shared`, read at version 3 in example.cc:12 by thread 3, overwrites version 5
  /// written in example.cc:14 by thread 1 …", and the cure.
  std::string ToString() const;
};

/// What the process does with races between its threads, from now on; LOCKSTEP_RACES=ignore|warn|
/// raise says it when the process begins, else it is kWarn. kRaise: the assignment throws
/// FailedPrecondition and assigns nothing.
///
/// Clients of servers, in whatever processes, are told the same of the servers' variables, each by
/// its own process's setting.
///
/// Looked for are assignments (`Assign`, eagerly or in a function) of what was computed from a
/// version that another thread has replaced meanwhile, unless that is known to have happened before
/// the assignment: the threads are joined in between, or a `HappensBefore` says so. Rolling back
/// within a `Lock` is meant, too. `AssignAdd`, `Update` and their like lose nothing.
void SetRaceCheck(RaceCheck check);
RaceCheck CurrentRaceCheck();

/// The races since the last call, each pair of places once. Threads: any.
std::vector<RaceReport> TakeRaceReports();

/// An order between threads that the library does not see by itself, such as by a future, a queue
/// or an atomic flag: what was done before a `Signal` happens before what is done after a `Wait`
/// that follows it in time. Neither of them waits.
/// Threads: any.
class HappensBefore {
 public:
  HappensBefore();
  ~HappensBefore();
  HappensBefore(const HappensBefore&) = delete;
  HappensBefore& operator=(const HappensBefore&) = delete;
  void Signal();
  void Wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep
