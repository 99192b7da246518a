// Phases and groups: which steps a lane may run one after another without waiting for the others.

#include <algorithm>

#include "runtime/plan_compiler.h"

namespace lockstep::runtime {

namespace {

// Below about this many floating-point operations, dividing a step costs more than it saves.
constexpr double kWorthDividing = 20'000;
// A group's domain is not made smaller than this to let another step join.
constexpr int64_t kSmallestDomain = 8;

// The domain that a group of `domain` rows gets when a step of `rows` rows joins; 0: it can't.
int64_t JoinedDomain(int64_t domain, int64_t rows) {
  if (rows % domain == 0) return domain;
  if (domain % rows == 0 && rows >= kSmallestDomain) return rows;
  return 0;
}

}  // namespace

// Steps with equally many rows mostly belong together: they are divided when all of them together
// are worth it, so that a cheap one does not pull a dear one onto a single lane.
void PlanCompiler::WeighRows() {
  for (const Step& step : plan_->steps_) {
    cost_of_rows_[step.kernel->rows()] += step.kernel->cost_per_row() * step.kernel->rows();
  }
}

bool PlanCompiler::Divisible(const kernels::Kernel& kernel) const {
  return kernel.rows() > 1 && cost_of_rows_.at(kernel.rows()) >= kWorthDividing;
}

// Floating-point operations of the steps that lanes divide.
double PlanCompiler::DividedCost() const {
  double cost = 0;
  for (const Step& step : plan_->steps_) {
    const kernels::Kernel& kernel = *step.kernel;
    if (step.division != Division::kRows || Divisible(kernel))
      cost += kernel.cost_per_row() * static_cast<double>(kernel.rows());
  }
  return cost;
}

void PlanCompiler::StartPhase() {
  plan_->phases_.emplace_back();
  for (auto& accesses : accesses_) accesses.clear();
}

void PlanCompiler::PutInGroup(int index, int target) {
  const int phase = static_cast<int>(plan_->phases_.size()) - 1;
  plan_->phases_.back().groups[target].steps.push_back(index);
  group_of_step_[index] = target;
  phase_of_step_[index] = phase;
  if (fails_early_[index]) {
    --unplaced_failures_;
    last_failure_phase_ = phase;
  }
  for (int slot : plan_->steps_[index].outputs) written_in_[slot] = {phase, target};
}

// Puts `step` into the current phase if that needs no barrier; a step may join a group only if all
// that it takes from this phase was made by that group, row by row.
bool PlanCompiler::Place(int index) {
  const Step& step = plan_->steps_[index];
  if (step.division != Division::kRows) return PlaceByDepth(index);
  const kernels::Kernel& kernel = *step.kernel;
  const int phase = static_cast<int>(plan_->phases_.size()) - 1;
  // What writes waits for what may fail.
  const int own = fails_early_[index];
  if (!step.writes.empty() && (unplaced_failures_ > own || last_failure_phase_ == phase)) {
    return false;
  }
  Phase& current = plan_->phases_.back();
  int required = -1;  // the only group that the step may join
  bool all_aligned = true;
  auto require = [&](int group, bool aligned) {
    if (required >= 0 && required != group) return false;
    if (current.groups[group].by_depth) return false;
    required = group;
    all_aligned &= aligned;
    return true;
  };
  const uint32_t aligned_mask = kernel.aligned_inputs();
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const int slot = step.inputs[i];
    if (slot < 0) continue;
    const bool aligned = ops::HasBit(aligned_mask, i);
    if (written_in_[slot].phase == phase && !require(written_in_[slot].group, aligned))
      return false;
    if (plan_->slots_[slot].kind != Slot::Kind::kVariable) continue;
    const int variable = plan_->slots_[slot].index;
    const bool writes =
        std::find(step.writes.begin(), step.writes.end(), variable) != step.writes.end();
    for (const AccessInPhase& access : accesses_[variable]) {
      if (!writes && !access.write) continue;
      if (!require(access.group, aligned && access.aligned && access.slot == slot)) return false;
    }
  }
  for (int before : step.depends) {
    if (phase_of_step_[before] == phase && !require(group_of_step_[before], false)) return false;
  }

  int target = -1;
  if (required >= 0) {
    Group& group = current.groups[required];
    if (group.owner < 0) {
      const int64_t domain = JoinedDomain(group.domain, kernel.rows());
      if (!all_aligned || domain == 0) return false;
      group.domain = domain;
    } else if (Divisible(kernel)) {
      return false;  // better divided, after a barrier
    }
    target = required;
  } else if (Divisible(kernel)) {
    for (size_t g = 0; g < current.groups.size() && target < 0; ++g) {
      if (current.groups[g].owner < 0 && !current.groups[g].by_depth &&
          current.groups[g].domain == kernel.rows()) {
        target = static_cast<int>(g);
      }
    }
    if (target < 0) {
      current.groups.push_back({.domain = kernel.rows()});
      target = static_cast<int>(current.groups.size()) - 1;
    }
  } else {
    current.groups.push_back({.domain = 1, .owner = next_owner_++});
    target = static_cast<int>(current.groups.size()) - 1;
  }
  PutInGroup(index, target);
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const int slot = step.inputs[i];
    if (slot < 0 || plan_->slots_[slot].kind != Slot::Kind::kVariable) continue;
    const int variable = plan_->slots_[slot].index;
    const bool writes =
        std::find(step.writes.begin(), step.writes.end(), variable) != step.writes.end();
    accesses_[variable].push_back({target, slot, ops::HasBit(aligned_mask, i), writes});
  }
  return true;
}

// Takes the steps in the order of the program, but first all that need no barrier.
void PlanCompiler::Schedule() {
  const int count = static_cast<int>(plan_->steps_.size());
  WeighRows();
  written_in_.assign(plan_->slots_.size(), {});
  accesses_.assign(plan_->variables_.size(), {});
  group_of_step_.assign(count, -1);
  phase_of_step_.assign(count, -1);
  std::vector<int> waiting(count, 0);
  std::vector<std::vector<int>> followers(count);
  for (int i = 0; i < count; ++i) {
    auto wait_for = [&](int before) {
      followers[before].push_back(i);
      ++waiting[i];
    };
    for (int slot : plan_->steps_[i].inputs) {
      if (slot >= 0 && producer_[slot] >= 0) wait_for(producer_[slot]);
    }
    for (int before : plan_->steps_[i].depends) wait_for(before);
  }
  std::vector<int> ready;
  for (int i = 0; i < count; ++i) {
    if (waiting[i] == 0) ready.push_back(i);
  }
  StartPhase();
  while (!ready.empty()) {
    bool placed = false;
    size_t waiting_bytes = 0;
    for (size_t r = 0; r < ready.size(); ++r) {
      const int step = ready[r];
      // With a full bucket only updates are taken still, and small steps, among them the rate of
      // the updates, that these need not wait for a further barrier.
      const bool full = options_.bucket_bytes > 0 && waiting_bytes >= options_.bucket_bytes;
      const bool update = !plan_->steps_[step].writes.empty();
      if (full && !update && Divisible(*plan_->steps_[step].kernel)) continue;
      if (!Place(step)) {
        for (int slot : plan_->steps_[step].outputs) waiting_bytes += plan_->slots_[slot].bytes;
        continue;
      }
      ready.erase(ready.begin() + r);
      for (int follower : followers[step]) {
        if (--waiting[follower] == 0) {
          ready.insert(std::lower_bound(ready.begin(), ready.end(), follower), follower);
        }
      }
      placed = true;
      break;
    }
    if (!placed) StartPhase();
  }
}

}  // namespace lockstep::runtime
