#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/coordinator_state.h"

namespace lockstep::cluster {

/// What the leading coordinator looks at when it decides on the membership.
struct Situation {
  const State* state = nullptr;
  Incarnation leader = 0;
  /// Members, joiners and voters that are dead, and why that is believed.
  std::map<Incarnation, std::string> dead;
  /// Not empty: the epoch is broken though nobody died, and why.
  std::string broken;
  /// Leavers go now, ready or not.
  bool leavers_waited = false;
  /// The first epoch begins once so many are here, or, when the wait for them is over, with those
  /// who are here, if they are more than half and at least `min_members`.
  int expected = 1;
  bool start_waited = false;
  int min_members = 1;
  int max_members = 1 << 30;
};

/// The commands that lead on: joiners forgotten, the next epoch, at most one change of the voters.
/// Empty if all is well. `may_change_voters`: something of this leader's term is committed.
std::vector<Command> PlanMembership(const Situation& situation, bool may_change_voters);

/// The voters that a membership should have: three, one where there are fewer than three members;
/// those that are already, the leader first, then the lowest ranks, on hosts of their own if
/// possible.
std::vector<Peer> WantedVoters(const std::vector<Peer>& members, const std::vector<Peer>& voters,
                               Incarnation leader);

}  // namespace lockstep::cluster
