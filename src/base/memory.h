#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep::base {

/// Memory of at least `bytes` bytes at a multiple of 64, to be freed with std::free. Where many
/// bytes are asked for, the system is told that large pages are welcome: kernels walk matrices by
/// columns too, and would miss the table of small pages at every row. Errors: ResourceExhausted,
/// starting with `[where]` and naming the bytes, past `MemoryLimit()` or when there is none.
void* AllocateMemory(size_t bytes, std::string_view where);

/// ResourceExhausted, starting with `[where]`, if this process cannot get `bytes` bytes: asked
/// before work whose result would need them.
void RequireMemory(uint64_t bytes, std::string_view where);

/// From how many bytes on they are better written past the caches, as those no longer hold them
/// when they are read: 8 MiB, or a sixteenth of the last level, which others use as well.
size_t BytesPastCaches();

}  // namespace lockstep::base
