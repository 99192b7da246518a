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

// This rank's rows of a variable, from its mirror if they are there.
net::Payload OwnRows(runtime::VariableCell& cell, std::byte* data, size_t begin, size_t bytes) {
  runtime::VariableMirror mirror = std::exchange(cell.mirror(), {});
  const bool is_there = mirror.version == cell.version() && mirror.version > 0 &&
                        mirror.begin == begin && mirror.end == begin + bytes;
  if (!is_there) return {cell.buffer(), std::span<const std::byte>(data + begin, bytes)};
  return {std::move(mirror.owner), std::span<const std::byte>(mirror.data, bytes)};
}

}  // namespace

void ExchangeRows(Communicator& ranks, collectives::AllToAllRequest request,
                  const std::vector<Tensor>& handles, const Numbers& borders,
                  const std::vector<bool>& left_out, int* last_from, runtime::OnTensors done) {
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
    const net::Payload rows = OwnRows(*cells[i], data[i], offset, bytes);
    for (int to = 0; to < count; ++to)
      if (left_out.empty() || !left_out[to]) request.peers[to].send.push_back(rows);
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

void MirrorOwnRows(collectives::Group& group, const Tensor& handle, const Numbers& borders) {
  const int rank = group.rank();
  if (!group.shares_memory() || group.num_ranks() == 1 || borders[rank] == borders[rank + 1])
    return;
  runtime::VariableCell& cell = runtime::CellOf(handle);
  const int64_t row_bytes = RowBytes(cell.shape(), cell.dtype());
  const auto begin = static_cast<size_t>(borders[rank] * row_bytes);
  const auto end = static_cast<size_t>(borders[rank + 1] * row_bytes);
  net::Block block = group.Allocate(end - begin);
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
    places[rank].push_back(taken->rows.size());
    taken->rows.push_back({offset, {}});
  });
  taken->first.resize(handles.size() + 1, taken->rows.size());
  request.on_piece = [taken, places = std::move(places)](int from, size_t piece,
                                                         const net::Payload& bytes) {
    taken->rows[places[from][piece]].bytes = bytes;
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
