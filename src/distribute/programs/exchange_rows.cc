#include "distribute/programs/exchange_rows.h"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "collectives/all_to_all.h"
#include "collectives/pieces.h"
#include "runtime/variable_cell.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

using Numbers = std::vector<int64_t>;

int64_t RowBytes(const Shape& shape, DType dtype) {
  return shape.product(1, shape.rank()) * static_cast<int64_t>(DTypeSize(dtype));
}

// Calls `each(variable, rank, offset, bytes)` for the rows that a rank has of a variable, if any.
template <typename Each>
void ForRows(const std::vector<Tensor>& handles, const Numbers& borders, int ranks,
             const Each& each) {
  for (size_t i = 0; i < handles.size(); ++i) {
    const runtime::VariableCell& cell = runtime::CellOf(handles[i]);
    const int64_t row_bytes = RowBytes(cell.shape(), cell.dtype());
    const int64_t* rows = borders.data() + i * (ranks + 1);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto bytes = static_cast<size_t>((rows[rank + 1] - rows[rank]) * row_bytes);
      if (bytes > 0) each(i, rank, rows[rank] * row_bytes, bytes);
    }
  }
}

// Whether a byte travels behind the rows, to the peer and from it, that says whether they are known
// to be finite: where one variable is gathered by ranks that share memory, as these leave rows
// there.
bool TellFinite(Communicator& ranks, const std::vector<Tensor>& handles, int peer) {
  return handles.size() == 1 && ranks.group().SharesMemoryWith(peer);
}

// This rank's rows of a variable, and such a byte.
struct OwnRows {
  net::Payload rows, finite;
};

// From the variable's mirror if they are there.
OwnRows TakeOwnRows(runtime::VariableCell& cell, size_t begin, size_t bytes) {
  static constexpr std::byte kNo{0}, kYes{1};
  runtime::VariableMirror mirror = std::exchange(cell.mirror(), {});
  const bool is_there = mirror.version == cell.version() && mirror.version > 0 &&
                        mirror.begin == begin && mirror.end == begin + bytes;
  if (!is_there) {
    const auto* data = static_cast<const std::byte*>(cell.PrepareWrite());
    return {{cell.buffer(), {data + begin, bytes}}, {nullptr, {&kNo, 1}}};
  }
  // Where a message has it, so that nothing is copied.
  std::byte* const finite = mirror.data + collectives::AlignedPiece(bytes);
  *finite = mirror.finite ? kYes : kNo;
  return {{mirror.owner, {mirror.data, bytes}}, {mirror.owner, {finite, 1}}};
}

// The rows of others, which are written into the variables as they arrive; or stay where they have
// come to, if kernels ask for those of the variable that they need.
class Arrivals {
 public:
  Arrivals(const std::vector<Tensor>& handles, int ranks) : pieces_(ranks) {
    cells_.reserve(handles.size());
    for (const Tensor& handle : handles) cells_.push_back(&runtime::CellOf(handle));
    for (std::vector<Piece>& pieces : pieces_) pieces.reserve(cells_.size());
    stay_ = is_alone() && cells_[0]->distant_rows().pay();
    for (runtime::VariableCell* cell : cells_)
      data_.push_back(stay_ ? nullptr : static_cast<std::byte*>(cell->PrepareWrite()));
  }

  runtime::VariableCell& cell(size_t variable) const { return *cells_[variable]; }
  void Expect(size_t variable, int rank, int64_t offset, size_t bytes) {
    pieces_[rank].push_back({variable, offset, bytes});
  }
  void NoteUnknown() { are_finite_ = false; }
  void TakeFinite(const net::Payload& finite) { are_finite_ &= *finite.data() != std::byte{0}; }

  void Take(int from, size_t index, const net::Payload& bytes) {
    if (index == pieces_[from].size()) return TakeFinite(bytes);
    const Piece& piece = pieces_[from][index];
    if (!stay_) {
      std::memcpy(data_[piece.variable] + piece.offset, bytes.data(), piece.bytes);
      return;
    }
    const int64_t row = RowBytes(cells_[0]->shape(), cells_[0]->dtype());
    distant_.push_back(
        {piece.offset / row, static_cast<int64_t>(piece.bytes) / row, bytes.owner(), bytes.data()});
  }

  void End(bool ok) {
    if (stay_ && !ok) return;
    for (runtime::VariableCell* cell : cells_)
      stay_ ? cell->AssignDistantRows(std::move(distant_)) : cell->CommitWrite();
    if (ok && is_alone()) cells_[0]->distant_rows().set_are_finite(are_finite_);
  }

 private:
  bool is_alone() const { return cells_.size() == 1; }

  struct Piece {
    size_t variable;
    int64_t offset;
    size_t bytes;
  };
  std::vector<runtime::VariableCell*> cells_;
  std::vector<std::byte*> data_;            // by variable
  std::vector<std::vector<Piece>> pieces_;  // by rank
  std::vector<runtime::DistantRows::Piece> distant_;
  bool stay_ = false;
  bool are_finite_ = true;
};

}  // namespace

