#pragma once

#include <source_location>

#include "collectives/movement.h"

namespace lockstep::collectives {

struct BarrierRequest {
  OpId id;
  MoveOptions options;
  std::string label;  // which barrier this is; equal on all ranks
};

/// Done once all ranks have called it. Cost: kDirect one hop, P - 1 messages sent by each rank;
/// kDoubling log2(P) hops and messages, each at twice the distance of the last; no bytes. Errors:
/// as AllReduceSum; the text of DeadlineExceeded names a rank that has not come, or was not heard
/// of.
void Barrier(Group& group, BarrierRequest request, OnReduced done,
             std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
