#include "runtime/plan.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <limits>

#include <x86intrin.h>

#include "base/check.h"
#include "base/flush_denormals.h"
#include "base/memory.h"
#include "runtime/plan_clock.h"
#include "runtime/run_control.h"
#include "runtime/schedule.h"
#include "runtime/variable_hold.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte[], FreeMemory>;

Memory AllocateMemory(size_t bytes) {
  return Memory(static_cast<std::byte*>(base::AllocateMemory(bytes, "plan")));
}

}  // namespace

// What one run needs besides the plan; kept for the next run.
struct Plan::RunState {
  struct alignas(64) Lane {
    std::vector<void*> pointers;
    Memory chunk;
    std::exception_ptr error;
    int step = -1;        // the one that the lane carries out
    uint64_t waited = 0;  // for other lanes inside of the present phase, in ticks
  };
  struct alignas(64) Handed {
    std::atomic<int64_t> pieces{0};  // that the lane has left to the next one
  };
  Memory arena;
  std::vector<Lane> lanes;
  int active = 1;                    // lanes of this run: all, or one
  LaneShares all_shares, no_shares;  // of all lanes, and of one
  std::unique_ptr<Handed[]> handed;  // by lane
  std::vector<const void*> parameters;
  std::vector<void*> variables;
  std::vector<VariableMirror*> mirrors;  // null where a step has none to write to
  std::vector<std::shared_ptr<tensor::Buffer>> results;
  std::vector<uint64_t> versions;  // of the variables, before the run
  // The work that failed, the foremost of several: all lanes leave out what comes after it, and do
  // what comes before it, so that which error is told depends on no lane's pace.
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> failed_at{kNone};
  PlanClock::Watch watch;

  LaneShares& shares() { return active == 1 ? no_shares : all_shares; }
  bool Failed() const { return failed_at.load(std::memory_order_relaxed) != kNone; }
};

Plan::~Plan() { delete idle_state_.load(); }

std::unique_ptr<Plan::RunState> Plan::AcquireState(int lanes) {
  std::unique_ptr<RunState> state(idle_state_.exchange(nullptr, std::memory_order_acquire));
  const int known = state == nullptr ? 0 : static_cast<int>(state->lanes.size());
  if (known > 0 && (lanes == 1 || lanes == known)) {
    state->active = lanes;
    return state;
  }
  state = std::make_unique<RunState>();
  state->active = lanes;
  state->arena = AllocateMemory(arena_bytes_);
  state->lanes.resize(lanes);
  state->all_shares = LaneShares(row_domains_, lanes);
  state->no_shares = LaneShares(row_domains_, 1);
  state->handed = std::make_unique<RunState::Handed[]>(lanes);
  for (RunState::Lane& lane : state->lanes) {
    lane.pointers.assign(num_pointers_, nullptr);
    lane.chunk = AllocateMemory(chunk_bytes_);
    for (const Patch& patch : arena_patches_) {
      const Slot& slot = slots_[patch.slot];
      lane.pointers[patch.pointer] = slot.kind == Slot::Kind::kConstant
                                         ? const_cast<void*>(slot.constant.raw_data())
                                         : state->arena.get() + slot.offset;
    }
  }
  state->parameters.resize(parameters_.size());
  state->variables.resize(variables_.size());
  state->mirrors.resize(mirror_slots_.size());
  state->results.resize(result_buffers_.size());
  return state;
}

void Plan::ReleaseState(std::unique_ptr<RunState> state) {
  delete idle_state_.exchange(state.release(), std::memory_order_acq_rel);
}

void Plan::BindLane(RunState& state, int lane) const {
  std::vector<void*>& pointers = state.lanes[lane].pointers;
  for (const Patch& patch : patches_) {
    const Slot& slot = slots_[patch.slot];
    switch (slot.kind) {
      case Slot::Kind::kParameter:
        pointers[patch.pointer] = const_cast<void*>(state.parameters[slot.index]);
        break;
      case Slot::Kind::kVariable:
        pointers[patch.pointer] =
            static_cast<std::byte*>(state.variables[slot.index]) + slot.offset;
        break;
      default:
        pointers[patch.pointer] = state.results[slot.index]->data();
    }
  }
}

kernels::KernelMemory Plan::MemoryOf(RunState& state, int lane, int index) const {
  const Step& step = steps_[index];
  void** pointers = state.lanes[lane].pointers.data() + pointer_offsets_[index];
  kernels::KernelMemory memory{pointers, pointers + step.inputs.size()};
  if (step.mirror >= 0 && state.mirrors[step.mirror] != nullptr) {
    VariableMirror& mirror = *state.mirrors[step.mirror];
    memory.mirror = {mirror.data, &mirror.finite};
  }
  // Lanes that carry chains on by steps do not begin with row 0.
  if (step.asks < 0 || state.active > 1) return memory;
  DistantRows& rows = variables_[step.asks]->distant_rows();
  if (rows.any() || rows.AreFinite()) memory.rows = &rows;
  return memory;
}

