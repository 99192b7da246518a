#pragma once

#include <cstdint>

namespace lockstep::check {

/// How many races between threads were told in this process, those at the same places too.
uint64_t NumRaceReports();

}  // namespace lockstep::check
