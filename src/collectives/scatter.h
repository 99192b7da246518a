#pragma once

#include <source_location>

#include "collectives/movement.h"

namespace lockstep::collectives {

/// Gives every rank its piece of what the root has.
/// Shapes: counts [P]; input of the root [sum of counts], output [counts[rank]]. Cost (n bytes
/// each): kDirect one hop, P - 1 messages from the root; kTree log2(P) hops and messages from the
/// root. Lifetime: input and output stay until `done`, which runs once, as new work. Errors: as
/// Broadcast.
void Scatter(Group& group, MoveRequest request, OnReduced done,
             std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
