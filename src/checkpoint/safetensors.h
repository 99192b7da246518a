#pragma once

#include <memory>
#include <span>

#include "base/file.h"
#include "lockstep/checkpoint/safetensors.h"

namespace lockstep::checkpoint {

Status WriteSafetensors(base::FileSystem& files, const std::string& path,
                        const Safetensors& content);

/// The tensors in `bytes`, the content of a file called `path`, that `filter` does not leave out.
/// `keeper` keeps them in memory; without it the tensors are copies.
Result<Safetensors> ParseSafetensors(std::span<const std::byte> bytes, const std::string& path,
                                     std::shared_ptr<const void> keeper,
                                     const TensorFilter& filter = {});

}  // namespace lockstep::checkpoint
