#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>
#include <string>

// Damaged files for tests of parsers, and an eye on what they make a parser allocate.

// The sanitizers bring their own operator new.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOCKSTEP_SEES_ALLOCATIONS 0
#else
#define LOCKSTEP_SEES_ALLOCATIONS 1
#endif

namespace lockstep::base {

/// The largest allocation since it was set to zero, where LOCKSTEP_WATCH_ALLOCATIONS stands in one
/// file of the program.
inline std::atomic<size_t> largest_allocation{0};

/// The seed of random tests; LOCKSTEP_TEST_SEED replaces it.
inline uint64_t TestSeed(uint64_t usual) {
  const char* given = std::getenv("LOCKSTEP_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

/// A few random changes of the kinds that disks, networks and people make.
inline std::string Mutate(std::string bytes, const std::string& other, std::mt19937_64& random) {
  const auto below = [&](uint64_t bound) { return bound == 0 ? 0 : random() % bound; };
  const uint64_t changes = 1 + below(4);
  for (uint64_t i = 0; i < changes && !bytes.empty(); ++i) {
    const size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        bytes[at] = below(2) == 0 ? '\xff' : '\0';
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      default:
        bytes.insert(at, other, 0, below(other.size()));
        break;
    }
  }
  return bytes;
}

}  // namespace lockstep::base

#if LOCKSTEP_SEES_ALLOCATIONS
// Not inlined: the compiler would take malloc and operator delete for a mismatch.
#define LOCKSTEP_WATCH_ALLOCATIONS                                                             \
  __attribute__((noinline)) void* operator new(size_t bytes) {                                 \
    auto& largest = ::lockstep::base::largest_allocation;                                      \
    size_t seen = largest.load(std::memory_order_relaxed);                                     \
    while (bytes > seen && !largest.compare_exchange_weak(seen, bytes)) {                      \
    }                                                                                          \
    if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;                          \
    throw std::bad_alloc();                                                                    \
  }                                                                                            \
  __attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); } \
  __attribute__((noinline)) void operator delete(void* memory, size_t) noexcept {              \
    std::free(memory);                                                                         \
  }
#else
#define LOCKSTEP_WATCH_ALLOCATIONS
#endif
