#include "lockstep/runtime/lock.h"

#include <map>

#include "graph/tracer.h"
#include "ops/builder.h"
#include "ops/source_site.h"
#include "runtime/body_tracer.h"
#include "runtime/eager.h"
#include "runtime/placed_variable.h"
#include "runtime/variable_cell.h"
#include "runtime/variable_hold.h"
#include "runtime/variable_state.h"

namespace lockstep {

namespace {

using runtime::HoldPurpose;
using runtime::VariableCell;
using runtime::VariableUse;

bool Eager() { return &ops::CurrentBuilder() == &runtime::EagerBuilder::Instance(); }

void Add(const Variable& variable, bool writes, std::map<VariableCell*, VariableUse>* uses) {
  for (const Tensor& handle : variable.state().AssignedHandles()) {
    auto cell = std::dynamic_pointer_cast<VariableCell>(handle.object());
    // Traced for all replicas; nothing is held then.
    if (cell == nullptr) continue;
    VariableUse& use = (*uses)[cell.get()];
    use.writes |= writes;
    use.cell = std::move(cell);
  }
}

std::vector<VariableUse> UsesOf(const std::vector<Variable>& assigned,
                                const std::vector<Variable>& read) {
  std::map<VariableCell*, VariableUse> uses;
  for (const Variable& variable : assigned) Add(variable, true, &uses);
  for (const Variable& variable : read) Add(variable, false, &uses);
  std::vector<VariableUse> ordered;
  for (auto& [cell, use] : uses) ordered.push_back(std::move(use));
  return ordered;
}

void RequireDifferent(const std::vector<Variable>& variables) {
  for (size_t i = 0; i < variables.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (&variables[k].state() != &variables[i].state()) continue;
      throw Error(Code::kInvalidArgument, "[update] each variable is named once; got " +
                                              variables[i].name() + " as variables " +
                                              std::to_string(k) + " and " + std::to_string(i));
    }
  }
}

// The results with the variables' dtypes.
std::vector<Tensor> Checked(const std::vector<Variable>& variables, std::vector<Tensor> results) {
  if (results.size() != variables.size()) {
    throw Error(Code::kInvalidArgument,
                "[update] the function must give one value a variable; got " +
                    std::to_string(results.size()) + " for " + std::to_string(variables.size()) +
                    " variables");
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Variable& variable = variables[i];
    if (results[i].is_weak()) results[i] = ops::CastScalar(results[i], variable.dtype());
    if (results[i].dtype() == variable.dtype() &&
        results[i].shape().CompatibleWith(variable.shape())) {
      continue;
    }
    throw Error(Code::kInvalidArgument,
                "[update] a new value must have its variable's dtype and shape; got " +
                    std::string(DTypeName(results[i].dtype())) + results[i].shape().ToString() +
                    " for " + variable.name() + " of " + std::string(DTypeName(variable.dtype())) +
                    variable.shape().ToString());
  }
  return results;
}

std::vector<Tensor> Read(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& variable : variables) values.push_back(variable.state().Read());
  return values;
}

std::vector<Tensor> Assign(const std::vector<Variable>& variables,
                           const std::vector<Tensor>& values) {
  for (size_t i = 0; i < variables.size(); ++i) {
    variables[i].state().Update("AssignVariableOp", {values[i]});
  }
  std::vector<Tensor> assigned;
  for (const Variable& variable : variables) {
    assigned.push_back(variable.state().ReadAssigned());
  }
  return assigned;
}

bool Writes(const graph::Node& node) {
  if (node.spec->effects.writes != 0) return true;
  runtime::ResourceSet writes;
  for (const auto& [name, value] : node.attributes.entries()) {
    const auto* object = std::get_if<std::shared_ptr<TensorObject>>(&value);
    const auto* body = object == nullptr ? nullptr : dynamic_cast<graph::Graph*>(object->get());
    if (body != nullptr) runtime::CollectWrites(*body, &writes);
  }
  return !writes.empty();
}

std::vector<Tensor> UpdateTraced(
    const std::vector<Variable>& variables,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function) {
  for (const Variable& variable : variables) variable.state().AssignedHandles();
  const auto* tracer = dynamic_cast<const graph::Tracer*>(&ops::CurrentBuilder());
  const std::vector<Tensor> values = Read(variables);
  const int begin = tracer == nullptr ? 0 : tracer->graph()->num_nodes();
  std::vector<Tensor> results = Checked(variables, function(values));
  for (int i = begin; tracer != nullptr && i < tracer->graph()->num_nodes(); ++i) {
    if (!Writes(tracer->graph()->node(i))) continue;
    throw Error(Code::kFailedPrecondition,
                "[update] the function of an update assigns nothing itself; got " +
                    tracer->graph()->node(i).spec->name +
                    "; return the new value, and name all variables in one Update");
  }
  return Assign(variables, results);
}

runtime::PlacedVariable* PlacedOf(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    runtime::PlacedVariable* placed = runtime::AsPlacedVariable(variable.state().first());
    if (placed != nullptr) return placed;
  }
  return nullptr;
}

// One run of the servers that have the variables.
std::vector<Tensor> UpdatePlaced(
    runtime::PlacedVariable& placed, const std::vector<Variable>& variables,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function) {
  graph::Tracer tracer;
  {
    const ops::RecordingPause pause;
    const ops::BuilderScope scope(&tracer);
    for (const Tensor& assigned : UpdateTraced(variables, function)) {
      tracer.graph()->results().push_back(tracer.EndpointOf(assigned));
    }
  }
  tracer.RequireNoCaptures("update");
  return placed.Run(*tracer.graph(), {});
}

}  // namespace

std::vector<Tensor> Update(
    const std::vector<Variable>& variables,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
    std::source_location where) {
  const ops::SiteScope site(where);
  RequireDifferent(variables);
  if (!Eager()) return UpdateTraced(variables, function);
  if (runtime::PlacedVariable* placed = PlacedOf(variables)) {
    return UpdatePlaced(*placed, variables, function);
  }
  const std::vector<VariableUse> uses = UsesOf(variables, {});
  runtime::VariableHold hold(uses, uses.size() > 1, HoldPurpose::kUpdate);
  const std::vector<Tensor> results = Checked(variables, function(Read(variables)));
  hold.BeginPublishing();
  std::vector<Tensor> assigned = Assign(variables, results);
  hold.Commit();
  return assigned;
}

struct Lock::Holding {
  explicit Holding(const std::vector<VariableUse>& uses) : hold(uses, false, HoldPurpose::kLock) {}
  runtime::VariableHold hold;
};

Lock::Lock(const std::vector<Variable>& assigned, const std::vector<Variable>& read) {
  if (Eager() && (PlacedOf(assigned) != nullptr || PlacedOf(read) != nullptr)) {
    throw Error(Code::kFailedPrecondition,
                "[lock] a thread of this process can't hold variables of servers; got " +
                    (assigned.empty() ? read : assigned)[0].name() +
                    "; make what belongs together one Update, or one function");
  }
  const std::vector<VariableUse> uses = UsesOf(assigned, read);
  if (Eager()) holding_ = std::make_unique<Holding>(uses);
}

Lock::~Lock() = default;

}  // namespace lockstep
