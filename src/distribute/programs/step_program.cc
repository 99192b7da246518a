#include "distribute/programs/step_program.h"

#include <algorithm>

#include "distribute/programs/one_program.h"
#include "distribute/workers/speculation.h"
#include "graph/passes.h"
#include "runtime/variable_hold.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

// Weights with at least so many elements are updated by rows.
constexpr int64_t kSliceFrom = 4096;

// The rows [begin, end) of a tensor, where they lie.
Tensor RowsOf(const Tensor& tensor, int64_t begin, int64_t end) {
  Shape shape = tensor.shape();
  const auto row_bytes = static_cast<int64_t>(tensor.num_bytes()) / std::max<int64_t>(1, shape[0]);
  shape.set_dim(0, end - begin);
  const auto* data = static_cast<const std::byte*>(tensor.raw_data()) + begin * row_bytes;
  return Tensor::FromBuffer(
      tensor::Buffer::Borrow(tensor.dtype(), shape.num_elements(), data, tensor.buffer()),
      tensor.dtype(), shape);
}

}  // namespace

namespace {

bool ByName(const std::shared_ptr<runtime::VariableCell>& a,
            const std::shared_ptr<runtime::VariableCell>& b) {
  return a->name() < b->name();
}

// In the order in which the program names them, which all ranks share; addresses differ.
Snapshot::Cells CellsOf(const graph::Graph& graph) {
  Snapshot::Cells cells;
  const auto add = [&](const std::shared_ptr<runtime::VariableCell>& cell) {
    if (cell != nullptr && std::find(cells.begin(), cells.end(), cell) == cells.end())
      cells.push_back(cell);
  };
  for (const graph::Node& node : graph.nodes()) {
    for (graph::Endpoint input : node.inputs) {
      const Tensor* handle = graph.constant(input);
      if (handle != nullptr && handle->dtype() == DType::kResource)
        add(std::dynamic_pointer_cast<runtime::VariableCell>(handle->object()));
    }
  }
  Snapshot::Cells inner;  // of bodies
  for (const runtime::VariableUse& use : runtime::UsesOf(graph))
    if (std::find(cells.begin(), cells.end(), use.cell) == cells.end()) inner.push_back(use.cell);
  std::stable_sort(inner.begin(), inner.end(), ByName);
  for (const auto& cell : inner) add(cell);
  return cells;
}

}  // namespace

StepProgram::StepProgram(TracedStep step, const StepOptions& options)
    : options_(options),
      graph_(std::move(step.graph)),
      offsets_(std::move(step.offsets)),
      ranks_(options.ranks),
      mixes_in_(std::move(step.mixes_in)) {
  if (ranks_ != nullptr) cells_ = CellsOf(graph_);
  Make();
}

void StepProgram::Make() {
  if (ranks_ != nullptr) generation_ = ranks_->generation();
  rows_.clear();
  if (ranks_ != nullptr && ranks_->num_ranks() > 1 && not_spread_.empty()) {
    sharers_ = SharersNow();
    // An op may not be able to work on none of its rows.
    if (TrySpread(sharers_) || (sharers_ != ranks_->roles() && TrySpread(ranks_->roles()))) {
      not_spread_.clear();
      compiled_.reset();
      return;
    }
  }
  of_rank_.reset();
  if (compiled_ != nullptr) return;
  compiled_ = std::make_unique<runtime::Compiled>(graph_, options_.execution);
  compiled_->UndoFailures();
  if (measures_) MeasureSteps();
}

const Roles& StepProgram::SharersNow() const {
  return ranks_->speculation() == nullptr ? ranks_->sharers() : ranks_->roles();
}

bool StepProgram::TrySpread(const Roles& roles) {
  try {
    if (runtime::NeedsProgram(graph_))
      throw Error(Code::kUnimplemented, "it has control flow, or shapes that values decide");
    if (!mixes_in_.empty())
      throw Error(Code::kUnimplemented, "examples influence each other in " + mixes_in_);
    Spread(roles);
    return true;
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;
    not_spread_ = error.status().message();
    return false;
  }
}

namespace {

// A straggler that is too slow for a leaf is too slow for rows of updates as well: it rests.
Roles WithoutRowsOfIdle(const Roles& roles, const collectives::Division& even,
                        const collectives::Division& division) {
  if (!roles.servers().empty()) return roles;
  std::vector<bool> rests(roles.num_ranks());
  for (int rank = 0; rank < roles.num_ranks(); ++rank)
    rests[rank] = even.block(rank).size() > 0 && division.block(rank).size() == 0;
  return roles.WithResting(std::move(rests));
}

}  // namespace

