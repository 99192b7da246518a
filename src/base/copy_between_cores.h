#pragma once

#include <cstddef>

namespace lockstep::base {

/// Copies `bytes` that another core has written last: lines are asked for before their turn, those
/// they go to as well. `by_pages`: from four pages in turn, as `ForEachLine` says; then what is
/// read is not asked for. `to` and `from` do not overlap.
void CopyFromOtherCore(void* to, const void* from, size_t bytes, bool by_pages = false);

/// Copies `bytes` that another core will read: past this core's caches, as the lines that are
/// overwritten are in the other's, and to fetch each first takes several times as long. `to` and
/// `from` do not overlap. What is written before a later release is seen with it.
void CopyPastCaches(void* to, const void* from, size_t bytes);

}  // namespace lockstep::base