void Plan::RunRows(RunState& state, const Group& group, int lane, int64_t begin,
                   int64_t end) const {
  RunState::Lane& own = state.lanes[lane];
  for (const Patch& patch : group.chunk_patches) {
    const Slot& slot = slots_[patch.slot];
    // Kernels count rows from the beginning of the value; only the chunk's rows exist.
    own.pointers[patch.pointer] =
        reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(own.chunk.get()) + slot.offset -
                                static_cast<uintptr_t>(begin) * slot.row_bytes);
  }
  for (int index : group.steps) {
    const Step& step = steps_[index];
    own.step = index;
    const kernels::KernelMemory memory = MemoryOf(state, lane, index);
    const PlanClock::Span span(state.watch, lane, index);
    if (group.owner >= 0) {
      step.kernel->Run(memory, 0, step.kernel->rows());
    } else {
      const int64_t ratio = step.kernel->rows() / group.domain;
      step.kernel->Run(memory, begin * ratio, end * ratio);
    }
  }
}

void Plan::RunGroup(RunState& state, const Group& group, int lane, int lanes) const {
  if (group.owner >= 0) {
    if (group.owner % lanes == lane) RunRows(state, group, lane, 0, 1);
    return;
  }
  const auto [begin, end] = state.shares().Of(group.share, lane);
  const int64_t chunk = group.chunk > 0 ? group.chunk : group.domain;
  for (int64_t row = begin; row < end; row += chunk) {
    RunRows(state, group, lane, row, std::min(row + chunk, end));
  }
}

namespace {

constexpr int kStages = 2;  // parts of a run that a group may have

}  // namespace

// What `work` throws ends the work of the lanes; all meet at no barrier too few. `stage` counts the
// parts of a run, each of which the lanes divide by ascending rows.
template <typename Work>
void Plan::Guard(RunState& state, int stage, int lane, const Work& work) {
  const int64_t place = static_cast<int64_t>(stage) * state.active + lane;
  int64_t failed_at = state.failed_at.load(std::memory_order_relaxed);
  if (failed_at <= place) return;
  try {
    work();
  } catch (...) {
    state.lanes[lane].error = std::current_exception();
    while (place < failed_at && !state.failed_at.compare_exchange_weak(failed_at, place)) {
    }
  }
}

namespace {

// Pieces of a product's rows that lanes hand on.
struct Pieces {
  explicit Pieces(int64_t all) : rows(all) {
    constexpr int64_t kMost = 16, kLeastRows = 4;
    height = std::max(kLeastRows, (rows / kMost + kLeastRows - 1) / kLeastRows * kLeastRows);
  }
  int64_t rows, height;
};

}  // namespace

