#pragma once

#include <string_view>

namespace lockstep::base {

enum class Severity { kDebug, kInfo, kWarning, kError };

/// One line to standard error, with time and severity. LOCKSTEP_LOG=debug|info|warning|error|off
/// sets the least severity that is shown; info by default, and for other words, with a warning.
void Log(Severity severity, std::string_view text);

}  // namespace lockstep::base
