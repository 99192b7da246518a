#pragma once

#include "lockstep/distribute/partitioners.h"

namespace lockstep::distribute {

/// While it lives, weights that layers make on this thread are cut as `partitioner` says; an empty
/// one: into one shard, whatever an outer scope says.
class PartitionerScope {
 public:
  explicit PartitionerScope(Partitioner partitioner);
  ~PartitionerScope();
  PartitionerScope(const PartitionerScope&) = delete;
  PartitionerScope& operator=(const PartitionerScope&) = delete;

  /// That of the innermost scope, of the coordinator in whose scope the thread is, or of its
  /// `ParameterServerStrategy`; empty without any.
  static Partitioner Current();

 private:
  const Partitioner own_;
  const Partitioner* const outer_;
};

}  // namespace lockstep::distribute
