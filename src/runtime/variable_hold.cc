#include "runtime/variable_hold.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "runtime/body_tracer.h"
#include "runtime/replica.h"

namespace lockstep::runtime {

namespace {

thread_local const VariableHold* current = nullptr;

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
    for (const auto& [name, value] : node.attributes.entries()) {
      if (const auto* object = std::get_if<std::shared_ptr<TensorObject>>(&value)) {
        const auto* body = dynamic_cast<const graph::Graph*>(object->get());
        if (body != nullptr) AddUses(*body, writes, uses);
      }
    }
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

VariableHold::VariableHold(const std::vector<VariableUse>& uses, bool undoes) : outer_(current) {
  for (const VariableUse& use : uses) {
    VariableCell& cell = *use.cell;
    if (outer_ == nullptr || !outer_->Has(cell, use.writes)) {
      use.writes ? cell.lock().Lock() : cell.lock().LockShared();
      taken_.push_back(use);
    }
    if (undoes && use.writes) kept_.push_back({&cell, cell.buffer(), cell.version()});
  }
  current = this;
}

VariableHold::~VariableHold() {
  for (Kept& kept : kept_) kept.cell->Restore(std::move(kept.buffer), kept.version);
  current = outer_;
  for (const VariableUse& use : taken_) {
    use.writes ? use.cell->lock().Unlock() : use.cell->lock().UnlockShared();
  }
}

const VariableHold* VariableHold::Current() { return current; }

bool VariableHold::Has(const VariableCell& cell, bool writes) const {
  const auto place = std::lower_bound(
      taken_.begin(), taken_.end(), &cell,
      [](const VariableUse& use, const VariableCell* wanted) { return use.cell.get() < wanted; });
  if (place == taken_.end() || place->cell.get() != &cell) {
    return outer_ != nullptr && outer_->Has(cell, writes);
  }
  if (writes && !place->writes) {
    throw Error(Code::kInternal, "[run] a run writes what it has said to write; got " +
                                     cell.name() + ", which it has for reading");
  }
  return true;
}

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
