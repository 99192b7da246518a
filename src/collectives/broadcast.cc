#include "collectives/broadcast.h"

#include <utility>

#include "base/check.h"

namespace lockstep::collectives {
namespace {

// Ranks are counted from the root on.
std::vector<Move> BroadcastMoves(Route route, int ranks, int root) {
  std::vector<Move> moves;
  const auto rank = [=](int place) { return (place + root) % ranks; };
  if (route == Route::kDirect) {
    for (int to = 1; to < ranks; ++to) moves.push_back({root, rank(to), 0});
  } else if (route == Route::kTree) {
    for (int distance = 1; distance < ranks; distance *= 2)
      for (int from = 0; from < distance && from + distance < ranks; ++from)
        moves.push_back({rank(from), rank(from + distance), 0});
  } else {
    for (int to = 1; to < ranks; ++to)
      moves.push_back({root, rank(to), static_cast<uint32_t>(rank(to))});
    for (int step = 1; step < ranks; ++step) {
      for (int from = 0; from < ranks; ++from) {
        const int to = (from + step) % ranks;
        if (rank(to) != root)
          moves.push_back({rank(from), rank(to), static_cast<uint32_t>(rank(from))});
      }
    }
  }
  return moves;
}

// The bytes of each part where each rank sends one; parts begin at multiples of 64 bytes.
std::vector<size_t> PartsOf(size_t bytes, int ranks) {
  std::vector<size_t> parts;
  size_t begin = 0;
  for (int rank = 1; rank <= ranks; ++rank) {
    size_t end = bytes * static_cast<size_t>(rank) / static_cast<size_t>(ranks) / 64 * 64;
    if (rank == ranks) end = bytes;
    parts.push_back(end - begin);
    begin = end;
  }
  return parts;
}

}  // namespace

void Broadcast(Group& group, MoveRequest request, OnReduced done, std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  constexpr OpKind kKind = OpKind::kBroadcast;
  if (Status fault = CheckMove(group, kKind, request, 1); !fault.ok())
    return Refuse(group, std::move(done), std::move(fault));
  const int ranks = group.num_ranks(), root = request.root;
  const std::vector<size_t> parts = PartsOf(request.counts[0] * DTypeSize(request.dtype), ranks);
  const RouteChoice choice{
      kKind, request.id, request.options.route, {Route::kDirect, Route::kTree, Route::kSplit}};
  auto moves =
      Choose(group, choice, parts, [=](Route route) { return BroadcastMoves(route, ranks, root); });
  if (!moves.ok()) return Refuse(group, std::move(done), moves.status());
  const bool is_split = moves->route == Route::kSplit;
  Movement movement = MakeMovement(kKind, request, std::move(*moves), where);
  if (is_split) {
    movement.sizes = parts;
    movement.own.resize(parts.size());
    movement.here.resize(parts.size());
    movement.outputs.resize(parts.size());
  }
  size_t offset = 0;
  for (size_t piece = 0; piece < movement.sizes.size(); ++piece) {
    const size_t bytes = movement.sizes[piece];
    if (request.output != nullptr) movement.outputs[piece] = request.output + offset;
    if (group.rank() == root) {
      movement.here[piece] = true;
      movement.own[piece] = {request.keeper, {request.input + offset, bytes}};
    }
    offset += bytes;
  }
  Run(group, std::move(movement), std::move(done));
}

}  // namespace lockstep::collectives