// A lane carries the chains of a product on by its part of their steps, some rows at a time, and
// leaves them to the next lane, as workers on a belt do. So it reads only the rows of the weight
// that it updates, which are in its cache, and the rows' factor while it is there. Many lanes would
// wait too long for the first rows: they take rows each.
void Plan::RunDepth(RunState& state, const Group& group, int stage, int lane,
                    base::Team& team) const {
  constexpr int kMostLanes = 4;
  const int lanes = team.lanes();
  const auto [from, to] = state.shares().Of(group.share, lane);
  const auto run = [&, from = from, to = to](int index, const auto& call) {
    const Step& step = steps_[index];
    state.lanes[lane].step = index;
    const kernels::KernelMemory memory = MemoryOf(state, lane, index);
    const PlanClock::Span span(state.watch, lane, index);
    call(*step.kernel, memory, from, to);
  };
  const auto columns = [](const kernels::Kernel& kernel, const kernels::KernelMemory& memory,
                          int64_t from, int64_t to) { kernel.RunColumns(memory, from, to); };
  const auto rows_of = [](int64_t begin, int64_t end) {
    return [=](const kernels::Kernel& kernel, const kernels::KernelMemory& memory, int64_t,
               int64_t) { kernel.Run(memory, begin, end); };
  };
  const auto waiting = [&](const auto& wait) {
    const PlanClock::Span span(state.watch, lane, PlanClock::kWaiting);
    const uint64_t since = state.shares().measures() ? __rdtsc() : 0;
    wait();
    if (state.shares().measures()) state.lanes[lane].waited += __rdtsc() - since;
  };
  const std::span factors(group.steps.data(), group.steps.size() - 1);
  const int product = group.steps.back();
  const int64_t rows = steps_[product].kernel->rows();
  const bool none = steps_[product].division != Division::kDepth;
  if (none || lanes == 1 || lanes > kMostLanes) {
    Guard(state, stage, lane, [&] {
      for (int index : factors) run(index, columns);
      if (none) run(product, columns);
    });
    if (none) return;
    if (lanes > 1) waiting([&] { team.Barrier(lane); });
    Guard(state, stage + 1, lane,
          [&] { run(product, rows_of(rows * lane / lanes, rows * (lane + 1) / lanes)); });
    return;
  }
  const Pieces pieces(rows);
  std::atomic<int64_t>& handed = state.handed[lane].pieces;
  for (int64_t begin = 0; begin < rows; begin += pieces.height) {
    const auto some = [begin, end = std::min(rows, begin + pieces.height)](
                          const kernels::Kernel& kernel, const kernels::KernelMemory& memory,
                          int64_t from,
                          int64_t to) { kernel.RunDepth(memory, begin, end, from, to); };
    Guard(state, stage, lane, [&] {
      for (int index : factors) run(index, some);
    });
    const int64_t piece = handed.load(std::memory_order_relaxed) + 1;
    const auto is_handed_on = [&] {
      return state.handed[lane - 1].pieces.load(std::memory_order_acquire) >= piece;
    };
    if (lane > 0) waiting([&] { team.Await(lane, is_handed_on); });
    Guard(state, stage, lane, [&] { run(product, some); });
    handed.store(piece, std::memory_order_release);
  }
}

void Plan::RunPhase(RunState& state, const Phase& phase, int stage, int lane,
                    base::Team& team) const {
  for (const Group& group : phase.groups) {
    if (group.by_depth) {
      RunDepth(state, group, stage, lane, team);
    } else {
      Guard(state, stage, lane, [&] { RunGroup(state, group, lane, team.lanes()); });
    }
    stage += kStages;
  }
}

void Plan::RunLane(RunState& state, int lane, base::Team& team) const {
  base::FlushDenormals flush;
  BindLane(state, lane);
  int stage = 0;
  for (size_t p = 0; p < phases_.size(); ++p) {
    if (p > 0) {
      const PlanClock::Span span(state.watch, lane, PlanClock::kWaiting);
      team.Barrier(lane);
    }
    const Phase& phase = phases_[p];
    const bool measures = phase.dearest_share >= 0 && state.shares().measures();
    state.lanes[lane].waited = 0;
    const uint64_t since = measures ? __rdtsc() : 0;
    RunPhase(state, phase, stage, lane, team);
    if (measures)
      state.shares().Add(phase.dearest_share, lane, __rdtsc() - since - state.lanes[lane].waited);
    stage += kStages * static_cast<int>(phase.groups.size());
  }
}

namespace {

// Holds a plan's variables while it runs: all locks in the order of their addresses, so that two
// runs can't wait for each other. What a run around this one has is not taken again.
class VariableLocks {
 public:
  VariableLocks(const std::vector<std::shared_ptr<VariableCell>>& cells,
                const std::vector<int>& writes, const std::vector<int>& order)
      : cells_(cells), writes_(writes), order_(order), hold_(VariableHold::Current()) {
    for (int i : order_) {
      if (Held(i)) continue;
      writes_[i] > 0 ? cells_[i]->lock().Lock() : cells_[i]->lock().LockShared();
    }
  }
  ~VariableLocks() {
    for (int i : order_) {
      if (Held(i)) continue;
      writes_[i] > 0 ? cells_[i]->lock().Unlock() : cells_[i]->lock().UnlockShared();
    }
  }
  VariableLocks(const VariableLocks&) = delete;

 private:
  bool Held(int i) const { return hold_ != nullptr && hold_->Has(*cells_[i], writes_[i] > 0); }

  const std::vector<std::shared_ptr<VariableCell>>& cells_;
  const std::vector<int>& writes_;
  const std::vector<int>& order_;
  const VariableHold* const hold_;
};

}  // namespace

// The mirror of a slot's variable, if it is for just these bytes; else null.
VariableMirror* Plan::MirrorOf(const Slot& slot) const {
  VariableMirror& mirror = variables_[slot.index]->mirror();
  const bool fits = mirror.data != nullptr && mirror.begin == slot.offset &&
                    mirror.end == slot.offset + slot.bytes;
  return fits ? &mirror : nullptr;
}

