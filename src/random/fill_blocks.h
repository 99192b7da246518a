#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "random/philox.h"

namespace lockstep::random {

/// Fills `out` with the elements first, first + 1, ... of a distribution that makes kPerBlock
/// elements of each block: `convert(words, elements)` turns four words into kPerBlock elements.
template <int kPerBlock, typename T, typename Convert>
void FillByBlock(const Stream& stream, uint64_t first, std::span<T> out, const Convert& convert) {
  constexpr uint64_t kBlocks = 128;  // words for this many blocks stay in the first cache
  uint32_t words[4 * kBlocks];
  uint64_t block = first / kPerBlock;
  uint64_t lead = first % kPerBlock;  // elements of the first block that nobody asked for
  while (!out.empty()) {
    const uint64_t wanted = (out.size() - 1 + lead) / kPerBlock + 1;
    const uint64_t blocks = std::min(kBlocks, wanted);
    PhiloxBlocks(stream, block, {words, 4 * blocks});
    T elements[kPerBlock * kBlocks];
    for (uint64_t i = 0; i < blocks; ++i) convert(words + 4 * i, elements + kPerBlock * i);
    const uint64_t count = std::min<uint64_t>(out.size(), kPerBlock * blocks - lead);
    std::copy_n(elements + lead, count, out.data());
    out = out.subspan(count);
    block += blocks;
    lead = 0;
  }
}

}  // namespace lockstep::random
