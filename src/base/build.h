#pragma once

#include <string>

namespace lockstep::base {

/// "0.1.0"
std::string Version();

/// Names this build of the library: two files of equal code and flags have equal names. It is the
/// linker's build id, as 40 hexadecimal digits; empty where there is none.
std::string BuildFingerprint();

}  // namespace lockstep::base
