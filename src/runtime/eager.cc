#include "runtime/eager.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "graph/graph.h"
#include "graph/tracer.h"
#include "kernels/copy.h"
#include "kernels/failure.h"
#include "kernels/kernel.h"
#include "ops/builder.h"
#include "ops/signature.h"
#include "runtime/devices.h"
#include "runtime/eager_lanes.h"
#include "runtime/host_results.h"
#include "runtime/placed_variable.h"
#include "runtime/race_checks.h"
#include "runtime/schedule.h"
#include "runtime/variable_cell.h"
#include "runtime/variable_hold.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

// The variables that an op touches, locked in the order of their addresses.
class TouchedVariables {
 public:
  TouchedVariables(const ops::OpSpec& spec, const std::vector<Tensor>& inputs)
      : overwrites_(spec.name == "AssignVariableOp") {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].dtype() != DType::kResource) continue;
      touched_.emplace_back(&CellOf(inputs[i]), static_cast<int>(i),
                            ops::HasBit(spec.effects.writes, i),
                            ops::HasBit(spec.effects.reads, i));
    }
    std::vector<Touched*> order;
    for (Touched& touched : touched_) order.push_back(&touched);
    std::sort(order.begin(), order.end(),
              [](const Touched* a, const Touched* b) { return a->cell < b->cell; });
    for (size_t k = 0; k < order.size(); ++k) {
      if (k > 0 && order[k]->cell == order[k - 1]->cell) {
        throw Error(
            Code::kInvalidArgument,
            "[" + spec.name + "] its variables must differ; got twice " + order[k]->cell->name());
      }
    }
    if (!order.empty() && IsScheduled()) {
      std::vector<ScheduledAccess> accesses;
      for (const Touched& t : touched_) {
        if (t.reads || !t.writes) accesses.push_back({t.cell->name(), false, ops::CurrentSite()});
        if (t.writes) accesses.push_back({t.cell->name(), true, ops::CurrentSite()});
      }
      Schedule::Active()->Touch(std::move(accesses));
    }
    for (Touched* touched : order) touched->lock.emplace(*touched->cell, touched->writes);
  }
  TouchedVariables(const TouchedVariables&) = delete;

  void Bind(std::vector<const void*>& pointers) {
    for (Touched& t : touched_)
      pointers[t.input] = !t.writes     ? t.cell->data()
                          : overwrites_ ? t.cell->PrepareOverwrite()
                                        : t.cell->PrepareWrite();
  }
  void Commit() {
    for (Touched& t : touched_) {
      if (!t.writes) continue;
      t.cell->CommitWrite();
      if (FollowsAccesses()) t.cell->log().Write(t.cell->version(), ops::CurrentSite());
    }
  }
  // Tells of assignments that lose what others have written, and notes what is read.
  void Follow(const std::vector<Tensor>& inputs, std::vector<tensor::Origin>* read) {
    if (!FollowsAccesses()) return;
    for (Touched& t : touched_) {
      if (!t.writes) {
        t.cell->log().Read(t.cell->version(), ops::CurrentSite());
        read->push_back({t.cell->number(), t.cell->version()});
      } else if (!t.reads && inputs.size() > 1) {
        CheckAssignment(*t.cell, inputs[1]);
      }
    }
  }

 private:
  struct Touched {
    Touched(VariableCell* cell, int input, bool writes, bool reads)
        : cell(cell), input(input), writes(writes), reads(reads) {}
    VariableCell* cell;
    int input;
    bool writes;
    bool reads;
    std::optional<CellLock> lock;
  };
  const bool overwrites_;  // all of the value
  std::deque<Touched> touched_;
};

void RequireConcrete(const ops::OpSpec& spec, const std::vector<Tensor>& inputs) {
  for (const Tensor& input : inputs) {
    if (input.is_symbolic()) throw graph::OutOfScopeError(spec.name, input);
  }
}

}  // namespace

std::vector<Tensor> EagerBuilder::Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                                       const ops::Attributes& attributes) {
  std::vector<tensor::Origin> read;
  std::vector<Tensor> results = CarryOut(spec, inputs, attributes, &read);
  if (FollowsAccesses()) tensor::PassOrigins(inputs, read, results);
  return results;
}

std::vector<Tensor> EagerBuilder::CarryOut(const ops::OpSpec& spec,
                                           const std::vector<Tensor>& inputs,
                                           const ops::Attributes& attributes,
                                           std::vector<tensor::Origin>* read) {
  RequireConcrete(spec, inputs);
  std::vector<ops::TensorType> types = ops::TypesOf(inputs);
  for (const Tensor& input : inputs) {
    if (PlacedVariable* placed = AsPlacedVariable(input)) {
      ops::CheckInputs(spec, types);
      return RunWherePlaced(*placed, spec, inputs, attributes);
    }
  }
  if (spec.name == "ReadVariableOp") {
    ops::CheckInputs(spec, types);
    return {CellOf(inputs[0]).Read()};
  }
  if (const HostOp* host = FindHostOp(spec.name)) {
    ops::CheckInputs(spec, types);
    return CarryOutHostOp(*host, spec, attributes, inputs);
  }
  const auto output_types = graph::InferTypes(spec, attributes, types);  // checks the inputs
  if (auto function = kernels::KernelRegistry::Cpu().FindValueFunction(spec.name))
    return function(attributes, inputs);
  if (spec.view) return {inputs[0].WithShape(output_types[0].shape)};
  for (ops::TensorType& type : types) {
    if (type.dtype == DType::kResource) type.dtype = type.element;
  }
  const auto kernel = kernels::KernelRegistry::Cpu().Make(
      {spec, attributes, types, output_types, kernels::LeavesOf(attributes)});
  std::vector<std::shared_ptr<tensor::Buffer>> buffers;
  std::vector<void*> outputs;
  for (const auto& type : output_types) {
    buffers.push_back(tensor::Buffer::Allocate(type.dtype, type.shape.num_elements()));
    outputs.push_back(buffers.back()->data());
  }
  std::vector<const void*> pointers;
  for (const Tensor& input : inputs) {
    pointers.push_back(input.dtype() == DType::kResource ? nullptr : input.raw_data());
  }
  {
    TouchedVariables variables(spec, inputs);
    variables.Follow(inputs, read);
    variables.Bind(pointers);
    // What fails after another lane has written a variable would leave a part of the update.
    const bool may_divide = spec.effects.writes == 0 || !kernels::MayFail(spec.name, types);
    RunOnLanes(spec, types.empty() ? DType::kFloat32 : types[0].dtype, *kernel,
               {pointers.data(), outputs.data()},
               may_divide ? CurrentTeam() : base::CallingThread());
    variables.Commit();
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < output_types.size(); ++i) {
    results.push_back(Tensor::FromBuffer(buffers[i], output_types[i].dtype, output_types[i].shape));
  }
  return results;
}

EagerBuilder& EagerBuilder::Instance() {
  static EagerBuilder instance;
  return instance;
}

namespace {
// The library's own registration: eager execution lies below every trace.
const bool kRegistered = (ops::SetEagerBuilder(&EagerBuilder::Instance()), true);
}  // namespace

}  // namespace lockstep::runtime
