#pragma once

#include <memory>
#include <string>

#include "lockstep/distribute/replica_context.h"
#include "lockstep/distribute/strategy.h"
#include "runtime/devices.h"
#include "runtime/replica.h"
#include "runtime/variable_state.h"

namespace lockstep::distribute {

/// While it lives, the calling thread is in cross-replica context of `strategy`: variables that it
/// creates belong to the strategy, and ops run on its devices.
class CrossReplicaScope {
 public:
  explicit CrossReplicaScope(Strategy& strategy);
  ~CrossReplicaScope();
  CrossReplicaScope(const CrossReplicaScope&) = delete;
  CrossReplicaScope& operator=(const CrossReplicaScope&) = delete;

 private:
  runtime::TeamScope team_;
  std::unique_ptr<runtime::VariableCreator> creator_;
  runtime::VariableCreatorScope creating_;
  runtime::ReplicaNumberScope no_replica_;
};

/// While it lives, the calling thread is one replica of `strategy`: number `replica`, or, while a
/// program for all replicas is traced, none in particular (-1).
class ReplicaScope {
 public:
  ReplicaScope(Strategy& strategy, int replica, Meeter* meeter, runtime::VariableCreator* creator);
  ~ReplicaScope();
  ReplicaScope(const ReplicaScope&) = delete;
  ReplicaScope& operator=(const ReplicaScope&) = delete;

 private:
  ReplicaContext context_;
  runtime::TeamScope team_;
  runtime::VariableCreatorScope creating_;
  runtime::ReplicaNumberScope number_;
};

/// FailedPrecondition when the calling code is inside of a replica; `where` names the method.
void RequireCrossReplica(const char* where);
/// FailedPrecondition when another strategy than the one named is open.
void RequireStrategy(const std::string& where, uint64_t id, const std::string& name);

}  // namespace lockstep::distribute
