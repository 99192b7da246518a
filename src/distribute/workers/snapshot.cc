#include "distribute/workers/snapshot.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "collectives/all_to_all.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

int64_t RowBytes(const Tensor& value) {
  const Shape& shape = value.shape();
  return shape.product(1, shape.rank()) * static_cast<int64_t>(DTypeSize(value.dtype()));
}

std::byte* DataOf(const Tensor& value) { return static_cast<std::byte*>(value.buffer()->data()); }

// Some rows of many variables, to be sent or taken.
struct Piece {
  std::byte* data;
  size_t bytes;
};

// One exchange of pieces between all ranks.
class Pieces {
 public:
  Pieces(Communicator& ranks, uint32_t fingerprint) : ranks_(ranks), into_(ranks.num_ranks()) {
    request_.id = {ranks.NextStep(), 0};
    request_.fingerprint = fingerprint;
    request_.peers.resize(ranks.num_ranks());
  }
  void Send(int to, const std::shared_ptr<const void>& keeper, Piece piece) {
    if (piece.bytes > 0)
      request_.peers[to].send.push_back(
          {keeper, std::span<const std::byte>(piece.data, piece.bytes)});
  }
  void Receive(int from, Piece piece) {
    if (piece.bytes == 0) return;
    request_.peers[from].receive.push_back(piece.bytes);
    into_[from].push_back(piece);
  }
  void Run() {
    request_.on_piece = [this](int from, size_t piece, const net::Payload& bytes) {
      std::memcpy(into_[from][piece].data, bytes.data(), bytes.size());
    };
    std::optional<Status> status;
    collectives::AllToAll(ranks_.group(), std::move(request_),
                          [&status](const Result<collectives::Reduced>& result) {
                            if (!status) status = result.status();
                          });
    ranks_.WaitUntil([&status] { return status.has_value(); });
    status->OrThrow();
  }

 private:
  Communicator& ranks_;
  std::vector<std::vector<Piece>> into_;
  collectives::AllToAllRequest request_;
};

}  // namespace

Tensor Snapshot::MemoryFor(const std::shared_ptr<runtime::VariableCell>& cell) const {
  for (const Kept& old : spare_) {
    if (old.cell == cell && old.value.defined() && tensor::IsSoleOwner(old.value.buffer()))
      return old.value;
  }
  return Tensor::FromBuffer(tensor::Buffer::Allocate(cell->dtype(), cell->shape().num_elements()),
                            cell->dtype(), cell->shape());
}

namespace {

// Which ranks keep each rank's rows, itself first. Ranks of a kind come host by host, so neighbours
// end together: copies are spread evenly.
std::vector<std::vector<int>> HoldersOf(const Roles& roles, int copies) {
  std::vector<std::vector<int>> holders;
  for (int rank = 0; rank < roles.num_ranks(); ++rank) {
    std::vector<int>& own = holders.emplace_back(1, rank);
    // Of a server's rows the workers have copies; else those of its kind.
    const bool crosses = roles.IsServer(rank) && !roles.workers().empty();
    const std::vector<int>& own_kind = roles.IsServer(rank) ? roles.servers() : roles.workers();
    const std::vector<int>& others = crosses ? roles.workers() : own_kind;
    const auto count = static_cast<int>(others.size()), kind = static_cast<int>(own_kind.size());
    const int place =
        static_cast<int>(std::find(own_kind.begin(), own_kind.end(), rank) - own_kind.begin());
    const int most = std::min(copies, crosses ? count + 1 : count);
    const int stride = std::max(1, count / std::max(1, most));
    for (int copy = 1; copy < most; ++copy)
      own.push_back(others[(place * count / kind + copy * stride) % count]);
  }
  return holders;
}

}  // namespace

// Whether who was rank `place` keeps the rows of rank `segment`.
bool Snapshot::Has(int place, int segment) const {
  if (place < 0) return place == kHasAll;
  const std::vector<int>& holders = holders_[segment];
  return std::find(holders.begin(), holders.end(), place) != holders.end();
}

Snapshot::Cells Snapshot::cells() const {
  Cells cells;
  for (const Kept& kept : kept_) cells.push_back(kept.cell);
  return cells;
}

