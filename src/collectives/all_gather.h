#pragma once

#include <source_location>

#include "collectives/movement.h"

namespace lockstep::collectives {

/// Gives every rank the pieces of all.
/// Shapes: counts [P]; input [counts[rank]], output [sum of counts]; all types but strings; the
/// input may lie at its place in the output. Cost (P ranks, n bytes each): kDirect one hop, P - 1
/// messages; kRing P - 1 hops between neighbours; kDoubling log2(P) hops and messages; (P - 1) n
/// bytes sent by each rank in all of them. Lifetime: input and output stay until `done`, which runs
/// once, as new work. Errors: as AllReduceSum.
void AllGather(Group& group, MoveRequest request, OnReduced done,
               std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
