#pragma once

#include <vector>

#include "lockstep/distribute/strategy.h"

namespace lockstep::distribute {

/// Runs the replicas at once: each one a fiber, one running at a time, in replica order between
/// meetings.
std::vector<PerReplica> RunEagerly(Strategy& strategy, const ReplicaFunction& function,
                                   const std::vector<PerReplica>& arguments);

/// Traces the replicas' program once, as one node of the graph that is being traced.
std::vector<PerReplica> TraceRun(Strategy& strategy, const ReplicaFunction& function,
                                 const std::vector<PerReplica>& arguments);

}  // namespace lockstep::distribute
