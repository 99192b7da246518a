#include "collectives/gather.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace lockstep::collectives {
namespace {

// Ranks are counted from the root on: the one at distance d of another sends it all it has.
std::vector<Move> GatherMoves(Route route, int ranks, int root) {
  std::vector<Move> moves;
  const auto rank = [=](int place) { return (place + root) % ranks; };
  if (route == Route::kDirect) {
    for (int from = 1; from < ranks; ++from)
      moves.push_back({rank(from), root, static_cast<uint32_t>(rank(from))});
    return moves;
  }
  for (int distance = 1; distance < ranks; distance *= 2) {
    for (int from = distance; from < ranks; from += 2 * distance) {
      const auto count = static_cast<uint32_t>(std::min(distance, ranks - from));
      moves.push_back(
          {rank(from), rank(from - distance), static_cast<uint32_t>(rank(from)), count});
    }
  }
  return moves;
}

}  // namespace

void Gather(Group& group, MoveRequest request, OnReduced done, std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  const int ranks = group.num_ranks(), root = request.root;
  auto movement = MovePieces(
      group, OpKind::kGather, request, {Route::kDirect, Route::kTree},
      [=](Route route) { return GatherMoves(route, ranks, root); }, where);
  if (!movement.ok()) return Refuse(group, std::move(done), movement.status());
  if (group.rank() == root) TakeAllPieces(request, &*movement);
  GiveOwnPiece(group, std::move(request), &*movement);
  Run(group, std::move(*movement), std::move(done));
}

}  // namespace lockstep::collectives
