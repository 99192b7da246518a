#pragma once

#include <functional>
#include <span>
#include <vector>

#include "collectives/group.h"

namespace lockstep::collectives {

/// What this rank has for one peer, and what it wants from it. Pieces go one after another, each
/// padded to 16 bytes. No pieces: no message.
struct PeerPieces {
  std::vector<std::span<const std::byte>> send;
  std::vector<size_t> receive;  // bytes of each piece
};

/// Where a piece padded to 16 bytes ends.
inline size_t PaddedPiece(size_t bytes) { return (bytes + 15) / 16 * 16; }

struct AllToAllRequest {
  OpId id;
  /// One for each rank; that of this rank is ignored.
  std::vector<PeerPieces> peers;
  /// Called for each piece that comes: its sender, its number there, its bytes, and what keeps
  /// them alive.
  std::function<void(int from, size_t piece, std::span<const std::byte>,
                     const std::shared_ptr<const void>&)>
      on_piece;
  /// Must be equal on all ranks: what the pieces mean.
  uint32_t fingerprint = 0;
  base::Duration timeout = std::chrono::seconds(60);
};

/// Every rank sends each other one its pieces, in one message. Cost: one hop, P - 1 messages sent
/// per rank, of exactly the bytes asked for. Lifetime: what is sent is copied before the call
/// returns; `done` runs once, as new work, after the last piece. Errors: InvalidArgument (peers
/// that are not the ranks, a name used twice, ranks that disagree about pieces), DeadlineExceeded
/// (names the ranks it waited for), Unavailable, Aborted, Cancelled: as AllReduceSum.
void AllToAll(Group& group, AllToAllRequest request, OnReduced done);

}  // namespace lockstep::collectives
