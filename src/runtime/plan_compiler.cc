#include "runtime/plan_compiler.h"

#include <algorithm>

#include "base/check.h"
#include "graph/passes.h"
#include "graph/segments.h"
#include "kernels/copy.h"
#include "kernels/failure.h"
#include "runtime/fold.h"
#include "tensor/buffer.h"
#include "tensor/sizes.h"

namespace lockstep::runtime {

namespace {

size_t BytesOf(const ops::TensorType& type) { return tensor::BytesOf(type.dtype, type.shape); }

}  // namespace

PlanCompiler::PlanCompiler(const graph::Graph& graph, const PlanOptions& options)
    : graph_(graph), options_(options), plan_(new Plan) {}

std::unique_ptr<Plan> PlanCompiler::Compile() {
  FindLastUses();
  for (const graph::Node& node : graph_.nodes()) AddNode(node);
  AddResults();
  plan_->sources_ =
      PlanSources(graph_, [this](const Tensor& handle) { return VariableOf(handle); });
  OrderEffects();
  FindFailures();
  if (options_.fuse) DivideByDepth();
  Schedule();
  SplitGroups();
  FindRowDomains();
  MarkChunkSlots();
  ChooseChunks();
  PlanArena();
  PlanPointers();
  plan_->lane_choice_.emplace(DividedCost());
  std::vector<std::string> names;
  for (const Step& step : plan_->steps_) names.push_back(graph_.node(step.node).name);
  plan_->step_names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  for (size_t i = 0; i < plan_->variables_.size(); ++i)
    plan_->lock_order_.push_back(static_cast<int>(i));
  std::sort(plan_->lock_order_.begin(), plan_->lock_order_.end(),
            [&](int a, int b) { return plan_->variables_[a].get() < plan_->variables_[b].get(); });
  return std::move(plan_);
}

void PlanCompiler::FindLastUses() {
  for (const graph::Node& node : graph_.nodes()) {
    for (graph::Endpoint input : node.inputs) {
      last_use_[Key(input)] = node.id;
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!ops::HasBit(node.spec->effects.writes, i)) continue;
      if (const Tensor* handle = graph::ResourceOf(graph_, node.inputs[i])) {
        const int variable = VariableOf(*handle);
        writes_of_[variable].push_back(node.id);
        ++plan_->writes_[variable];
      }
    }
  }
  for (int id = graph_.num_nodes() - 1; id >= 0; --id) {
    const graph::Node& node = graph_.node(id);
    if (!node.spec->view) continue;
    auto own = last_use_.find(Key({id, 0}));
    if (own != last_use_.end()) {
      int& source = last_use_[Key(node.inputs[0])];
      source = std::max(source, own->second);
    }
  }
}

int PlanCompiler::VariableOf(const Tensor& handle) {
  VariableCell& cell = CellOf(handle);
  auto [place, fresh] =
      variable_index_.try_emplace(&cell, static_cast<int>(plan_->variables_.size()));
  if (fresh) {
    plan_->variables_.push_back(std::dynamic_pointer_cast<VariableCell>(handle.object()));
    plan_->writes_.push_back(0);
    plan_->taken_slots_.emplace_back();
    writes_of_.emplace_back();
  }
  return place->second;
}

int PlanCompiler::AddSlot(Slot slot) {
  plan_->slots_.push_back(std::move(slot));
  producer_.push_back(-1);
  return static_cast<int>(plan_->slots_.size()) - 1;
}

ops::TensorType PlanCompiler::KernelType(const ops::TensorType& type) const {
  return type.dtype == DType::kResource ? ops::TensorType{type.element, type.shape, type.element}
                                        : type;
}

