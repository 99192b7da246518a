#pragma once

#include <map>
#include <string>

namespace lockstep::base {

/// The variables that this process was started with.
std::map<std::string, std::string> ProcessEnvironment();

}  // namespace lockstep::base
