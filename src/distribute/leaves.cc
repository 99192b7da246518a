#include "distribute/leaves.h"

#include <algorithm>

namespace lockstep::distribute {

int ShardsOf(int64_t examples) {
  constexpr int kFew = 8, kMost = 64;
  constexpr int64_t kLeast = 16, kLeastOfMany = 64;  // examples of a shard
  int shards = 1;
  while (shards < kMost && examples / (shards * 2) >= (shards < kFew ? kLeast : kLeastOfMany))
    shards *= 2;
  return shards;
}

int64_t FirstOfReplica(int64_t examples, int replicas, int r) {
  const int64_t share = (examples + replicas - 1) / replicas;
  return std::min(share * r, examples);
}

Leaves MakeLeaves(int64_t examples, int replicas, int shards) {
  Leaves leaves;
  leaves.offsets.push_back(0);
  const int64_t largest = FirstOfReplica(examples, replicas, 1);
  // Equal for all replicas of a batch, so that leaf numbers say which replica and shard they are.
  leaves.shards_per_replica = shards > 0 ? shards : ShardsOf(largest);
  for (int r = 0; r < replicas; ++r) {
    const int64_t begin = FirstOfReplica(examples, replicas, r);
    const int64_t size = FirstOfReplica(examples, replicas, r + 1) - begin;
    for (int s = 1; s <= leaves.shards_per_replica; ++s) {
      leaves.offsets.push_back(begin + size * s / leaves.shards_per_replica);
    }
  }
  return leaves;
}

namespace {
thread_local std::vector<int64_t> replica_examples;
}  // namespace

ReplicaBatchScope::ReplicaBatchScope(int64_t examples, int replicas) : outer_(replica_examples) {
  replica_examples.clear();
  for (int r = 0; replicas > 1 && r <= replicas; ++r)
    replica_examples.push_back(FirstOfReplica(examples, replicas, r));
}

ReplicaBatchScope::~ReplicaBatchScope() { replica_examples = outer_; }

std::vector<int64_t> ReplicaRowsOf(int64_t rows) {
  if (replica_examples.empty() || replica_examples.back() == 0 ||
      rows % replica_examples.back() != 0) {
    return {};
  }
  std::vector<int64_t> scaled = replica_examples;
  for (int64_t& row : scaled) row *= rows / replica_examples.back();
  return scaled;
}

}  // namespace lockstep::distribute
