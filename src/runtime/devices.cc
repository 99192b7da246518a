#include "runtime/devices.h"

namespace lockstep::runtime {

namespace {
thread_local base::Team* current = nullptr;
}

base::Team& CurrentTeam() {
  if (current != nullptr) return *current;
  thread_local base::Team alone(1);
  return alone;
}

TeamScope::TeamScope(base::Team& team) : outer_(current) { current = &team; }
TeamScope::~TeamScope() { current = outer_; }

}  // namespace lockstep::runtime
