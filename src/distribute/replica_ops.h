#pragma once

#include <vector>

#include "ops/op.h"

namespace lockstep::distribute {

/// What "ReplicaRun" and "ReplicaMerge" give; their attribute "results".
struct ResultTypes : TensorObject {
  std::vector<ops::TensorType> types;
};

}  // namespace lockstep::distribute
