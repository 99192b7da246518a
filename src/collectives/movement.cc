#include "collectives/movement.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/probe.h"
#include "collectives/pieces.h"

namespace lockstep::collectives {
namespace {

// In the place of a move's number.
constexpr uint32_t kAnnouncement = 0xffffffff;

class Mover final : public Operation {
 public:
  Mover(Movement movement, OnReduced done)
      : Operation(movement.id, std::move(movement.call), movement.timeout, std::move(done)),
        movement_(std::move(movement)),
        over_(movement_.moves.size(), false) {}

  void Begin(Group& group) override {
    for (size_t piece = 0; piece < movement_.sizes.size(); ++piece) {
      if (movement_.outputs[piece] == nullptr) continue;
      if (movement_.here[piece]) {
        Write(piece);
      } else {
        ++missing_;
      }
    }
    for (const Move& move : movement_.moves) unsent_ += move.from == group.rank();
    const size_t to_send = unsent_;
    Advance(group);
    if (!finished() && unsent_ == to_send) Announce(group);
  }

  void Take(Group& group, int from, const PartialMessage& message) override {
    if (message.header.slice == kAnnouncement) return;  // compared, and all it was for
    const size_t index = message.header.slice;
    const bool is_due = index < over_.size() && movement_.moves[index].from == from &&
                        movement_.moves[index].to == group.rank();
    if (!is_due || message.elements.size() != BytesOf(movement_.moves[index])) {
      group.FailAndAbort(
          *this, Status(Code::kInvalidArgument,
                        std::string("[") + name() + "] a message must be a move of the plan; got " +
                            std::to_string(message.elements.size()) + " bytes as number " +
                            std::to_string(index) + " from rank " + std::to_string(from) + " " +
                            group.Place(id())));
      return;
    }
    if (over_[index]) {
      LOCKSTEP_PROBE("a move came twice");
      return;
    }
    over_[index] = true;
    Unpack(movement_.moves[index], message.elements);
    Advance(group);
  }

  std::string Missing(const Group& group) const override {
    for (size_t index = 0; index < over_.size(); ++index) {
      const Move& move = movement_.moves[index];
      if (move.to == group.rank() && !over_[index])
        return "nothing from rank " + std::to_string(move.from) + "; " + std::to_string(missing_) +
               " of " + std::to_string(movement_.sizes.size()) + " pieces are missing";
    }
    return "every message";
  }

 private:
  size_t Piece(const Move& move, uint32_t i) const {
    return (move.first + i) % movement_.sizes.size();
  }
  size_t BytesOf(const Move& move) const {
    size_t bytes = 0;
    for (uint32_t i = 0; i < move.count; ++i)
      bytes = AlignedPiece(bytes) + movement_.sizes[Piece(move, i)];
    return bytes;
  }
  bool IsReady(const Move& move) const {
    for (uint32_t i = 0; i < move.count; ++i)
      if (!movement_.here[Piece(move, i)]) return false;
    return true;
  }

  void Write(size_t piece) {
    const net::Payload& bytes = movement_.own[piece];
    std::byte* to = movement_.outputs[piece];
    if (to != bytes.data() && bytes.size() > 0) std::memmove(to, bytes.data(), bytes.size());
  }

  // Who waits and has nothing to say yet tells its call to whom it waits for, lest two that call
  // different things wait for each other.
  void Announce(Group& group) {
    for (const Move& move : movement_.moves) {
      if (move.to != group.rank()) continue;
      PartialHeader header = Header();
      header.slice = kAnnouncement;
      Send(group, move.from, header, {});
      return;
    }
  }

  // Sends what has become ready; may be done with it.
  void Advance(Group& group) {
    for (size_t index = 0; index < over_.size() && unsent_ > 0; ++index) {
      const Move& move = movement_.moves[index];
      if (move.from != group.rank() || over_[index] || !IsReady(move)) continue;
      PartialHeader header = Header();
      header.slice = static_cast<uint32_t>(index);
      Send(group, move.to, header, Pack(group, move));
      over_[index] = true;
      --unsent_;
    }
    if (missing_ == 0 && unsent_ == 0) Finish(group, Reduced{true});
  }

  net::Payload Pack(Group& group, const Move& move) {
    if (move.count == 1) {
      net::Payload& own = movement_.own[Piece(move, 0)];
      if (own.size() == 0) return {};
      // One copy serves all who get it.
      if (own.owner() == nullptr) own = Copy(group, own);
      return own;
    }
    if (BytesOf(move) == 0) return {};
    net::Block block = group.Allocate(BytesOf(move));
    size_t offset = 0;
    for (uint32_t i = 0; i < move.count; ++i)
      offset = AppendPiece(block.bytes, offset, movement_.own[Piece(move, i)]);
    return block;
  }
  static net::Payload Copy(Group& group, const net::Payload& bytes) {
    net::Block block = group.Allocate(bytes.size());
    std::memcpy(block.bytes.data(), bytes.data(), bytes.size());
    return block;
  }

  void Unpack(const Move& move, const net::Payload& elements) {
    size_t offset = 0;
    for (uint32_t i = 0; i < move.count; ++i) {
      const size_t piece = Piece(move, i);
      offset = AlignedPiece(offset);
      const size_t size = movement_.sizes[piece];
      if (!movement_.here[piece]) {
        movement_.here[piece] = true;
        movement_.own[piece] =
            net::Payload(elements.owner(), elements.bytes().subspan(offset, size));
        if (movement_.outputs[piece] != nullptr) {
          Write(piece);
          --missing_;
        }
      }
      offset += size;
    }
  }

