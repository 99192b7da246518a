#pragma once

#include "base/shared_team.h"
#include "kernels/kernel.h"

namespace lockstep::runtime {

/// Computes all rows of `kernel`, whose op is `spec` with a first input of `dtype`: on the calling
/// thread, or divided among lanes of `team` where that is expected to be faster. The table of
/// rates behind it is filled by the runs on one lane: how long such an op takes for a unit of its
/// estimated cost. An op that is called for the first time is taken for a product, the fastest
/// kind, so that a large product is divided from the first call on. Where dividing has gained
/// nothing, the next ops of less than some milliseconds are not divided. Errors: what the kernel
/// throws; if several lanes fail, the error of the first rows. Threads: any.
void RunOnLanes(const ops::OpSpec& spec, DType dtype, const kernels::Kernel& kernel,
                const kernels::KernelMemory& memory, base::Team& team);

}  // namespace lockstep::runtime