void ExchangeRows(Communicator& ranks, collectives::AllToAllRequest request,
                  const std::vector<Tensor>& handles, const Numbers& borders,
                  const std::vector<bool>& left_out, int* last_from, runtime::OnTensors done) {
  const int count = ranks.num_ranks();
  const auto arrivals = std::make_shared<Arrivals>(handles, count);
  const size_t most = handles.size() + 1;
  for (int rank = 0; rank < count; ++rank) {
    request.peers[rank].send.reserve(most);
    request.peers[rank].receive.reserve(most);
  }
  ForRows(handles, borders, count, [&](size_t i, int rank, int64_t offset, size_t bytes) {
    if (rank != ranks.rank()) {
      arrivals->Expect(i, rank, offset, bytes);
      request.peers[rank].receive.push_back(bytes);
      if (!TellFinite(ranks, handles, rank)) return arrivals->NoteUnknown();
      request.peers[rank].receive.push_back(1);
      return;
    }
    const OwnRows own = TakeOwnRows(arrivals->cell(i), static_cast<size_t>(offset), bytes);
    arrivals->TakeFinite(own.finite);
    for (int to = 0; to < count; ++to) {
      if (!left_out.empty() && left_out[to]) continue;
      request.peers[to].send.push_back(own.rows);
      if (TellFinite(ranks, handles, to)) request.peers[to].send.push_back(own.finite);
    }
  });
  request.on_piece = [arrivals](int from, size_t piece, const net::Payload& bytes) {
    arrivals->Take(from, piece, bytes);
  };
  collectives::AllToAll(ranks.group(), std::move(request),
                        [arrivals, handles, last_from,
                         done = std::move(done)](const Result<collectives::Reduced>& result) {
                          if (result.ok()) *last_from = result->last_from;
                          arrivals->End(result.ok());
                          result.ok() ? done(std::vector<Tensor>()) : done(result.status());
                        });
}

void MirrorOwnRows(collectives::Group& group, const Tensor& handle, const Numbers& borders) {
  const int rank = group.rank();
  bool shares = false;
  for (int peer = 0; peer < group.num_ranks(); ++peer)
    shares |= peer != rank && group.SharesMemoryWith(peer);
  if (!shares || borders[rank] == borders[rank + 1]) return;
  runtime::VariableCell& cell = runtime::CellOf(handle);
  const int64_t row_bytes = RowBytes(cell.shape(), cell.dtype());
  const auto begin = static_cast<size_t>(borders[rank] * row_bytes);
  const auto end = static_cast<size_t>(borders[rank + 1] * row_bytes);
  net::Block block = group.Allocate(collectives::AlignedPiece(end - begin) + 1);
  cell.mirror() = {std::move(block.owner), block.bytes.data(), begin, end};
}

void TakeRowsForLater(Communicator& ranks, collectives::AllToAllRequest request,
                      const std::vector<Tensor>& handles, const Numbers& borders, int* last_from,
                      runtime::OnTensors done) {
  struct Rows {
    int64_t offset;
    net::Payload bytes;
  };
  struct Taken {
    std::vector<Rows> rows;     // one variable's after another's
    std::vector<size_t> first;  // where those of each begin, and their number
  };
  const int count = ranks.num_ranks();
  auto taken = std::make_shared<Taken>();
  std::vector<std::vector<size_t>> places(count);  // of each rank's pieces
  ForRows(handles, borders, count, [&](size_t i, int rank, int64_t offset, size_t bytes) {
    taken->first.resize(i + 1, taken->rows.size());
    request.peers[rank].receive.push_back(bytes);
    if (TellFinite(ranks, handles, rank)) request.peers[rank].receive.push_back(1);
    places[rank].push_back(taken->rows.size());
    taken->rows.push_back({offset, {}});
  });
  taken->first.resize(handles.size() + 1, taken->rows.size());
  request.on_piece = [taken, places = std::move(places)](int from, size_t piece,
                                                         const net::Payload& bytes) {
    if (piece < places[from].size()) taken->rows[places[from][piece]].bytes = bytes;
  };
  collectives::AllToAll(ranks.group(), std::move(request),
                        [handles, taken, last_from,
                         done = std::move(done)](const Result<collectives::Reduced>& result) {
                          if (!result.ok()) return done(result.status());
                          *last_from = result->last_from;
                          for (size_t i = 0; i < handles.size(); ++i) {
                            runtime::CellOf(handles[i]).AssignLater([taken, i](std::byte* to) {
                              for (size_t k = taken->first[i]; k < taken->first[i + 1]; ++k) {
                                const Rows& rows = taken->rows[k];
                                std::memcpy(to + rows.offset, rows.bytes.data(), rows.bytes.size());
                              }
                            });
                          }
                          done(std::vector<Tensor>());
                        });
}

}  // namespace lockstep::distribute
