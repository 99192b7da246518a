#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "net/payload.h"

namespace lockstep::collectives {

/// Pieces in one body begin at multiples of 16 bytes.
inline size_t AlignedPiece(size_t bytes) { return (bytes + 15) / 16 * 16; }

/// Puts `piece` behind what ends at `end`, and gives where it ends itself. What lies between is
/// zero: no rank sends what its memory held before.
inline size_t AppendPiece(std::span<std::byte> body, size_t end, const net::Payload& piece) {
  const size_t begin = AlignedPiece(end);
  if (begin > end && begin <= body.size()) std::memset(body.data() + end, 0, begin - end);
  if (piece.size() > 0) std::memcpy(body.data() + begin, piece.data(), piece.size());
  return begin + piece.size();
}

}  // namespace lockstep::collectives
