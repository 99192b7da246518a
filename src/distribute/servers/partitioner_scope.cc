#include "distribute/servers/partitioner_scope.h"

#include <utility>

#include "distribute/servers/coordinator_state.h"
#include "lockstep/distribute/parameter_server.h"

namespace lockstep::distribute {

namespace {
thread_local const Partitioner* innermost = nullptr;
}  // namespace

PartitionerScope::PartitionerScope(Partitioner partitioner)
    : own_(std::move(partitioner)), outer_(std::exchange(innermost, &own_)) {}
PartitionerScope::~PartitionerScope() { innermost = outer_; }

Partitioner PartitionerScope::Current() {
  if (innermost != nullptr) return *innermost;
  if (const CoordinatorState* state = CurrentCoordinator::Get()) return state->options.partitioner;
  if (!HasStrategy()) return nullptr;
  const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&GetStrategy());
  return servers == nullptr ? nullptr : servers->options().partitioner;
}

}  // namespace lockstep::distribute
