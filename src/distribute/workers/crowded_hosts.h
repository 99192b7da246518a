#pragma once

#include <vector>

#include "distribute/workers/roles.h"

namespace lockstep::distribute {

class Communicator;

/// Where a rank runs, as it sees it itself.
struct HostPlace {
  std::vector<int> cores;   // their numbers on its host
  std::vector<int> beside;  // the ranks with which it shares memory
};

/// `roles`, with those resting that their host has no core for. On a host with more workers than
/// cores the first ones, as many as there are cores, have all leaves and rows of the host, and the
/// others only follow: cut into more pieces, a step would take as much work, and more messages and
/// turns of the cores. Where there are servers nobody rests. The same on all ranks, as are
/// `places`, which are by rank.
Roles LetRest(const Roles& roles, const std::vector<HostPlace>& places);

/// This rank's own.
HostPlace HostPlaceOf(Communicator& ranks);

/// Every rank's, by rank; all ranks call it alike. Errors: of collectives, thrown.
std::vector<HostPlace> GatherHostPlaces(Communicator& ranks);

}  // namespace lockstep::distribute
