#include "net/payload.h"

#include <cstdint>

namespace lockstep::net {

Block Block::OnHeap(size_t bytes) {
  constexpr size_t kAlignment = 64;
  std::shared_ptr<std::byte[]> memory =
      std::make_shared_for_overwrite<std::byte[]>(bytes + kAlignment - 1);
  const auto address = reinterpret_cast<uintptr_t>(memory.get());
  std::byte* begin = memory.get() + (kAlignment - address % kAlignment) % kAlignment;
  return {std::shared_ptr<void>(std::move(memory), begin), {begin, bytes}};
}

}  // namespace lockstep::net
