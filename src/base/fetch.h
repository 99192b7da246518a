#pragma once

#include <cstddef>

namespace lockstep::base {

/// Lines of other cores' caches are asked for so many bytes before their turn, those that are
/// written a quarter of that: further ahead, or for lines that are near, it costs more than it
/// gives. Of a few kilobytes most would come too late. Measured for sums of two processes of 64 KiB
/// to 16 MiB: docs/collectives.md.
inline constexpr size_t kFetchLine = 64, kReadAhead = 2048, kWriteAhead = 512;
inline constexpr size_t kFewFetched = 4 * kReadAhead;

/// Asks for a line of memory, so that it comes from other cores' caches while something else is
/// done. Any address, in memory of ours or not.
[[gnu::always_inline]] inline void FetchToRead(const void* line) { __builtin_prefetch(line); }

/// The same for a line that will be written.
[[gnu::always_inline]] inline void FetchToWrite(const void* line) {
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
}

}  // namespace lockstep::base
