#pragma once

#include <string>

namespace lockstep::base {

/// Names this build of the library: two files of equal code and flags have equal names. It is the
/// linker's build id, as 40 hexadecimal digits; empty where there is none.
std::string BuildFingerprint();

}  // namespace lockstep::base
