#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ops/op.h"
#include "runtime/compiled.h"

namespace lockstep::distribute {

/// What a step program is traced from and cut by.
struct StepOptions {
  int64_t examples = 0;  // of the batch
  int replicas = 1;
  int shards = 0;  // a replica; 0: follows from the batch
  /// Which parameters have an example a row along axis 0.
  std::vector<bool> has_rows;
  ExecutionOptions execution;
};

/// A traced step that is ready to run.
struct StepProgram {
  std::unique_ptr<runtime::Compiled> compiled;
  /// The op in which examples influence each other, so that the batch is not cut; empty: it is cut.
  std::string mixes_in;
};

/// Traces `body`, called with one symbolic tensor a type, cuts the batch into replicas and shards
/// where the examples can be followed, and compiles the result.
StepProgram MakeStepProgram(
    const std::vector<ops::TensorType>& types,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const StepOptions& options);

}  // namespace lockstep::distribute
