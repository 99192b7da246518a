#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/status.h"

namespace lockstep::cluster {

/// The hosts of Slurm's "n[01-03,7],login" in their order, with their leading zeros; brackets may
/// occur several times in a name.
/// Errors: InvalidArgument naming the column; OutOfRange for more than 100 000 hosts.
Result<std::vector<std::string>> ExpandNodeList(std::string_view text);

/// The numbers of Slurm's "2(x3),1": 2, 2, 2, 1. Errors: as above.
Result<std::vector<int>> ExpandTasksPerNode(std::string_view text);

}  // namespace lockstep::cluster
