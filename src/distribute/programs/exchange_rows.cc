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

// Puts the rows of variables of which this rank has none into their cells, once somebody wants
// them: until then they stay where they came from.
class RowsForLater {
 public:
  explicit RowsForLater(const std::vector<Tensor>& handles) {
    for (const Tensor& handle : handles)
      values_.push_back({&runtime::CellOf(handle), std::make_shared<std::vector<Rows>>()});
  }
  void Add(size_t variable, int64_t offset, const net::Payload& bytes) {
    values_[variable].rows->push_back({offset, bytes});
  }
  void Assign() {
    for (const Value& value : values_) {
      value.cell->AssignLater([rows = value.rows](std::byte* data) {
        for (const Rows& each : *rows)
          std::memcpy(data + each.offset, each.bytes.data(), each.bytes.size());
      });
    }
  }

 private:
  struct Rows {
    int64_t offset = 0;
    net::Payload bytes;
  };
  struct Value {
    runtime::VariableCell* cell;
    std::shared_ptr<std::vector<Rows>> rows;
  };
  std::vector<Value> values_;
};

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
  for (size_t i = 0; i < handles.size(); ++i) {
    runtime::VariableCell& cell = runtime::CellOf(handles[i]);
    cells.push_back(&cell);
    auto* data = static_cast<std::byte*>(cell.PrepareWrite());
    const int64_t row_bytes = RowBytes(cell.shape(), cell.dtype());
    const int64_t* rows = borders.data() + i * (count + 1);
    for (int rank = 0; rank < count; ++rank) {
      const auto bytes = static_cast<size_t>((rows[rank + 1] - rows[rank]) * row_bytes);
      if (bytes == 0) continue;
      const Piece piece{data + rows[rank] * row_bytes, bytes};
      for (int peer = 0; rank == ranks.rank() && peer < count; ++peer)
        request.peers[peer].send.push_back({cell.buffer(), std::span(piece.data, piece.bytes)});
      if (rank == ranks.rank()) continue;
      request.peers[rank].receive.push_back(bytes);
      (*pieces)[rank].push_back(piece);
    }
  }
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
  struct Place {
    size_t variable;
    int64_t offset;
  };
  const int count = ranks.num_ranks();
  auto places = std::make_shared<std::vector<std::vector<Place>>>(count);
  for (size_t i = 0; i < handles.size(); ++i) {
    const runtime::VariableCell& cell = runtime::CellOf(handles[i]);
    const int64_t row_bytes = RowBytes(cell.shape(), cell.dtype());
    const int64_t* rows = borders.data() + i * (count + 1);
    for (int rank = 0; rank < count; ++rank) {
      const int64_t bytes = (rows[rank + 1] - rows[rank]) * row_bytes;
      if (bytes == 0) continue;
      request.peers[rank].receive.push_back(static_cast<size_t>(bytes));
      (*places)[rank].push_back({i, rows[rank] * row_bytes});
    }
  }
  auto later = std::make_shared<RowsForLater>(handles);
  request.on_piece = [places, later](int from, size_t piece, const net::Payload& bytes) {
    const Place& place = (*places)[from][piece];
    later->Add(place.variable, place.offset, bytes);
  };
  collectives::AllToAll(ranks.group(), std::move(request),
                        [handles, later, last_from,
                         done = std::move(done)](const Result<collectives::Reduced>& result) {
                          if (!result.ok()) return done(result.status());
                          *last_from = result->last_from;
                          later->Assign();
                          done(std::vector<Tensor>());
                        });
}

}  // namespace lockstep::distribute
