#include "runtime/devices.h"

namespace lockstep::runtime {

namespace {
thread_local base::Team* current = nullptr;
}

base::Team& CurrentTeam() { return current != nullptr ? *current : base::DefaultTeam(); }

TeamScope::TeamScope(base::Team& team) : outer_(current) { current = &team; }
TeamScope::~TeamScope() { current = outer_; }

}  // namespace lockstep::runtime