void PlanCompiler::AddNode(const graph::Node& node) {
  const std::string& op = node.spec->name;
  if (op == "Arg") {
    Slot slot{.kind = Slot::Kind::kParameter};
    slot.index = static_cast<int>(node.attributes.Get<int64_t>("index"));
    slot_of_[Key({node.id, 0})] = AddSlot(std::move(slot));
    plan_->parameters_.push_back(node.outputs[0]);
  } else if (op == "Const") {
    const Tensor& value = node.attributes.Get<Tensor>("value");
    Slot slot{.kind = Slot::Kind::kConstant};
    if (value.dtype() == DType::kResource) {
      slot.kind = Slot::Kind::kVariable;
      slot.index = VariableOf(value);
      slot.bytes = BytesOf(KernelType(node.outputs[0]));
    }
    slot.constant = value;
    slot_of_[Key({node.id, 0})] = AddSlot(std::move(slot));
  } else if (op == "_VariableRows") {
    AddWindow(node);
  } else if (node.spec->view) {
    slot_of_[Key({node.id, 0})] = SlotOf(node.inputs[0]);
  } else if (op == "ReadVariableOp") {
    AddRead(node);
  } else {
    AddStep(node);
  }
}

// Some rows of a variable, under a handle of their own.
void PlanCompiler::AddWindow(const graph::Node& node) {
  Slot slot{.kind = Slot::Kind::kVariable};
  const Slot& whole = plan_->slots_[SlotOf(node.inputs[0])];
  slot.index = whole.index;
  slot.bytes = BytesOf(KernelType(node.outputs[0]));
  const int64_t rows = std::max<int64_t>(1, graph_.type(node.inputs[0]).shape[0]);
  slot.offset = whole.offset + whole.bytes / rows * node.attributes.Get<int64_t>("begin");
  slot_of_[Key({node.id, 0})] = AddSlot(std::move(slot));
}

// A read costs nothing when nobody who comes after a later write still wants the value read.
void PlanCompiler::AddRead(const graph::Node& node) {
  const int handle = SlotOf(node.inputs[0]);
  const int variable = plan_->slots_[handle].index;
  const auto& writes = writes_of_[variable];
  const auto next_write = std::upper_bound(writes.begin(), writes.end(), node.id);
  const auto last_use = last_use_.find(Key({node.id, 0}));
  const bool is_result =
      std::any_of(graph_.results().begin(), graph_.results().end(), [&](graph::Endpoint result) {
        return graph::ViewedBy(graph_, result) == graph::Endpoint{node.id, 0};
      });
  const bool outlives =
      next_write != writes.end() && last_use != last_use_.end() && last_use->second >= *next_write;
  if (outlives || is_result) {
    AddStep(node);
  } else {
    slot_of_[Key({node.id, 0})] = handle;
  }
}

void PlanCompiler::AddStep(const graph::Node& node) {
  Step step;
  step.node = node.id;
  std::vector<ops::TensorType> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    inputs.push_back(KernelType(graph_.type(node.inputs[i])));
    const int slot = SlotOf(node.inputs[i]);
    const bool is_resource = graph_.type(node.inputs[i]).dtype == DType::kResource;
    step.inputs.push_back(!is_resource && ops::HasBit(node.spec->shape_only, i) ? -1 : slot);
    if (plan_->slots_[slot].kind == Slot::Kind::kVariable && step.inputs.back() >= 0) {
      const bool writes = is_resource && ops::HasBit(node.spec->effects.writes, i);
      (writes ? step.writes : step.reads).push_back(plan_->slots_[slot].index);
    }
  }
  const kernels::KernelSpec spec{*node.spec, node.attributes, inputs, node.outputs,
                                 kernels::LeavesOf(node.attributes)};
  step.kernel = node.spec->name == "ReadVariableOp" ? kernels::MakeCopy(spec)
                                                    : kernels::KernelRegistry::Cpu().Make(spec);
  if (step.kernel->mirrors()) FindMirror(step);
  FindTakenSlots(step, inputs);
  step.may_fail = kernels::MayFail(node.spec->name, inputs);
  const int index = static_cast<int>(plan_->steps_.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].dtype == DType::kString) {
      throw Error(Code::kUnimplemented,
                  "[" + node.spec->name + "] a plan's memory holds no strings; got " +
                      node.outputs[i].ToString() + "; call the op outside of traced functions");
    }
    Slot slot;
    slot.bytes = BytesOf(node.outputs[i]);
    const int id = AddSlot(std::move(slot));
    producer_[id] = index;
    slot_of_[Key({node.id, static_cast<int>(i)})] = id;
    step.outputs.push_back(id);
  }
  for (int control : node.control_inputs) {
    if (auto place = step_of_node_.find(control); place != step_of_node_.end()) {
      step.depends.push_back(place->second);
    }
  }
  step_of_node_[node.id] = index;
  plan_->steps_.push_back(std::move(step));
}

