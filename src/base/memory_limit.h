#pragma once

#include <cstdint>
#include <string>

namespace lockstep::base {

/// The most bytes that this process can ever have at once: the memory and swap of the machine, its
/// control group's limit and RLIMIT_AS, whichever is least. RLIMIT_AS is read at each call.
uint64_t MemoryLimit();

/// Lowers the limit, for tests; 2^64 - 1 takes that back.
void LimitMemoryTo(uint64_t bytes);

/// The bytes that the machine can give now: free memory, caches that it would drop, and free swap;
/// the largest number where the system does not say.
uint64_t FreeMemory();

/// The limit of the control group that a text like /proc/self/cgroup names, and of all groups
/// around it, in files below `root`, where control groups are mounted; the largest number where
/// there is none. Versions 1 and 2.
uint64_t MemoryOfControlGroup(const std::string& root, const std::string& groups);

}  // namespace lockstep::base
