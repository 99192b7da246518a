#include "kernels/cpu/scratch.h"

#include <algorithm>
#include <array>
#include <new>

namespace lockstep::kernels {
namespace {

class Place {
 public:
  ~Place() { Free(); }

  void* AtLeast(size_t bytes, size_t offset) {
    if (bytes > size_) {
      Free();
      size_ = std::max(bytes + bytes / 2, size_t{1} << 16);
      memory_ = static_cast<char*>(::operator new (size_ + offset, std::align_val_t{4096}));
    }
    return memory_ + offset;
  }

 private:
  void Free() {
    if (memory_ != nullptr) ::operator delete (memory_, std::align_val_t{4096});
    memory_ = nullptr;
  }

  char* memory_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

void* ThreadScratchBytes(ScratchUse use, size_t bytes) {
  static thread_local std::array<Place, 4> places;
  const size_t index = static_cast<size_t>(use);
  // Buffers that start at the same offset of a page collide in the cache.
  return places[index].AtLeast(bytes, index * 1088);
}

}  // namespace lockstep::kernels
