#include "kernels/cpu/scratch.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/memory.h"

namespace lockstep::kernels {
namespace {

class Place {
 public:
  ~Place() { Free(); }

  void* AtLeast(size_t bytes, size_t offset) {
    if (bytes > size_) {
      Free();
      const size_t size = std::max(bytes + bytes / 2, size_t{1} << 16);
      memory_ = static_cast<char*>(base::AllocateMemory(size + offset + kPage, "scratch"));
      size_ = size;
      const auto address = reinterpret_cast<uintptr_t>(memory_);
      first_ = memory_ + ((address + kPage - 1) / kPage * kPage - address);
    }
    return first_ + offset;
  }

 private:
  void Free() {
    std::free(memory_);
    memory_ = first_ = nullptr;
    size_ = 0;
  }

  static constexpr uintptr_t kPage = 4096;

  char* memory_ = nullptr;
  char* first_ = nullptr;  // at a multiple of kPage
  size_t size_ = 0;
};

}  // namespace

void* ThreadScratchBytes(ScratchUse use, size_t bytes) {
  static thread_local std::array<Place, kScratchUses> places;
  const size_t index = static_cast<size_t>(use);
  // Buffers that start at the same offset of a page collide in the cache.
  return places[index].AtLeast(bytes, index * 1088);
}

}  // namespace lockstep::kernels
