#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {

/// A variable that a run touches.
struct VariableUse {
  std::shared_ptr<VariableCell> cell;
  bool writes = false;
};
/// The variables that nodes of `graph` and of all bodies in it name, those of replicas included, in
/// the order of their addresses.
std::vector<VariableUse> UsesOf(const graph::Graph& graph);

/// Holds the locks of all `uses` from the beginning to the end of a run that has several parts, so
/// that no other run comes in between; parts of the run take none of them. What an outer hold of
/// the thread has is not taken again.
class VariableHold {
 public:
  /// With `undoes`, ending without `Commit` takes back all that was written.
  explicit VariableHold(const std::vector<VariableUse>& uses, bool undoes = false);
  ~VariableHold();
  VariableHold(const VariableHold&) = delete;
  VariableHold& operator=(const VariableHold&) = delete;
  void Commit() { kept_.clear(); }

  /// The hold of the run that the calling thread carries out, or nullptr.
  static const VariableHold* Current();
  /// Whether the run has the lock of `cell`. Internal when it has it for reading only and `writes`.
  bool Has(const VariableCell& cell, bool writes) const;

 private:
  struct Kept {
    VariableCell* cell;
    std::shared_ptr<tensor::Buffer> buffer;
    uint64_t version;
  };
  std::vector<VariableUse> taken_;
  std::vector<Kept> kept_;
  const VariableHold* outer_;
};

/// While it lives, the calling thread carries out a part of the run that has `hold`, which may be
/// nullptr.
class HoldScope {
 public:
  explicit HoldScope(const VariableHold* hold);
  ~HoldScope();
  HoldScope(const HoldScope&) = delete;
  HoldScope& operator=(const HoldScope&) = delete;

 private:
  const VariableHold* outer_;
};

/// The lock of one variable, unless the thread's run has it.
class CellLock {
 public:
  CellLock(VariableCell& cell, bool writes);
  ~CellLock();
  CellLock(const CellLock&) = delete;
  CellLock& operator=(const CellLock&) = delete;

 private:
  VariableCell* cell_;  // nullptr: not taken here
  bool writes_;
};

}  // namespace lockstep::runtime
