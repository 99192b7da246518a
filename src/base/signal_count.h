#pragma once

#include <cstdint>

namespace lockstep::base {

/// From now on `signal` does nothing but be counted, in every thread of the process, and interrupts
/// no system call. What was set for it before is gone.
void CountSignal(int signal);
/// How often it has come since.
uint64_t SignalsCounted(int signal);

}  // namespace lockstep::base
