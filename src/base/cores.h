#pragma once

#include <vector>

namespace lockstep::base {

/// How many hardware threads this process may use, at least one.
int Cores();

/// Their numbers on this machine, ascending; where the system does not say, 0 to Cores() - 1.
std::vector<int> CoreNumbers();

}  // namespace lockstep::base
