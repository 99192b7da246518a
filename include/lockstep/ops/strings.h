#pragma once

#include <optional>

#include "lockstep/tensor/tensor.h"

/// Ops on strings, which are bytes. Errors of values are raised when the op is carried out.

namespace lockstep {

struct DecodeRawOptions {
  bool little_endian = true;
  /// So many bytes of each string are taken; what is missing is zero.
  std::optional<int64_t> fixed_length = {};
};
/// The bytes of strings as the numbers that lie in them.
/// Shapes: string [...] to `dtype` [..., n]; strings of equal sizes, unless `fixed_length` is
/// given. Errors: InvalidArgument (sizes that differ, or no multiple of the dtype's; no number's
/// dtype). Source: tf.io.decode_raw.
Tensor DecodeRaw(const Tensor& input, DType dtype, const DecodeRawOptions& options = {});

}  // namespace lockstep
