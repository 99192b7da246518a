#pragma once

#include <source_location>

#include "collectives/movement.h"

namespace lockstep::collectives {

/// Gives the root the pieces of all.
/// Shapes: counts [P]; input [counts[rank]], output of the root [sum of counts]. Cost (n bytes
/// each): kDirect one hop, a message to the root from each rank; kTree log2(P) hops, at most
/// log2(P) messages come to a rank. Lifetime: input and output stay until `done`, which runs once,
/// as new work. Errors: as Broadcast.
void Gather(Group& group, MoveRequest request, OnReduced done,
            std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
