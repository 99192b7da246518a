#pragma once

namespace lockstep::base {

/// Asks for a line of memory to be written, so that it comes from other cores' caches while
/// something else is done. Any address, in memory of ours or not.
[[gnu::always_inline]] inline void FetchToWrite(const void* line) {
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
}

}  // namespace lockstep::base