// Whether rows of a variable that are not there yet may stay where they are: those that steps need
// are asked for.
bool Plan::LeavesDistantRows(size_t variable, int lanes) const {
  const DistantRows& rows = variables_[variable]->distant_rows();
  if (lanes > 1 || !rows.any()) return false;
  return std::none_of(taken_slots_[variable].begin(), taken_slots_[variable].end(), [&](int taken) {
    return rows.AreIn(slots_[taken].offset, slots_[taken].offset + slots_[taken].bytes);
  });
}

// The variable's value, for as long as its lock is held.
void* Plan::MemoryOf(size_t variable, int lanes) const {
  VariableCell& cell = *variables_[variable];
  if (LeavesDistantRows(variable, lanes)) return cell.data_beside_distant_rows();
  return writes_[variable] > 0 ? cell.PrepareWrite() : const_cast<void*>(cell.data());
}

// Takes lanes for a run and measures it, if the plan's choice of lanes wants to know.
class Plan::Lanes {
 public:
  Lanes(LaneChoice& choice, base::Team& team)
      : choice_(choice),
        run_(team.is_default() ? choice.Next(team.lanes()) : LaneChoice::Run{team.lanes()}),
        lease_(team, run_.lanes) {
    if (run_.is_measured) begin_ = base::MonotonicClock().Now();
  }
  ~Lanes() {
    if (!run_.is_measured) return;
    const bool counts = is_done_ && (lease_.team().lanes() > 1) == (run_.lanes > 1);
    std::optional<base::Duration> time;
    if (counts) time = base::MonotonicClock().Now() - begin_;
    choice_.Took(run_, time);
  }
  Lanes(const Lanes&) = delete;

  base::Team& team() const { return lease_.team(); }
  void Done() { is_done_ = true; }

 private:
  LaneChoice& choice_;
  const LaneChoice::Run run_;
  const base::LaneLease lease_;
  base::Time begin_{};
  bool is_done_ = false;
};

std::vector<Tensor> Plan::Run(std::span<const Tensor> arguments, base::Team& given) {
  LOCKSTEP_CHECK_EQ(arguments.size(), parameters_.size());
  if (IsScheduled()) sources_.Touch(variables_, writes_);
  // Before lanes are taken, as another run may have the variables for long.
  const VariableLocks locks(variables_, writes_, lock_order_);
  Lanes lanes(*lane_choice_, given);
  std::vector<Tensor> results = RunOn(lanes.team(), arguments);
  lanes.Done();
  return results;
}

// Its variables are locked.
std::vector<Tensor> Plan::RunOn(base::Team& team, std::span<const Tensor> arguments) {
  auto state = AcquireState(team.lanes());
  state->watch = Watch();
  for (size_t i = 0; i < arguments.size(); ++i) {
    LOCKSTEP_CHECK(arguments[i].shape() == parameters_[i].shape &&
                   arguments[i].dtype() == parameters_[i].dtype);
    state->parameters[i] = arguments[i].raw_data();
  }
  for (size_t i = 0; i < state->results.size(); ++i) {
    // A buffer of an earlier run serves again when its result has been dropped.
    if (state->results[i] == nullptr || !tensor::IsSoleOwner(state->results[i])) {
      state->results[i] = tensor::Buffer::Allocate(result_buffers_[i].dtype,
                                                   result_buffers_[i].shape.num_elements());
    }
  }
  {
    const bool follows = FollowsAccesses();
    if (follows) sources_.BeforeRun(variables_, arguments, &state->versions);
    // A buffer that somebody else refers to is written in a copy.
    std::vector<std::shared_ptr<tensor::Buffer>> before;
    for (size_t i = 0; writes_in_copies_ && i < variables_.size(); ++i) {
      before.push_back(writes_[i] > 0 ? variables_[i]->buffer() : nullptr);
    }
    for (size_t i = 0; i < variables_.size(); ++i) state->variables[i] = MemoryOf(i, team.lanes());
    for (size_t i = 0; i < mirror_slots_.size(); ++i) {
      state->mirrors[i] = MirrorOf(slots_[mirror_slots_[i]]);
      if (state->mirrors[i] == nullptr) continue;
      state->mirrors[i]->version = 0;  // should the run fail
      state->mirrors[i]->finite = true;
    }
    const PlanClock::Span span(state->watch, 0, PlanClock::kRun);
    team.Run([&](int lane) { RunLane(*state, lane, team); });
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (writes_[i] == 0) continue;
      if (!state->Failed()) {
        variables_[i]->CommitWrite(writes_[i]);
      } else if (writes_in_copies_) {
        variables_[i]->Restore(std::move(before[i]), variables_[i]->version());
      }
    }
    for (size_t i = 0; i < mirror_slots_.size() && !state->Failed(); ++i) {
      if (state->mirrors[i] == nullptr) continue;
      state->mirrors[i]->version = variables_[slots_[mirror_slots_[i]].index]->version();
    }
    if (follows && !state->Failed()) {
      sources_.AfterRun(variables_, writes_, state->versions);
      for (size_t i = 0; i < results_.size(); ++i) {
        const Slot& slot = slots_[results_[i].slot];
        if (slot.kind != Slot::Kind::kResult) continue;
        const Slot& alike = slots_[results_[sources_.FirstAlike(i)].slot];
        const bool is_known = sources_.FirstAlike(i) < i && alike.kind == Slot::Kind::kResult;
        state->results[slot.index]->set_origins(
            is_known ? state->results[alike.index]->origins()
                     : sources_.OriginsOf(i, variables_, arguments, state->versions));
      }
    }
  }
  if (state->Failed()) {
    const RunState::Lane& lane =
        state->lanes[state->failed_at.load(std::memory_order_relaxed) % state->active];
    if (RunControl::Current() == nullptr) std::rethrow_exception(lane.error);
    try {
      std::rethrow_exception(lane.error);
    } catch (const Error& error) {
      throw WithOp(error, (*step_names_)[lane.step]);
    }
  }
  std::vector<Tensor> results;
  results.reserve(results_.size());
  for (const ResultSource& source : results_) {
    const Slot& slot = slots_[source.slot];
    switch (slot.kind) {
      case Slot::Kind::kParameter:
        results.push_back(arguments[slot.index].WithShape(source.type.shape));
        break;
      case Slot::Kind::kConstant:
        results.push_back(slot.constant.WithShape(source.type.shape));
        break;
      case Slot::Kind::kVariable:
        results.push_back(slot.constant);
        break;
      default:
        results.push_back(
            Tensor::FromBuffer(state->results[slot.index], source.type.dtype, source.type.shape));
    }
  }
  state->shares().EndRun();
  ReleaseState(std::move(state));
  return results;
}