uint64_t Snapshot::Take(Communicator& ranks, const Cells& cells, int copies, uint64_t word) {
  place_ = ranks.rank();
  const int count = ranks.num_ranks();
  holders_ = HoldersOf(ranks.roles(), copies);
  Pieces pieces(ranks, static_cast<uint32_t>(cells.size()));
  const auto told = std::make_shared<uint64_t>(word);
  const Piece word_piece{reinterpret_cast<std::byte*>(told.get()), sizeof *told};
  for (int rank = 1; rank < count; ++rank) {
    if (place_ == 0) pieces.Send(rank, told, word_piece);
    if (place_ == rank) pieces.Receive(0, word_piece);
  }
  kept_.clear();
  for (const auto& cell : cells) {
    const auto part =
        std::find_if(ranks.parts().begin(), ranks.parts().end(),
                     [&](const Communicator::Part& each) { return each.handle.object() == cell; });
    if (cell->dtype() == DType::kString) {
      kept_.push_back({cell, cell->Read(), {}});
      continue;
    }
    Kept kept{cell, MemoryFor(cell), {}};
    if (part == ranks.parts().end()) {
      const Tensor value = cell->Read();
      std::memcpy(DataOf(kept.value), value.raw_data(), value.num_bytes());
      kept_.push_back(std::move(kept));
      continue;
    }
    kept.borders = part->borders;
    const int64_t row = RowBytes(kept.value);
    const auto rows_of = [&](int segment) {
      const int64_t begin = kept.borders[segment] * row;
      return Piece{DataOf(kept.value) + begin,
                   static_cast<size_t>(kept.borders[segment + 1] * row - begin)};
    };
    const Piece own = rows_of(place_);
    if (own.bytes > 0) {
      const Tensor value = cell->Read();
      std::memcpy(own.data,
                  static_cast<const std::byte*>(value.raw_data()) + kept.borders[place_] * row,
                  own.bytes);
    }
    for (const int holder : holders_[place_])
      if (holder != place_) pieces.Send(holder, kept.value.buffer(), own);
    for (int segment = 0; segment < count; ++segment)
      if (segment != place_ && Has(place_, segment)) pieces.Receive(segment, rows_of(segment));
    kept_.push_back(std::move(kept));
  }
  spare_.clear();
  pieces.Run();
  return *told;
}

// The first rank that has a rank's rows; -1: there is none.
int Snapshot::HolderOf(int segment, const std::vector<int>& places) const {
  for (size_t rank = 0; rank < places.size(); ++rank)
    if (Has(places[rank], segment)) return static_cast<int>(rank);
  return -1;
}

std::string Snapshot::Lacks(const std::vector<int>& places) const {
  for (const Kept& kept : kept_) {
    for (size_t segment = 0; segment + 1 < kept.borders.size(); ++segment) {
      const int64_t begin = kept.borders[segment], end = kept.borders[segment + 1];
      if (begin == end || HolderOf(static_cast<int>(segment), places) >= 0) continue;
      return "rows [" + std::to_string(begin) + ", " + std::to_string(end) + ") of " +
             kept.cell->name();
    }
  }
  return {};
}

void Snapshot::Restore(Communicator& ranks, const std::vector<int>& places) {
  Pieces pieces(ranks, static_cast<uint32_t>(kept_.size()));
  const int own = ranks.rank();
  for (const Kept& kept : kept_) {
    const int64_t row = kept.borders.empty() ? 0 : RowBytes(kept.value);
    for (int segment = 0; segment + 1 < static_cast<int>(kept.borders.size()); ++segment) {
      const int64_t begin = kept.borders[segment] * row;
      const Piece rows{DataOf(kept.value) + begin,
                       static_cast<size_t>(kept.borders[segment + 1] * row - begin)};
      if (rows.bytes == 0) continue;
      const int from = HolderOf(segment, places);
      LOCKSTEP_CHECK_LE(0, from);
      for (int to = 0; to < ranks.num_ranks(); ++to) {
        if (to == from || places[to] == kHasNone || Has(places[to], segment)) continue;
        if (own == from) pieces.Send(to, kept.value.buffer(), rows);
        if (own == to) pieces.Receive(from, rows);
      }
    }
  }
  pieces.Run();
  place_ = kHasAll;
  for (const Kept& kept : kept_) kept.cell->Assign(kept.value);
}

}  // namespace lockstep::distribute
