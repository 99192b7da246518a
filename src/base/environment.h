#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lockstep::base {

/// The variables that this process was started with.
std::map<std::string, std::string> ProcessEnvironment();
/// One of them; nothing if it is absent or empty.
std::optional<std::string> EnvironmentText(const std::string& name);
/// One of them as a whole number in [low, high]. Throws InvalidArgument naming it if it is none.
std::optional<int64_t> EnvironmentNumber(const std::string& name, int64_t low, int64_t high);

}  // namespace lockstep::base
