#pragma once

#include <string>
#include <vector>

#include "lockstep/distribute/strategy.h"

namespace lockstep::distribute {

/// Several workers run each eager replica alike, but what a program makes of its worker's number,
/// files or clock differs. Replaces what a replica has here by what it has on the worker whose
/// replica it is, so that all workers go on with the same. `by_replica`: tensors of each replica;
/// those of replicas elsewhere may be left out. `where` says what they are for.
/// Costs: 32 bytes a replica where the workers agree.
/// Errors: InvalidArgument where workers are at different places, naming both; of `Journal`.
void TakeOwnersValues(Strategy& strategy, const std::string& where,
                      std::vector<std::vector<Tensor>>* by_replica);

/// Whether `TakeOwnersValues` has anything to do: several workers share the replicas.
bool SharesReplicas(const Strategy& strategy);

}  // namespace lockstep::distribute
