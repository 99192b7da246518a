#pragma once

#include <functional>
#include <vector>

#include "lockstep/distribute/values.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

class Strategy;

namespace distribute {
class Meeter;
}

/// What runs once for all replicas inside of `ReplicaContext::MergeCall`: it gets each replica's
/// arguments and gives what the replicas get.
using MergeFunction =
    std::function<std::vector<PerReplica>(Strategy& strategy, const std::vector<PerReplica>&)>;

/// One replica of a running `Strategy::Run`, seen from inside. At each collective all replicas must
/// arrive, in the same order. Source: tf.distribute.ReplicaContext.
class ReplicaContext {
 public:
  ReplicaContext(Strategy& strategy, distribute::Meeter* meeter)
      : strategy_(strategy), meeter_(meeter) {}

  /// This replica's number. Shapes: scalar; int32.
  Tensor replica_id_in_sync_group() const;
  int num_replicas_in_sync() const;
  Strategy& strategy() const { return strategy_; }

  /// Combines the replicas' values; each replica gets the result. Shapes: any, equal on all
  /// replicas. Order: the canonical tree over replica numbers. Indexed slices are put one after
  /// another in replica order. Errors: InvalidArgument when shapes differ. The gradient is the
  /// all_reduce of the upstream gradient with the same op.
  std::vector<Tensor> AllReduce(ReduceOp op, const std::vector<Tensor>& values) const;
  Tensor AllReduce(ReduceOp op, const Tensor& value) const;
  /// The replicas' values one after another along `axis`, in replica order. Shapes: equal but along
  /// `axis`, rank >= 1. The gradient is the replica's own part of the sum of upstream gradients.
  Tensor AllGather(const Tensor& value, int axis) const;
  /// Stops all replicas, calls `function` once in cross-replica context, and goes on with what it
  /// gives. Where the replicas' closures differ, that of replica 0 is called.
  std::vector<Tensor> MergeCall(const MergeFunction& function,
                                const std::vector<Tensor>& arguments) const;

  /// For strategies.
  distribute::Meeter* meeter() const { return meeter_; }

 private:
  Strategy& strategy_;
  distribute::Meeter* meeter_;
};

/// The replica in which the calling code runs: nullptr in cross-replica context; outside of any
/// scope the only replica of the default strategy.
ReplicaContext* GetReplicaContext();
/// Whether the calling code runs once for all replicas: in a scope or a merge_call.
bool InCrossReplicaContext();

}  // namespace lockstep
