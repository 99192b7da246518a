#pragma once

#include <source_location>

#include "collectives/movement.h"

namespace lockstep::collectives {

/// Gives every rank what the root has.
/// Shapes: counts [1]; input, of the root, and output, of the others, [counts[0]]; the root may
/// have an output, also its input. Cost (P ranks, n bytes): kDirect one hop, the root sends (P - 1)
/// n; kTree log2(P) hops, nobody sends more than log2(P) n; kSplit two hops, each rank sends at
/// most 2 n (P - 1)/P. Lifetime: input and output stay until `done`, which runs once, as new work.
/// Errors: as AllReduceSum; InvalidArgument for a root that is no rank.
void Broadcast(Group& group, MoveRequest request, OnReduced done,
               std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
