#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/tensor/dtype.h"
#include "lockstep/tensor/shape.h"

// A model that is read from a file may declare layers of any size. While a limit is set, layers
// that the calling thread builds create weights of at most so many bytes together, so that a small
// file cannot make the process allocate much.

namespace lockstep::nn {

/// Sets the bytes that weights created by this thread may still take; none: no limit. Returns what
/// was left before.
std::optional<int64_t> SetWeightLimit(std::optional<int64_t> bytes);

/// Counts a weight before its value is made. Errors: InvalidArgument above the limit.
void CountWeight(const std::string& name, const Shape& shape, DType dtype);

}  // namespace lockstep::nn
