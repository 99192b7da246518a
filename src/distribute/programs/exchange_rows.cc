#include "distribute/programs/exchange_rows.h"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "collectives/all_to_all.h"
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

}  // namespace

void ExchangeRows(Communicator& ranks, collectives::AllToAllRequest request,
                  const std::vector<Tensor>& handles, const Numbers& borders, int* last_from,
                  runtime::OnTensors done) {
  struct Piece {
    std::byte* data;
    size_t bytes;
  };
  const int count = ranks.num_ranks();
  auto pieces = std::make_shared<std::vector<std::vector<Piece>>>(count);
  std::vector<runtime::VariableCell*> cells;
  cells.reserve(handles.size());
  for (int rank = 0; rank < count; ++rank) {
    (*pieces)[rank].reserve(handles.size());
    request.peers[rank].send.reserve(handles.size());
    request.peers[rank].receive.reserve(handles.size());
  }
  std::vector<std::byte*> data;
  data.reserve(handles.size());
  for (const Tensor& handle : handles) {
    cells.push_back(&runtime::CellOf(handle));
    data.push_back(static_cast<std::byte*>(cells.back()->PrepareWrite()));
  }
  ForRows(handles, borders, count, [&](size_t i, int rank, int64_t offset, size_t bytes) {
    const Piece piece{data[i] + offset, bytes};
    if (rank != ranks.rank()) {
      request.peers[rank].receive.push_back(bytes);
      (*pieces)[rank].push_back(piece);
      return;
    }
    for (collectives::PeerPieces& peer : request.peers)
      peer.send.push_back({cells[i]->buffer(), std::span(piece.data, piece.bytes)});
  });
  request.on_piece = [pieces](int from, size_t piece, const net::Payload& bytes) {
    std::memcpy((*pieces)[from][piece].data, bytes.data(), bytes.size());
  };
  collectives::AllToAll(ranks.group(), std::move(request),
                        [cells, handles, last_from,
                         done = std::move(done)](const Result<collectives::Reduced>& result) {
                          if (result.ok()) *last_from = result->last_from;
                          for (runtime::VariableCell* cell : cells) cell->CommitWrite();
                          result.ok() ? done(std::vector<Tensor>()) : done(result.status());
                        });
}

void TakeRowsForLater(Communicator& ranks, collectives::AllToAllRequest request,
                      const std::vector<Tensor>& handles, const Numbers& borders, int* last_from,
                      runtime::OnTensors done) {
  struct Rows {
    int64_t offset;
    net::Payload bytes;
  };
  using AllRows = std::shared_ptr<std::vector<Rows>>;  // of a variable
  struct Place {
    AllRows variable;
    int64_t offset;
  };
  const int count = ranks.num_ranks();
  std::vector<AllRows> all;
  for (size_t i = 0; i < handles.size(); ++i) all.push_back(std::make_shared<std::vector<Rows>>());
  auto places = std::make_shared<std::vector<std::vector<Place>>>(count);
  ForRows(handles, borders, count, [&](size_t i, int rank, int64_t offset, size_t bytes) {
    request.peers[rank].receive.push_back(bytes);
    (*places)[rank].push_back({all[i], offset});
  });
  request.on_piece = [places](int from, size_t piece, const net::Payload& bytes) {
    const Place& place = (*places)[from][piece];
    place.variable->push_back({place.offset, bytes});
  };
  collectives::AllToAll(ranks.group(), std::move(request),
                        [handles, all, last_from,
                         done = std::move(done)](const Result<collectives::Reduced>& result) {
                          if (!result.ok()) return done(result.status());
                          *last_from = result->last_from;
                          for (size_t i = 0; i < handles.size(); ++i) {
                            runtime::CellOf(handles[i]).AssignLater([rows = all[i]](std::byte* to) {
                              for (const Rows& each : *rows)
                                std::memcpy(to + each.offset, each.bytes.data(), each.bytes.size());
                            });
                          }
                          done(std::vector<Tensor>());
                        });
}

}  // namespace lockstep::distribute
