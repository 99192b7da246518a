#pragma once

#include <string>
#include <string_view>

#include "lockstep/base/status.h"

namespace lockstep::kernels {

/// The instruction set that kernels use in this process: "avx2" or "avx512".
std::string_view IsaName();
/// Restricts kernels to `name`, before any has run. InvalidArgument for another name, Unavailable
/// when the processor does not have it.
Status SelectIsa(const std::string& name);

}  // namespace lockstep::kernels
