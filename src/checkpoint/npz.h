#pragma once

#include <string_view>

#include "lockstep/checkpoint/npy.h"

namespace lockstep::checkpoint {

/// The arrays in `bytes`, the content of an .npz file called `path`.
Result<std::vector<NamedTensor>> ParseNpz(std::string_view bytes, const std::string& path);

}  // namespace lockstep::checkpoint
