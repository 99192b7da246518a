#include "distribute/workers/own_memory.h"

#include <utility>

namespace lockstep::distribute {

// Tensors of the same elements need not have one buffer: each pass over data has views of its own.
void OwnMemory::Add(const Tensor& kept) {
  if (kept.buffer() == nullptr) return;  // a resource
  const auto [place, is_new] = counted_.try_emplace(kept.raw_data(), kept.num_bytes());
  if (is_new) {
    bytes_ += place->second;
  } else {
    bytes_ -= std::exchange(place->second, 0);
  }
}

void OwnMemory::Clear() {
  counted_.clear();
  bytes_ = 0;
}

}  // namespace lockstep::distribute
