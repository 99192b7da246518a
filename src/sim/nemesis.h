#pragma once

#include "base/clock.h"
#include "sim/world.h"

namespace lockstep::sim {

struct NemesisOptions {
  base::Duration longest_calm = std::chrono::milliseconds(5);
  base::Duration longest_fault = std::chrono::milliseconds(60);
};

/// Troubles a world for `time`: pauses ranks, cuts them off and cuts single directions, each for a
/// while and drawn from the world's seed. Every fault is over in the end; nobody dies.
void Trouble(World& world, base::Duration time, const NemesisOptions& options = {});

}  // namespace lockstep::sim
