#pragma once

#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

struct NamedTensor {
  std::string name;
  Tensor value;
};

/// What a save holds: tensors by name, and a JSON object with all that is no tensor.
struct SavedState {
  std::vector<NamedTensor> tensors;
  std::string metadata = "{}";

  /// The tensor called `name`, or nothing.
  const Tensor* Find(const std::string& name) const;
};

/// Writes `state` to `path`, whole or not at all: under another name in the same directory first,
/// synced, then renamed. What `path` held before stays readable until then, and on failure.
/// Dtypes: all but resource.  Format: docs/save-format.md.
/// Errors: InvalidArgument (two tensors of one name, a tensor without elements, metadata that are
/// no JSON object), ResourceExhausted (disk full), PermissionDenied, NotFound, Unavailable.
Status SaveState(const std::string& path, const SavedState& state);

/// Reads a save and verifies every byte of it.
/// Errors: NotFound; InvalidArgument (not a save); FailedPrecondition (another version of the
/// format); DataLoss (cut off or corrupt; the text names the tensor).
Result<SavedState> LoadState(const std::string& path);

}  // namespace lockstep
