#pragma once

#include <cstdint>

namespace lockstep {

/// What every check for races, static or dynamic, does with what it finds.
enum class RaceCheck : uint8_t {
  kIgnore,  // nothing is looked for
  kWarn,    // the default: each race becomes one line of the log
  kRaise,   // the first race becomes an error, FailedPrecondition
};

}  // namespace lockstep