void StepProgram::Spread(const Roles& sharers) {
  rows_.clear();
  Roles roles = sharers;
  auto division = DivideLeaves(static_cast<collectives::Leaf>(offsets_.size() - 1), roles);
  if (ranks_->speculation() != nullptr) {
    const collectives::Division even = division;
    division = ranks_->speculation()->Divide(even);
    roles = WithoutRowsOfIdle(roles, even, division);
  } else if (blocks_) {
    division = *blocks_;
  } else {
    trial_.emplace(division, roles);
  }
  ranks_->set_division(division);
  SpreadOptions spread{.examples = options_.examples,
                       .has_rows = options_.has_rows,
                       .offsets = offsets_,
                       .division = division,
                       .rank = ranks_->rank(),
                       .roles = roles,
                       .slice_from = kSliceFrom,
                       .bucket_bytes = options_.execution.bucket_bytes};
  of_rank_ = std::make_unique<RankProgram>(SpreadSums(graph::RemoveDuplicates(graph_), spread),
                                           *ranks_, options_.execution);
  const collectives::Node block = division.block(ranks_->rank());
  own_examples_ = offsets_[block.end] - offsets_[block.begin];
  for (bool has_rows : options_.has_rows)
    rows_.push_back({has_rows, offsets_[block.begin], offsets_[block.end]});
  if (measures_) MeasureSteps();
}

std::shared_ptr<StepProgram> MakeStepProgram(const std::vector<ops::TensorType>& types,
                                             const StepBody& body, const StepOptions& options) {
  TracedStep step = TraceStep(
      types, body, {options.examples, options.replicas, options.shards, options.has_rows});
  return std::shared_ptr<StepProgram>(new StepProgram(std::move(step), options));
}

std::vector<Tensor> StepProgram::Run(std::span<const Tensor> arguments, base::Team& team) {
  if (ranks_ == nullptr) return compiled_->Run(arguments, team);
  return ranks_->journal().Run(shared_from_this(), arguments, team);
}

std::vector<Tensor> StepProgram::RunOnce(std::span<const Tensor> arguments, base::Team& team) {
  Speculation* const speculation = ranks_->speculation();
  if (speculation != nullptr) speculation->BeforeRun(*ranks_);
  ranks_->FindWhoRests();
  if (generation_ != ranks_->generation() || (of_rank_ != nullptr && sharers_ != SharersNow())) {
    blocks_.reset();
    trial_.reset();
    Make();
  }
  if (trial_ && (blocks_ = trial_->Decide(*ranks_))) {
    trial_.reset();
    Make();
  }
  if (compared_in_ != generation_) {
    RequireOneProgram(*ranks_, graph_);
    compared_in_ = generation_;
  }
  if (compiled_ != nullptr) {
    if (!ranks_->parts().empty()) GatherParts(*ranks_);
    return compiled_->Run(arguments, team);
  }
  std::vector<Tensor> own;
  for (size_t i = 0; i < arguments.size(); ++i) {
    own.push_back(rows_[i].cut ? RowsOf(arguments[i], rows_[i].begin, rows_[i].end) : arguments[i]);
  }
  std::vector<Tensor> results = of_rank_->Run(std::move(own), team);
  if (speculation != nullptr) speculation->AfterRun(own_examples_, of_rank_->TakeBusy());
  if (trial_) trial_->AfterRun(of_rank_->TakeWorked(), of_rank_->TakeWaited());
  return results;
}

std::string StepProgram::Describe() const {
  return compiled_ != nullptr ? compiled_->Describe() : of_rank_->program().Describe();
}

PlanSummary StepProgram::Summary() const {
  if (compiled_ != nullptr) return compiled_->Summary();
  PlanSummary sum;
  for (int i = 0; i < of_rank_->program().num_segments(); ++i) {
    const PlanSummary own = of_rank_->program().plan(i).Summary();
    sum.kernels += own.kernels;
    sum.phases += own.phases;
    sum.chunked += own.chunked;
  }
  return sum;
}

void StepProgram::MeasureSteps() {
  measures_ = true;
  if (compiled_ != nullptr && compiled_->plan() != nullptr) compiled_->plan()->MeasureSteps();
  for (int i = 0; of_rank_ != nullptr && i < of_rank_->program().num_segments(); ++i)
    of_rank_->program().plan(i).MeasureSteps();
}

std::string StepProgram::Breakdown() const {
  if (compiled_ != nullptr)
    return compiled_->plan() == nullptr ? "" : compiled_->plan()->Breakdown();
  std::string text;
  for (int i = 0; i < of_rank_->program().num_segments(); ++i) {
    text += "segment " + std::to_string(i) + "\n";
    text += of_rank_->program().plan(i).Breakdown();
  }
  return text;
}

}  // namespace lockstep::distribute
