#include "collectives/scatter.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace lockstep::collectives {
namespace {

// Ranks are counted from the root on: at each distance, the longest first, who has pieces sends
// those from there on.
std::vector<Move> ScatterMoves(Route route, int ranks, int root) {
  std::vector<Move> moves;
  const auto rank = [=](int place) { return (place + root) % ranks; };
  if (route == Route::kDirect) {
    for (int to = 1; to < ranks; ++to)
      moves.push_back({root, rank(to), static_cast<uint32_t>(rank(to))});
    return moves;
  }
  for (auto distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks)) / 2);
       distance >= 1; distance /= 2) {
    for (int to = distance; to < ranks; to += 2 * distance) {
      const auto count = static_cast<uint32_t>(std::min(distance, ranks - to));
      moves.push_back({rank(to - distance), rank(to), static_cast<uint32_t>(rank(to)), count});
    }
  }
  return moves;
}

}  // namespace

void Scatter(Group& group, MoveRequest request, OnReduced done, std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  const int ranks = group.num_ranks(), root = request.root;
  auto movement = MovePieces(
      group, OpKind::kScatter, request, {Route::kDirect, Route::kTree},
      [=](Route route) { return ScatterMoves(route, ranks, root); }, where);
  if (!movement.ok()) return Refuse(group, std::move(done), movement.status());
  const std::byte* next = request.input;
  for (int rank = 0; group.rank() == root && rank < ranks; ++rank) {
    movement->here[rank] = true;
    movement->own[rank] = {request.keeper, {next, movement->sizes[rank]}};
    next += movement->sizes[rank];
  }
  movement->outputs[group.rank()] = request.output;
  Run(group, std::move(*movement), std::move(done));
}

}  // namespace lockstep::collectives
