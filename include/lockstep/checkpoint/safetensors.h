#pragma once

#include <map>
#include <string>
#include <vector>

#include "lockstep/checkpoint/save.h"

namespace lockstep {

/// What a safetensors file holds: tensors by name, and texts by name.
struct Safetensors {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Writes a safetensors file in one step, with the bytes of the format's own library: tensors in
/// the order of their dtypes' sizes, then of their names. Dtypes: all but string.
/// Errors: InvalidArgument (two tensors of one name, a string, no elements, a text that is no
/// UTF-8), ResourceExhausted, PermissionDenied, NotFound, Unavailable.
Status WriteSafetensors(const std::string& path, const Safetensors& content);

/// Reads one without a copy: the tensors lie in the file, which must stay as it is while they
/// live, and are read from the disk when they are used. In the order of the file.
/// Errors: NotFound, PermissionDenied; DataLoss (the header is damaged, tensors overlap, leave gaps
/// or end elsewhere than the file); Unimplemented (a dtype or rank that Lockstep does not have).
Result<Safetensors> ReadSafetensors(const std::string& path, const TensorFilter& filter = {});

}  // namespace lockstep