  Movement movement_;
  std::vector<bool> over_;  // by move: sent, or come
  size_t missing_ = 0;      // pieces that are wanted here
  size_t unsent_ = 0;       // moves from here
};

}  // namespace

std::string_view RouteName(Route route) {
  switch (route) {
    case Route::kAuto:
      return "auto";
    case Route::kDirect:
      return "direct";
    case Route::kTree:
      return "tree";
    case Route::kRing:
      return "ring";
    case Route::kDoubling:
      return "doubling";
    case Route::kSplit:
      return "split";
  }
  return "unknown";
}

void Run(Group& group, Movement movement, OnReduced done) {
  group.Run(std::make_unique<Mover>(std::move(movement), std::move(done)));
}

// Each rank hands its messages over one after another, in the order of the list; a message can go
// once its pieces are there.
double EstimatedNanoseconds(const std::vector<Move>& moves, const std::vector<size_t>& sizes,
                            int num_ranks, const NetworkCost& cost) {
  const size_t pieces = sizes.size();
  std::vector<double> there(pieces * static_cast<size_t>(num_ranks)), busy(num_ranks);
  const auto place = [&](int rank, const Move& move, uint32_t i) -> double& {
    return there[static_cast<size_t>(rank) * pieces + (move.first + i) % pieces];
  };
  double end = 0;
  for (const Move& move : moves) {
    double bytes = 0, begin = busy[move.from];
    for (uint32_t i = 0; i < move.count; ++i) {
      bytes += static_cast<double>(sizes[(move.first + i) % pieces]);
      begin = std::max(begin, place(move.from, move, i));
    }
    busy[move.from] = begin + cost.message + bytes * cost.byte;
    for (uint32_t i = 0; i < move.count; ++i) place(move.to, move, i) = busy[move.from] + cost.hop;
    end = std::max(end, busy[move.from] + cost.hop);
  }
  return end;
}

Result<RoutedMoves> Choose(const Group& group, const RouteChoice& choice,
                           const std::vector<size_t>& sizes,
                           const std::function<std::vector<Move>(Route)>& make) {
  const auto& [kind, id, asked, routes] = choice;
  if (asked != Route::kAuto) {
    if (std::find(routes.begin(), routes.end(), asked) != routes.end())
      return RoutedMoves{asked, make(asked)};
    std::string names = "auto";
    for (Route route : routes) names += ", " + std::string(RouteName(route));
    return Status(Code::kInvalidArgument,
                  std::string("[") + OpKindName(kind) + "] the route must be one of " + names +
                      "; got " + std::string(RouteName(asked)) + " " + group.Place(id));
  }
  RoutedMoves best;
  double best_time = 0;
  for (Route route : routes) {
    RoutedMoves other{route, make(route)};
    const double time =
        EstimatedNanoseconds(other.moves, sizes, group.num_ranks(), group.network_cost());
    if (route == routes[0] || time < best_time) best = std::move(other), best_time = time;
  }
  return best;
}

Status CheckMove(const Group& group, OpKind kind, const MoveRequest& request, size_t pieces) {
  const auto fault = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument, std::string("[") + OpKindName(kind) + "] " + rule +
                                              "; got " + got + " " + group.Place(request.id));
  };
  if (request.dtype == DType::kInvalid || request.dtype == DType::kString ||
      request.dtype == DType::kResource)
    return fault("dtype must be numbers or bool", std::string(DTypeName(request.dtype)));
  if (request.counts.size() != pieces)
    return fault("there must be " + std::to_string(pieces) + " counts",
                 std::to_string(request.counts.size()));
  if (request.root < 0 || request.root >= group.num_ranks())
    return fault("the root must be a rank", std::to_string(request.root));
  return Status::Ok();
}

Movement MakeMovement(OpKind kind, const MoveRequest& request, RoutedMoves moves,
                      std::source_location where) {
  Movement movement{.id = request.id, .timeout = request.options.timeout};
  Fingerprint plan;
  plan.Mix(static_cast<uint64_t>(moves.route)).Mix(static_cast<uint64_t>(request.root));
  uint64_t total = 0;
  for (size_t count : request.counts) {
    plan.Mix(count);
    total += count;
    movement.sizes.push_back(count * DTypeSize(request.dtype));
  }
  movement.call = {kind, request.dtype, total, plan.value(), request.label, request.shape, where};
  movement.own.resize(request.counts.size());
  movement.here.resize(request.counts.size());
  movement.outputs.resize(request.counts.size());
  movement.moves = std::move(moves.moves);
  return movement;
}

Result<Movement> MovePieces(const Group& group, OpKind kind, const MoveRequest& request,
                            const std::vector<Route>& routes,
                            const std::function<std::vector<Move>(Route)>& make,
                            std::source_location where) {
  const auto ranks = static_cast<size_t>(group.num_ranks());
  if (Status fault = CheckMove(group, kind, request, ranks); !fault.ok()) return fault;
  auto moves =
      Choose(group, {kind, request.id, request.options.route, routes}, request.counts, make);
  if (!moves.ok()) return moves.status();
  return MakeMovement(kind, request, std::move(*moves), where);
}

void GiveOwnPiece(const Group& group, MoveRequest request, Movement* movement) {
  const auto own = static_cast<size_t>(group.rank());
  movement->here[own] = true;
  movement->own[own] = {std::move(request.keeper), {request.input, movement->sizes[own]}};
}

void TakeAllPieces(const MoveRequest& request, Movement* movement) {
  std::byte* next = request.output;
  for (size_t piece = 0; piece < movement->sizes.size(); ++piece) {
    movement->outputs[piece] = next;
    next += movement->sizes[piece];
  }
}

}  // namespace lockstep::collectives
