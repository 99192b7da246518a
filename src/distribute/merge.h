#pragma once

#include <memory>
#include <vector>

#include "lockstep/distribute/replica_context.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::distribute {

/// The body of a merge_call that happens at once.
std::shared_ptr<TensorObject> EagerMerge(const MergeFunction& function);
/// Traces `function` in cross-replica context, with parameters for the arguments of all replicas,
/// into the body of a node; what a replica gets from it.
std::vector<Tensor> TraceMerge(Strategy& strategy, const MergeFunction& function,
                               const std::vector<Tensor>& arguments);

}  // namespace lockstep::distribute