// What comes after it in the plan leaves the mirror as it is.
void PlanCompiler::FindMirror(Step& step) {
  const Slot& weight = plan_->slots_[step.inputs[0]];
  if (weight.kind != Slot::Kind::kVariable || plan_->writes_[weight.index] != 1) return;
  step.mirror = static_cast<int>(plan_->mirror_slots_.size());
  plan_->mirror_slots_.push_back(step.inputs[0]);
}

// A kernel that asks for the rows that it reads of a variable does not take its slot.
void PlanCompiler::FindTakenSlots(Step& step, const std::vector<ops::TensorType>& inputs) {
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] < 0) continue;
    const Slot& slot = plan_->slots_[step.inputs[i]];
    if (slot.kind != Slot::Kind::kVariable) continue;
    if (i == 1 && step.kernel->asks_for_rows() &&
        inputs[i].shape == plan_->variables_[slot.index]->shape()) {
      step.asks = slot.index;
    } else {
      plan_->taken_slots_[slot.index].push_back(step.inputs[i]);
    }
  }
}

void PlanCompiler::AddResults() {
  for (graph::Endpoint result : graph_.results()) {
    const int id = SlotOf(result);
    const ops::TensorType& type = graph_.type(result);
    Slot& slot = plan_->slots_[id];
    if (slot.kind == Slot::Kind::kArena) {
      slot.kind = Slot::Kind::kResult;
      slot.index = static_cast<int>(plan_->result_buffers_.size());
      plan_->result_buffers_.push_back(type);
    }
    plan_->results_.push_back({id, type});
  }
}

void PlanCompiler::OrderEffects() {
  const size_t count = plan_->variables_.size();
  std::vector<int> last_write(count, -1);
  std::vector<std::vector<int>> reads(count);
  int last_external = -1;
  for (int i = 0; i < static_cast<int>(plan_->steps_.size()); ++i) {
    Step& step = plan_->steps_[i];
    for (int variable : step.reads) {
      if (last_write[variable] >= 0) step.depends.push_back(last_write[variable]);
    }
    for (int variable : step.writes) {
      if (last_write[variable] >= 0) step.depends.push_back(last_write[variable]);
      step.depends.insert(step.depends.end(), reads[variable].begin(), reads[variable].end());
    }
    for (int variable : step.reads) reads[variable].push_back(i);
    for (int variable : step.writes) {
      reads[variable].clear();
      last_write[variable] = i;
    }
    if (graph_.node(step.node).spec->effects.external) {
      if (last_external >= 0) step.depends.push_back(last_external);
      last_external = i;
    }
  }
}

std::unique_ptr<Plan> Plan::Compile(const graph::Graph& graph, const PlanOptions& options) {
  return PlanCompiler(graph, options).Compile();
}

std::unique_ptr<Plan> CompilePlan(const graph::Graph& graph, const ExecutionOptions& options) {
  const PlanOptions plan{.fuse = options.fuse,
                         .bucket_bytes = static_cast<size_t>(options.bucket_bytes)};
  if (!options.passes) return Plan::Compile(graph, plan);
  return Plan::Compile(graph::Simplify(FoldConstants(graph)), plan);
}

}  // namespace lockstep::runtime
