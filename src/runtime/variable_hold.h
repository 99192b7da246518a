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

/// What a hold is for. A `Lock` or an `Update` is held while code of the user runs; that may touch
/// nothing else, as no order of locks could be kept.
enum class HoldPurpose {
  kRun,
  kLock,
  kUpdate,      // nothing is written yet
  kPublishing,  // the end of an update
};

/// Holds the locks of all `uses` from the beginning to the end of a run that has several parts, so
/// that no other run comes in between; parts of the run take none of them. What an outer hold of
/// the thread has is not taken again.
class VariableHold {
 public:
  /// With `undoes`, ending without `Commit` takes back all that was written. `uses`: in the order
  /// of their addresses, each once. FailedPrecondition when an outer lock or update does not have
  /// them.
  explicit VariableHold(const std::vector<VariableUse>& uses, bool undoes = false,
                        HoldPurpose purpose = HoldPurpose::kRun);
  /// The caller has the locks, and keeps them for as long as this lives.
  struct Adopt {};
  VariableHold(Adopt, const std::vector<VariableUse>& uses, bool undoes);
  ~VariableHold();
  VariableHold(const VariableHold&) = delete;
  VariableHold& operator=(const VariableHold&) = delete;
  void Commit() { kept_.clear(); }
  /// The function of an update has ended: what it gave is written now.
  void BeginPublishing() { purpose_ = HoldPurpose::kPublishing; }

  /// Whether the calling thread is inside of a `Lock` that names `cell`.
  static bool InLock(const VariableCell& cell);
  /// The hold of the run that the calling thread carries out, or nullptr.
  static const VariableHold* Current();
  /// Whether the run has the lock of `cell`. Internal when it has it for reading only and `writes`;
  /// FailedPrecondition when a lock or update of the thread does not allow the access.
  bool Has(const VariableCell& cell, bool writes) const;
  /// Whether the thread is inside of a `Lock` or an `Update`.
  bool InLock() const {
    return purpose_ != HoldPurpose::kRun || (outer_ != nullptr && outer_->InLock());
  }

 private:
  struct Kept {
    VariableCell* cell;
    std::shared_ptr<tensor::Buffer> buffer;
    uint64_t version;
  };
  [[noreturn]] void Refuse(const VariableCell& cell, bool held, bool writes) const;

  std::vector<VariableUse> taken_;
  std::vector<VariableUse> named_;  // by a lock or update, taken here or outside
  std::vector<Kept> kept_;
  HoldPurpose purpose_;
  const VariableHold* outer_;
  const bool adopted_ = false;
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
