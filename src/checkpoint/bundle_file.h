#pragma once

#include "base/file.h"
#include "lockstep/checkpoint/tensor_bundle.h"

namespace lockstep::checkpoint {

/// WriteTensorBundle and MergeTensorBundles on the disk `files`.
Status WriteBundle(base::FileSystem& files, const std::string& prefix,
                   const std::vector<BundleTensor>& tensors);
Status MergeBundles(base::FileSystem& files, const std::vector<std::string>& parts,
                    const std::string& prefix);

}  // namespace lockstep::checkpoint
