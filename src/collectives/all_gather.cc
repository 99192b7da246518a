#include "collectives/all_gather.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace lockstep::collectives {
namespace {

std::vector<Move> AllGatherMoves(Route route, int ranks) {
  std::vector<Move> moves;
  const auto piece = [ranks](int number) {
    return static_cast<uint32_t>((number + ranks) % ranks);
  };
  if (route == Route::kDirect) {
    // Each rank begins with its right neighbour, so that nobody is everybody's first.
    for (int step = 1; step < ranks; ++step)
      for (int from = 0; from < ranks; ++from)
        moves.push_back({from, (from + step) % ranks, piece(from)});
  } else if (route == Route::kRing) {
    for (int step = 0; step + 1 < ranks; ++step)
      for (int from = 0; from < ranks; ++from)
        moves.push_back({from, (from + 1) % ranks, piece(from - step)});
  } else {
    // Rank r has pieces r to r + distance - 1, and sends as many of them as the other lacks.
    for (int distance = 1; distance < ranks; distance *= 2) {
      const auto count = static_cast<uint32_t>(std::min(distance, ranks - distance));
      for (int from = 0; from < ranks; ++from)
        moves.push_back({from, (from - distance + ranks) % ranks, piece(from), count});
    }
  }
  return moves;
}

}  // namespace

void AllGather(Group& group, MoveRequest request, OnReduced done, std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  const int ranks = group.num_ranks();
  auto movement = MovePieces(
      group, OpKind::kAllGather, request, {Route::kDirect, Route::kDoubling, Route::kRing},
      [ranks](Route route) { return AllGatherMoves(route, ranks); }, where);
  if (!movement.ok()) return Refuse(group, std::move(done), movement.status());
  TakeAllPieces(request, &*movement);
  GiveOwnPiece(group, std::move(request), &*movement);
  Run(group, std::move(*movement), std::move(done));
}

}  // namespace lockstep::collectives
