#pragma once

#include <cstdint>

namespace lockstep {

/// How a traced program is carried out; every choice changes the time and the memory, none a bit.
struct ExecutionOptions {
  /// Fold constants, join duplicates and fuse products before the program is planned.
  bool passes = true;
  /// Run ops that depend on each other row by row in chunks that stay in the cache.
  bool fuse = true;
  /// Carry out one op after the other on the calling thread, each in memory of its own, with
  /// neither passes nor a plan.
  bool eager = false;
  /// Sums of gradients run when they would make so many bytes; 0: when nothing else is left.
  int64_t bucket_bytes = 4 << 20;

  bool operator==(const ExecutionOptions&) const = default;
};

/// What carries out a compiled program; all 0 where it is not one plan.
struct PlanSummary {
  int kernels = 0;
  int phases = 0;   // a barrier separates them
  int chunked = 0;  // groups of kernels that pass over their rows in chunks
};

}  // namespace lockstep
