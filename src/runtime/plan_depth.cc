// Products whose depth is divided: a weight that only its update writes and only one product reads
// belongs to the lanes by its rows, in both. Its lines then stay in the cache of the core that
// updates them; else every core would fetch every line that another has changed, each step.

#include <algorithm>

#include "runtime/plan_compiler.h"

namespace lockstep::runtime {

namespace {

// A smaller weight costs less to fetch than the lanes' meetings.
constexpr size_t kLeastBytes = 128 * 1024;
// With more rows the product takes long in any case.
constexpr int64_t kLeastRows = 16, kMostRows = 1024;
// Elements of a line of the cache, of the widest vectors too.
constexpr int64_t kGrain = 16;

bool Has(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

// The step that alone writes `variable`, row by row of so many, else -1.
int PlanCompiler::OnlyWriterOfRows(int variable, int64_t rows) const {
  int writer = -1;
  for (size_t index = 0; index < plan_->steps_.size(); ++index) {
    const Step& step = plan_->steps_[index];
    if (!Has(step.writes, variable)) continue;
    if (writer >= 0 || step.kernel->rows() != rows) return -1;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const int slot = step.inputs[i];
      const bool it = slot >= 0 && plan_->slots_[slot].kind == Slot::Kind::kVariable &&
                      plan_->slots_[slot].index == variable;
      if (it && !ops::HasBit(step.kernel->aligned_inputs(), i)) return -1;
    }
    writer = static_cast<int>(index);
  }
  return writer;
}

bool PlanCompiler::MayDivideByDepth(int index) const {
  const Step& step = plan_->steps_[index];
  const kernels::Kernel& kernel = *step.kernel;
  if (kernel.depth() < 4 * kGrain || !step.writes.empty()) return false;
  if (kernel.rows() < kLeastRows || kernel.rows() > kMostRows) return false;
  const Slot& weight = plan_->slots_[step.inputs[1]];
  if (weight.kind != Slot::Kind::kVariable || step.inputs[0] < 0) return false;
  if (plan_->slots_[step.inputs[0]].kind == Slot::Kind::kVariable) return false;
  const Shape& shape = plan_->variables_[weight.index]->shape();
  if (static_cast<size_t>(shape.num_elements()) * sizeof(float) < kLeastBytes) return false;
  for (size_t other = 0; other < plan_->steps_.size(); ++other) {
    if (static_cast<int>(other) != index && Has(plan_->steps_[other].reads, weight.index)) {
      return false;
    }
  }
  return OnlyWriterOfRows(weight.index, kernel.depth()) >= 0;
}

// The step that makes the other factor is divided by columns where it can be: then a lane reads
// nothing of it that another made.
void PlanCompiler::DivideFactor(int product) {
  const int slot = plan_->steps_[product].inputs[0];
  if (producer_[slot] < 0) return;
  Step& maker = plan_->steps_[producer_[slot]];
  if (maker.kernel->columns() != plan_->steps_[product].kernel->depth()) return;
  if (maker.outputs.size() != 1 || !maker.reads.empty() || !maker.writes.empty()) return;
  maker.division = Division::kColumns;
  maker.grain = kGrain;
}

void PlanCompiler::DivideByDepth() {
  for (int index = 0; index < static_cast<int>(plan_->steps_.size()); ++index) {
    if (!MayDivideByDepth(index)) continue;
    Step& step = plan_->steps_[index];
    const int variable = plan_->slots_[step.inputs[1]].index;
    step.division = Division::kDepth;
    step.grain = kGrain;
    plan_->steps_[OnlyWriterOfRows(variable, step.kernel->depth())].grain = kGrain;
    DivideFactor(index);
  }
}

// Puts a step that is not divided by rows into the current phase. It takes nothing from this phase
// but a product's factor, whose columns each lane has made for itself.
bool PlanCompiler::PlaceByDepth(int index) {
  const Step& step = plan_->steps_[index];
  const int phase = static_cast<int>(plan_->phases_.size()) - 1;
  Phase& current = plan_->phases_.back();
  int target = -1;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const int slot = step.inputs[i];
    if (slot < 0) continue;
    if (written_in_[slot].phase == phase) {
      const int made = producer_[slot];
      const bool factor = step.division == Division::kDepth && i == 0 &&
                          plan_->steps_[made].division == Division::kColumns;
      if (!factor) return false;
      target = written_in_[slot].group;
    }
    if (plan_->slots_[slot].kind != Slot::Kind::kVariable) continue;
    for (const AccessInPhase& access : accesses_[plan_->slots_[slot].index]) {
      if (access.write) return false;
    }
  }
  for (int before : step.depends) {
    if (phase_of_step_[before] == phase) return false;
  }
  if (target < 0) {
    const int64_t domain =
        step.division == Division::kDepth ? step.kernel->depth() : step.kernel->columns();
    current.groups.push_back({.domain = domain, .grain = step.grain, .by_depth = true});
    target = static_cast<int>(current.groups.size()) - 1;
  }
  PutInGroup(index, target);
  for (int variable : step.reads)
    accesses_[variable].push_back({.group = target, .slot = -1, .aligned = false, .write = false});
  return true;
}

}  // namespace lockstep::runtime
