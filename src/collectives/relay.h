#pragma once

#include <vector>

#include "collectives/plan.h"

namespace lockstep::collectives {

/// The fewest transfers after which `owner` knows the root of the tree over the division's leaves,
/// each rank starting with the nodes of its block's cover.
/// Cost: for P equal aligned blocks P - 1, as without relays; else one per node that has to leave a
/// rank, where direct transfers cost one per node of every cover. O(nodes x ranks) to plan.
std::vector<Transfer> RelayTransfers(const Division& division, int owner);

}  // namespace lockstep::collectives
