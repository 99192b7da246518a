#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "collectives/group.h"

namespace lockstep::collectives {

/// What this rank has for one peer, and what it wants from it. Pieces go one after another, each
/// beginning at a multiple of 16 bytes. Neither pieces nor a note: no message.
struct PeerPieces {
  std::vector<net::Payload> send;
  std::vector<size_t> receive;  // bytes of each piece
  bool sends_note = false;      // this rank's note goes to the peer
  bool takes_note = false;      // the peer's comes here
};

struct AllToAllRequest {
  OpId id;
  /// One for each rank; that of this rank is ignored.
  std::vector<PeerPieces> peers;
  /// Called for each piece that comes: its sender, its number there, its bytes.
  std::function<void(int from, size_t piece, const net::Payload& bytes)> on_piece;
  /// Goes along to the peers that get notes, pieces or not; `on_note` is called for that of each
  /// peer whose note is taken.
  uint32_t note = 0;
  std::function<void(int from, uint32_t note)> on_note;
  /// Must be equal on all ranks: what the pieces mean.
  uint32_t fingerprint = 0;
  base::Duration timeout = std::chrono::seconds(60);
  /// What is exchanged, as this rank sees it; the others may see it in another way.
  std::string label;
};

/// Every rank sends each other one its pieces, in one message. Cost: one hop, P - 1 messages sent
/// per rank, of exactly the bytes asked for. Lifetime: one piece for a peer is sent from where it
/// lies, several are copied together; `done` runs once, as new work, after the last piece. Errors:
/// InvalidArgument (peers that are not the ranks, a name used twice, ranks that disagree about
/// pieces), DeadlineExceeded (names the ranks it waited for), Unavailable, Aborted, Cancelled: as
/// AllReduceSum.
void AllToAll(Group& group, AllToAllRequest request, OnReduced done,
              std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
