#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "distribute/workers/communicator.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

/// The values of all variables before a call, of which this rank keeps its share: what every rank
/// has whole, and of what is divided by rows its own and those of other ranks, so that `copies`
/// ranks have each: as far from each other as the ranks allow, mostly on different hosts. Of a
/// server's rows the other copies are with workers, so that all servers may die at once.
class Snapshot {
 public:
  using Cells = std::vector<std::shared_ptr<runtime::VariableCell>>;

  /// Places of ranks that were not there when the snapshot was taken: one that has everything, and
  /// one that has nothing and wants nothing.
  static constexpr int kHasAll = -1, kHasNone = -2;

  /// Of no variable: those that come later are told by the journal.
  explicit Snapshot(uint64_t call) : call_(call) {}

  /// Copies the values of `cells`, and the rows that are this rank's to keep: all ranks do it at
  /// once. Gives what rank 0 has in `word`. Errors: of collectives, thrown.
  uint64_t Take(Communicator& ranks, const Cells& cells, int copies, uint64_t word);
  /// Gives every rank all rows, of those ranks that have them, and assigns the values. `places`:
  /// for each present rank its rank when the snapshot was taken, kHasAll or kHasNone. Somebody must
  /// have each row (`Lacks`).
  /// Errors: of collectives, thrown.
  void Restore(Communicator& ranks, const std::vector<int>& places);

  /// Rows that nobody has any more: "rows [0, 16) of dense/kernel/m"; empty: there are none.
  std::string Lacks(const std::vector<int>& places) const;

  /// The call that the values stand before.
  uint64_t call() const { return call_; }
  /// This rank in the ranks of then, or kHasAll.
  int place() const { return place_; }
  Cells cells() const;
  /// What its memory may be used again for.
  void TakeMemoryOf(Snapshot&& old) { spare_ = std::move(old.kept_); }

 private:
  struct Kept {
    std::shared_ptr<runtime::VariableCell> cell;
    Tensor value;                  // with memory for all rows
    std::vector<int64_t> borders;  // of the rows of the ranks of then; none: it is whole
  };
  Tensor MemoryFor(const std::shared_ptr<runtime::VariableCell>& cell) const;
  bool Has(int place, int segment) const;
  int HolderOf(int segment, const std::vector<int>& places) const;

  uint64_t call_;
  int place_ = kHasAll;
  std::vector<std::vector<int>> holders_;  // of each rank's rows, itself first
  std::vector<Kept> kept_;
  std::vector<Kept> spare_;
};

}  // namespace lockstep::distribute
