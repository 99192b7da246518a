#pragma once

#include <string>
#include <string_view>

#include "lockstep/tensor/tensor.h"

namespace lockstep::checkpoint {

/// What stands before an array's elements: magic, version and a Python dict, in all a multiple of
/// 64 bytes. Source: numpy.lib.format.
Result<std::string> NpyHeader(const Tensor& tensor);
/// The elements as they stand in the file: those of the tensor, or, for strings, `storage`, padded
/// to one length.
std::string_view NpyElements(const Tensor& tensor, std::string& storage);

/// The array in `bytes`, the content of a file called `path`.
Result<Tensor> ParseNpy(std::string_view bytes, const std::string& path);

}  // namespace lockstep::checkpoint
