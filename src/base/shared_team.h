#pragma once

#include <functional>
#include <memory>

#include "base/team.h"

/// The lanes that compute in this process, and how runs share them.
///
/// All strategies that ask for the same number of lanes have one team (`SharedTeam`); its threads
/// end with the last of them. Whatever runs without a strategy uses the default team
/// (`DefaultTeam`), which has a lane for each core that the process may use. A run takes a team by
/// a `LaneLease`. If the team, or too many cores, are in use by another thread of the program, the
/// lease is of one lane, the calling thread: a run neither waits for lanes nor takes more threads
/// than there are cores. The number of lanes changes no bit of a result.
///
/// Example: two threads run a large function again and again on two cores. The first lease has both
/// lanes. The second finds the team in use and is of one lane. The next lease of the first thread
/// finds a core in use, so it is of one lane, too, and from then on each thread has a core.

namespace lockstep::base {

/// The team of all owners in this process that ask for `lanes` lanes.
/// Errors: ResourceExhausted where the system starts no more threads.
std::shared_ptr<Team> SharedTeam(int lanes);

/// The team of runs without a strategy: `DefaultLanes()` lanes. Its threads start with the first
/// run that is worth more than one lane. The reference stays valid until the process ends.
Team& DefaultTeam();

/// How many lanes the default team has: LOCKSTEP_DEVICES; without it the cores that the process may
/// use, divided by the tasks of its job on this host, but at most TF_NUM_INTRAOP_THREADS. In either
/// case at most the limit. Errors: InvalidArgument for a variable that is no number.
int DefaultLanes();

/// At most `lanes` threads compute for a run, also under strategies that have more; 0: no limit.
void SetLaneLimit(int lanes);
int LaneLimit();

/// Sets the function that counts the tasks of this process's job on this host, this one included.
/// It is called once, when the number is first needed.
void SetTasksOfHost(int (*count)());
int TasksOfHost();

/// The calling thread as a team of one lane.
Team& CallingThread();

/// The lanes of one run: while it lives, no other run takes them.
class LaneLease {
 public:
  /// Takes `team`; or a smaller one if `wanted` lanes or `LaneLimit()` are fewer: a power of two,
  /// so that there are few sizes. One lane if lanes are in use.
  explicit LaneLease(Team& team, int wanted = kAll);
  ~LaneLease();
  LaneLease(const LaneLease&) = delete;
  LaneLease& operator=(const LaneLease&) = delete;

  Team& team() const { return *team_; }

  static constexpr int kAll = 1 << 20;

 private:
  bool Take(Team& team);

  Team* team_;
  bool is_taken_ = false;  // its lanes count among those in use
  unsigned forks_ = 0;     // of the process before this one
};

}  // namespace lockstep::base
