#pragma once

#include <string_view>

#include "lockstep/checkpoint/npy.h"

namespace lockstep::checkpoint {

/// The arrays in `bytes`, the content of an .npz file called `path`, that `filter` does not leave
/// out.
Result<std::vector<NamedTensor>> ParseNpz(std::string_view bytes, const std::string& path,
                                          const TensorFilter& filter = {});

}  // namespace lockstep::checkpoint
