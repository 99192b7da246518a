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

/// Calls `line(offset)` for each whole line of so many bytes: in ascending order, or from four
/// pages in turn, as some processors have more lines of another core under way at once where these
/// lie in several pages. Gives the offset behind the last one.
template <typename Line>
[[gnu::always_inline]] inline size_t ForEachLine(size_t bytes, bool by_pages, Line line) {
  constexpr size_t kPage = 4096, kPages = 4;
  size_t at = 0;
  if (by_pages)
    for (; at + kPages * kPage <= bytes; at += kPages * kPage)
      for (size_t i = at; i < at + kPage; i += kFetchLine)
        for (size_t page = 0; page < kPages; ++page) line(i + page * kPage);
  for (; at + kFetchLine <= bytes; at += kFetchLine) line(at);
  return at;
}

}  // namespace lockstep::base
