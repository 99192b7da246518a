#include "runtime/variable_hold.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "graph/bodies.h"
#include "runtime/body_tracer.h"
#include "runtime/replica.h"
#include "runtime/restore_scope.h"
#include "runtime/schedule.h"

namespace lockstep::runtime {

namespace {

thread_local const VariableHold* current = nullptr;
thread_local int restores = 0;

using Uses = std::map<VariableCell*, VariableUse>;

void AddUse(const Tensor& handle, bool writes, Uses* uses) {
  auto cell = std::dynamic_pointer_cast<VariableCell>(handle.object());
  if (cell == nullptr) return;
  VariableUse& use = (*uses)[cell.get()];
  use.writes |= writes;
  use.cell = std::move(cell);
}

void AddUses(const graph::Graph& graph, const ResourceSet& writes, Uses* uses) {
  for (const graph::Node& node : graph.nodes()) {
    for (const graph::Graph* body : graph::BodiesOf(node.attributes)) AddUses(*body, writes, uses);
    const Tensor* constant = graph.constant({node.id, 0});
    if (constant == nullptr || constant->dtype() != DType::kResource) continue;
    const bool written = writes.contains(constant->object().get());
    if (const auto* cells = dynamic_cast<const ReplicaCells*>(constant->object().get())) {
      for (const Tensor& handle : cells->handles()) AddUse(handle, written, uses);
    } else {
      AddUse(*constant, written, uses);
    }
  }
}

}  // namespace

std::vector<VariableUse> UsesOf(const graph::Graph& graph) {
  ResourceSet writes;
  CollectWrites(graph, &writes);
  Uses uses;
  AddUses(graph, writes, &uses);
  std::vector<VariableUse> result;
  for (auto& [cell, use] : uses) result.push_back(std::move(use));
  return result;
}

VariableHold::VariableHold(const std::vector<VariableUse>& uses, bool undoes, HoldPurpose purpose)
    : purpose_(purpose), outer_(current) {
  for (const VariableUse& use : uses) {
    if (outer_ == nullptr || !outer_->Has(*use.cell, use.writes)) taken_.push_back(use);
  }
  if (purpose != HoldPurpose::kRun) named_ = uses;
  if (IsScheduled()) {
    std::vector<ScheduledAccess> accesses;
    for (const VariableUse& use : taken_) {
      accesses.push_back({use.cell->name(), use.writes, ops::CurrentSite()});
    }
    Schedule::Active()->Touch(std::move(accesses));
  }
  for (const VariableUse& use : taken_) {
    use.writes ? use.cell->lock().Lock() : use.cell->lock().LockShared();
  }
  for (const VariableUse& use : uses) {
    if (!undoes || !use.writes) continue;
    kept_.push_back({use.cell.get(), use.cell->buffer(), use.cell->version()});
  }
  current = this;
}

VariableHold::VariableHold(Adopt, const std::vector<VariableUse>& uses, bool undoes)
    : taken_(uses), purpose_(HoldPurpose::kRun), outer_(current), adopted_(true) {
  for (const VariableUse& use : uses) {
    if (undoes && use.writes) {
      kept_.push_back({use.cell.get(), use.cell->buffer(), use.cell->version()});
    }
  }
  current = this;
}

VariableHold::~VariableHold() {
  for (Kept& kept : kept_) kept.cell->Restore(std::move(kept.buffer), kept.version);
  current = outer_;
  if (adopted_) return;
  for (const VariableUse& use : taken_) {
    use.writes ? use.cell->lock().Unlock() : use.cell->lock().UnlockShared();
  }
}

const VariableHold* VariableHold::Current() { return current; }

namespace {

const VariableUse* Find(const std::vector<VariableUse>& uses, const VariableCell& cell) {
  const auto place = std::lower_bound(
      uses.begin(), uses.end(), &cell,
      [](const VariableUse& use, const VariableCell* wanted) { return use.cell.get() < wanted; });
  return place == uses.end() || place->cell.get() != &cell ? nullptr : &*place;
}

}  // namespace

void VariableHold::Refuse(const VariableCell& cell, bool held, bool writes) const {
  if (purpose_ == HoldPurpose::kUpdate && writes) {
    throw Error(Code::kFailedPrecondition,
                "[update] the function of an update assigns nothing itself; got an assignment of " +
                    cell.name() + "; return the new value, and name all variables in one Update");
  }
  const char* where = purpose_ == HoldPurpose::kLock ? "[lock] " : "[update] ";
  if (!held) {
    throw Error(Code::kFailedPrecondition,
                std::string(where) +
                    "inside of it only what it names may be touched, else threads "
                    "could wait for each other; got " +
                    cell.name() + "; name it, too, or read it before");
  }
  throw Error(Code::kFailedPrecondition, std::string(where) +
                                             "what is held for reading may not be assigned; got " +
                                             cell.name() + "; name it among those assigned");
}

bool VariableHold::InLock(const VariableCell& cell) {
  for (const VariableHold* hold = current; hold != nullptr; hold = hold->outer_) {
    if (hold->purpose_ == HoldPurpose::kLock && Find(hold->named_, cell) != nullptr) return true;
  }
  return false;
}

bool VariableHold::Has(const VariableCell& cell, bool writes) const {
  if (purpose_ != HoldPurpose::kRun) {
    const VariableUse* use = Find(named_, cell);
    const bool fits = use != nullptr && (use->writes || !writes);
    if (purpose_ == HoldPurpose::kUpdate && writes) Refuse(cell, fits, writes);
    if (fits || (outer_ != nullptr && outer_->Has(cell, writes))) return true;
    Refuse(cell, use != nullptr, writes);
  }
  const VariableUse* use = Find(taken_, cell);
  if (use == nullptr) return outer_ != nullptr && outer_->Has(cell, writes);
  if (writes && !use->writes && restores == 0) {
    throw Error(Code::kInternal, "[run] a run writes what it has said to write; got " +
                                     cell.name() + ", which it has for reading");
  }
  return true;
}

RestoreScope::RestoreScope() { ++restores; }
RestoreScope::~RestoreScope() { --restores; }

HoldScope::HoldScope(const VariableHold* hold) : outer_(current) { current = hold; }
HoldScope::~HoldScope() { current = outer_; }

CellLock::CellLock(VariableCell& cell, bool writes)
    : cell_(current != nullptr && current->Has(cell, writes) ? nullptr : &cell), writes_(writes) {
  if (cell_ != nullptr) writes_ ? cell_->lock().Lock() : cell_->lock().LockShared();
}
CellLock::~CellLock() {
  if (cell_ != nullptr) writes_ ? cell_->lock().Unlock() : cell_->lock().UnlockShared();
}

}  // namespace lockstep::runtime
