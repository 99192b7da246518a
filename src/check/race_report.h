#pragma once

#include <vector>

#include "check/race_pairs.h"
#include "lockstep/check/static_races.h"

namespace lockstep::check {

/// What is needed to put a race into words.
struct Analysis {
  const graph::ReadGraph& read;
  const FlatGraph& flat;
  const Values& values;
  const Conditions& conditions;
  const Order& order;
  const std::vector<Access>& accesses;
  const std::vector<Pair>& pairs;
  const Locks& locks;
};

/// A pair that is a race, before it is put into words.
struct Found {
  int pair = -1;
  Conflict conflict = Conflict::kRace;
  RaceScope over = RaceScope::kRun;
  int loop = -1;
  std::vector<int> also;  // loops over whose iterations it is one, too, also if it is cured here
};

/// What can go wrong with each, aligned with `found`.
std::vector<RaceEffect> EffectsOf(const Analysis& analysis, const std::vector<Found>& found);
/// The smallest edges that cure them, aligned with `found`; one edge is named for all that it
/// cures.
std::vector<RaceCure> CuresOf(const Analysis& analysis, const std::vector<Found>& found);

}  // namespace lockstep::check
