#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::nn {

/// `lockstep verify` asks a training for its state after one step: LOCKSTEP_DUMP_STEP=k and
/// LOCKSTEP_DUMP_FILE=path. All tasks of a launched job gather it, and the chief writes it; where
/// tasks train each for itself, the leader alone is meant.
struct DumpRequest {
  int64_t step;
  std::string path;

  /// Throws InvalidArgument for a step that is no number from 1 on.
  static std::optional<DumpRequest> FromEnvironment(bool alone);
};

}  // namespace lockstep::nn
