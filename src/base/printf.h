#pragma once

#include <string>

namespace lockstep::base {

/// What std::printf would print.
[[gnu::format(printf, 1, 2)]] std::string Printf(const char* format, ...);

}  // namespace lockstep::base
