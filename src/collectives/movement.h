#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "collectives/group.h"

/// Collectives that move bytes without adding anything: each is a list of moves, made by its own
/// file, which one operation carries out.

namespace lockstep::collectives {

/// How bytes move. docs/collectives.md has the costs. Each collective knows some of them.
enum class Route : uint8_t {
  kAuto = 0,      // the fastest by a fixed model of latency and bytes, the same on every rank
  kDirect = 1,    // from where it is to where it is wanted: one hop
  kTree = 2,      // by doubling distances: log2(P) hops
  kRing = 3,      // from neighbour to neighbour: P - 1 hops
  kDoubling = 4,  // all gather: what is there doubles with each of log2(P) hops
  kSplit = 5,     // broadcast: each rank gets one part and sends it to all
};
/// "direct"
std::string_view RouteName(Route route);

/// One message: the pieces first, first + 1, ..., modulo the number of all pieces.
struct Move {
  int from = 0;
  int to = 0;
  uint32_t first = 0;
  uint32_t count = 1;
};

struct MoveOptions {
  base::Duration timeout = std::chrono::seconds(60);
  Route route = Route::kAuto;
};

/// What all-gather, broadcast, gather and scatter are called with.
struct MoveRequest {
  OpId id;
  DType dtype = DType::kInvalid;
  /// Elements of each rank's piece, alike on all ranks; of a broadcast the one number of all.
  std::vector<size_t> counts;
  int root = 0;
  /// What this rank gives, if anything; `keeper` as for `Contribution`.
  const std::byte* input = nullptr;
  std::shared_ptr<const void> keeper;
  /// Where what this rank gets goes: pieces one after another, in the order of ranks. May hold the
  /// input where this goes.
  std::byte* output = nullptr;
  MoveOptions options;
  /// What is moved, and its shape, as the program sees them; equal on all ranks.
  std::string label;
  std::string shape;
};

/// Pieces of bytes and where they go from this rank's point of view.
struct Movement {
  OpId id;
  Call call;
  base::Duration timeout{};
  /// Bytes of each piece, alike on all ranks.
  std::vector<size_t> sizes;
  /// By piece: what is here at the beginning; no owner: copied where it is sent on. Else empty.
  std::vector<net::Payload> own;
  /// By piece: which are here at the beginning.
  std::vector<bool> here;
  /// By piece: where it is to be written; null: not wanted on this rank.
  std::vector<std::byte*> outputs;
  /// Alike on all ranks. A rank sends a move once it has all of its pieces.
  std::vector<Move> moves;
};

/// Carries out the moves; done once all wanted pieces are here, and this rank has sent all that it
/// has to. Errors: as AllReduceSum.
void Run(Group& group, Movement movement, OnReduced done);

/// How long the moves take in the model of docs/collectives.md, in nanoseconds.
double EstimatedNanoseconds(const std::vector<Move>& moves, const std::vector<size_t>& sizes,
                            int num_ranks);

/// The routes that a call may take, and the one that it asks for.
struct RouteChoice {
  OpKind kind;
  OpId id;
  Route asked = Route::kAuto;
  std::vector<Route> routes;
};
struct RoutedMoves {
  Route route = Route::kDirect;
  std::vector<Move> moves;
};
/// The moves of the route that was asked for, or of the fastest for pieces of these sizes.
/// InvalidArgument, naming the routes, for one that is not among them.
Result<RoutedMoves> Choose(const Group& group, const RouteChoice& choice,
                           const std::vector<size_t>& sizes,
                           const std::function<std::vector<Move>(Route)>& make);

/// Whether a request is right by itself, with so many counts. Errors: InvalidArgument.
Status CheckMove(const Group& group, OpKind kind, const MoveRequest& request, size_t pieces);
/// Its movement, in which nothing is here or wanted yet.
Movement MakeMovement(OpKind kind, const MoveRequest& request, RoutedMoves moves,
                      std::source_location where);

/// The movement of a piece of each rank over one of `routes`, in which nothing is here or wanted
/// yet. Errors: of CheckMove and Choose.
Result<Movement> MovePieces(const Group& group, OpKind kind, const MoveRequest& request,
                            const std::vector<Route>& routes,
                            const std::function<std::vector<Move>(Route)>& make,
                            std::source_location where);
/// What this rank has is its own piece.
void GiveOwnPiece(const Group& group, MoveRequest request, Movement* movement);
/// This rank wants all pieces.
void TakeAllPieces(const MoveRequest& request, Movement* movement);

}  // namespace lockstep::collectives
