#include "base/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/memory_limit.h"
#include "lockstep/base/status.h"

namespace lockstep::base {

namespace {
constexpr size_t kAlignment = 64;
constexpr size_t kLargePage = size_t{1} << 21;
// Asking for the limit of fewer bytes would take longer than getting them.
constexpr uint64_t kMany = uint64_t{1} << 28;

}  // namespace

// A system that promises more memory than it has would end the process at the first writes.
void RequireMemory(uint64_t bytes, std::string_view where) {
  if (bytes < kMany) return;
  const uint64_t limit = std::min(MemoryLimit(), FreeMemory());
  if (bytes <= limit) return;
  throw Error(Code::kResourceExhausted,
              "[" + std::string(where) + "] memory for " + std::to_string(bytes) +
                  " bytes is needed; got at most " + std::to_string(limit) +
                  " bytes that this process can have; use smaller tensors");
}

void* AllocateMemory(size_t bytes, std::string_view where) {
  RequireMemory(bytes, where);
  const size_t alignment = bytes >= kLargePage ? kLargePage : kAlignment;
  const size_t size = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size) != 0) {
    throw Error(Code::kResourceExhausted, "[" + std::string(where) + "] memory for " +
                                              std::to_string(bytes) +
                                              " bytes is needed; got none from the system; use "
                                              "smaller tensors, or free others");
  }
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
