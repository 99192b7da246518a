#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

struct NamedTensor {
  std::string name;
  Tensor value;
};

/// What a file says about one of its tensors, before its elements are read.
struct TensorAbout {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;  // of the elements; of strings, those of their texts
};

/// Decides from what a file says whether a tensor is read; an error ends the reading. So a reader
/// refuses a tensor that does not fit before memory is allocated for it. Empty: all are read.
using TensorFilter = std::function<Result<bool>(const TensorAbout&)>;

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
