#include "distribute/workers/own_memory.h"

#include <utility>

namespace lockstep::distribute {

// Too little to ask whether it is kept already.
constexpr size_t kSmall = 1024;

// Tensors of the same elements need not have one buffer: each pass over data has views of its own.
void OwnMemory::Add(const Tensor& kept) {
  if (kept.buffer() == nullptr) return;  // a resource
  if (kept.num_bytes() <= kSmall) {
    bytes_ += kept.num_bytes();
    return;
  }
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
