#include "base/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace lockstep::base {

namespace {
constexpr size_t kAlignment = 64;
constexpr size_t kLargePage = size_t{1} << 21;
}  // namespace

void* AllocateMemory(size_t bytes) {
  const size_t alignment = bytes >= kLargePage ? kLargePage : kAlignment;
  const size_t size = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size) != 0) return nullptr;
  // A page is asked for as a whole only where all of it is wanted. A system without them refuses.
  if (size >= kLargePage) madvise(memory, size / kLargePage * kLargePage, MADV_HUGEPAGE);
  return memory;
}

size_t BytesPastCaches() {
  constexpr long kLeast = 8 << 20, kShare = 16;
  static const auto bytes =
      static_cast<size_t>(std::max(kLeast, sysconf(_SC_LEVEL3_CACHE_SIZE) / kShare));
  return bytes;
}

}  // namespace lockstep::base
