#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::distribute {

/// The first example of replica r in a global batch of n `examples`, n for r = R: each replica
/// takes the next ceil(n / R), so that the last ones have fewer or none. (The rule of TensorFlow's
/// experimental_distribute_dataset.)
int64_t FirstOfReplica(int64_t examples, int replicas, int r);

/// The leaves of one global batch: each replica's examples are cut into shards. Offsets in
/// examples, from 0 to n.
struct Leaves {
  std::vector<int64_t> offsets;
  int shards_per_replica = 1;  // of the largest replica
  int count() const { return static_cast<int>(offsets.size()) - 1; }
};

/// Into how many shards a replica's `examples` are cut: the largest power of two that leaves at
/// least 16 examples each, at most 8; more, up to 64, where at least 64 are left each: every shard
/// costs adds. It follows from the batch alone, never from the machine.
int ShardsOf(int64_t examples);

/// `shards` > 0 overrides the number of shards a replica.
Leaves MakeLeaves(int64_t examples, int replicas, int shards = 0);

/// While one lives, this thread traces a step on a global batch of so many replicas; layers that
/// look at a replica's whole batch ask for it.
class ReplicaBatchScope {
 public:
  ReplicaBatchScope(int64_t examples, int replicas);
  ~ReplicaBatchScope();
  ReplicaBatchScope(const ReplicaBatchScope&) = delete;
  ReplicaBatchScope& operator=(const ReplicaBatchScope&) = delete;

 private:
  std::vector<int64_t> outer_;
};
/// The first rows of the replicas, and `rows`, for a tensor whose rows are the batch's examples or
/// a multiple of them. Empty where there is one replica, or the rows are other ones.
std::vector<int64_t> ReplicaRowsOf(int64_t rows);

}  // namespace lockstep::distribute
