#include "net/payload.h"

namespace lockstep::net {

Block Block::OnHeap(size_t bytes) {
  std::shared_ptr<std::byte[]> memory = std::make_shared_for_overwrite<std::byte[]>(bytes);
  std::byte* begin = memory.get();
  return {std::shared_ptr<void>(std::move(memory), begin), {begin, bytes}};
}

}  // namespace lockstep::net
