#pragma once

#include <string>
#include <string_view>

#include "lockstep/checkpoint/save.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::checkpoint {

/// What stands before an array's elements: magic, version and a Python dict, in all a multiple of
/// 64 bytes. Source: numpy.lib.format.
Result<std::string> NpyHeader(const Tensor& tensor);
/// The elements as they stand in the file: those of the tensor, or, for strings, `storage`, padded
/// to one length.
std::string_view NpyElements(const Tensor& tensor, std::string& storage);

/// A header is no longer than this.
inline constexpr size_t kMostNpyHeader = size_t{1} << 20;
/// What an array's header says, without the name. `start` holds at least the first kMostNpyHeader
/// bytes of a file of `size` bytes, or all of them. Errors: those of `ParseNpy`.
Result<TensorAbout> DescribeNpy(std::string_view start, uint64_t size, const std::string& path);
/// The array in `bytes`, the content of a file called `path`.
Result<Tensor> ParseNpy(std::string_view bytes, const std::string& path);

}  // namespace lockstep::checkpoint
