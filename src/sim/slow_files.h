#pragma once

#include "base/hooked_files.h"
#include "sim/program.h"

namespace lockstep::sim {

/// How long an operation of a simulated disk takes: drawn anew for each.
struct DiskDelays {
  base::Duration usual = std::chrono::milliseconds(1);
  base::Duration longest = std::chrono::milliseconds(300);
  /// How often an operation takes up to the longest time.
  double hangs = 0.02;
};

/// A disk as a task sees it that is slow: in the time of an operation it does nothing else. `files`
/// is the disk itself, of one task or of all.
inline base::HookedFiles SlowFiles(base::FileSystem& files, Program& program,
                                   const DiskDelays& delays) {
  return base::HookedFiles(files, [&program, delays](bool) {
    base::Randomness& draw = program.world().randomness();
    const base::Duration most = draw.Chance(delays.hangs) ? delays.longest : delays.usual;
    program.Compute(base::Duration(draw.Between(0, most.count())));
    return Status::Ok();
  });
}

}  // namespace lockstep::sim
