#pragma once

#include <functional>
#include <string>

#include "lockstep/distribute/strategy.h"

namespace lockstep::distribute {

/// Lets one of the workers that come here with one `path` do `work`, which writes it; the others
/// wait until it stands. Not all need to come: each worker may have a path of its own, or one alone
/// has any. Errors: of `work`, thrown on whom they befall.
void OnOne(Strategy& strategy, const std::string& path, const std::function<Status()>& work);

}  // namespace lockstep::distribute