PlanClock::Watch Plan::Watch() const {
  PlanClock::Watch watch{.clock = clock_.get(), .trace = base::TraceRecorder::Current()};
  if (watch.trace != nullptr) {
    watch.first = watch.trace->NamesOf(step_names_);
    watch.waiting = watch.trace->NameOf("waiting at a barrier");
  }
  return watch;
}

void Plan::MeasureSteps() {
  if (clock_ == nullptr) clock_ = std::make_shared<PlanClock>(steps_.size());
}

std::string Plan::Breakdown() const {
  return clock_ == nullptr ? "not measured\n" : clock_->Describe(*step_names_);
}

PlanSummary Plan::Summary() const {
  PlanSummary summary{.kernels = static_cast<int>(steps_.size()), .phases = num_phases()};
  for (const Phase& phase : phases_) {
    for (const Group& group : phase.groups) summary.chunked += group.chunk > 0;
  }
  return summary;
}

std::vector<Plan::Writer> Plan::Writers() const {
  std::unordered_map<int, int> producers;  // by slot
  for (size_t i = 0; i < steps_.size(); ++i) {
    for (int slot : steps_[i].outputs) producers[slot] = static_cast<int>(i);
  }
  std::vector<Writer> writers;
  for (size_t phase = 0; phase < phases_.size(); ++phase) {
    for (const Group& group : phases_[phase].groups) {
      for (int index : group.steps) {
        for (int variable : steps_[index].writes) {
          Writer writer{
              variables_[variable]->name(), (*step_names_)[index], static_cast<int>(phase), {}};
          for (int slot : steps_[index].inputs) {
            const auto place = producers.find(slot);
            if (place != producers.end()) writer.from.push_back((*step_names_)[place->second]);
          }
          writers.push_back(std::move(writer));
        }
      }
    }
  }
  return writers;
}

std::string Plan::Describe() const {
  std::string text = std::to_string(steps_.size()) + " steps in " + std::to_string(phases_.size()) +
                     " phases, arena " + std::to_string(arena_bytes_) + " bytes\n";
  for (size_t p = 0; p < phases_.size(); ++p) {
    text += "phase " + std::to_string(p) + "\n";
    for (const Group& group : phases_[p].groups) {
      text += (group.by_depth ? "  depth " : "  rows ") + std::to_string(group.domain) + " owner " +
              std::to_string(group.owner) + " chunk " + std::to_string(group.chunk) + ":";
      for (int index : group.steps) {
        text += " " + (*step_names_)[index];
        for (int slot : steps_[index].outputs) {
          text += slots_[slot].kind == Slot::Kind::kChunk ? "~" : "";
        }
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace lockstep::runtime
