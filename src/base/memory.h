#pragma once

#include <cstddef>

namespace lockstep::base {

/// Memory of at least `bytes` bytes at a multiple of 64, to be freed with std::free; null when
/// there is none. Where many bytes are asked for, the system is told that large pages are welcome:
/// kernels walk matrices by columns too, and would miss the table of small pages at every row.
void* AllocateMemory(size_t bytes);

/// From how many bytes on they are better written past the caches, as those no longer hold them
/// when they are read: 8 MiB, or a sixteenth of the last level, which others use as well.
size_t BytesPastCaches();

}  // namespace lockstep::base
