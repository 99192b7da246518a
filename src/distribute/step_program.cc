#include "distribute/step_program.h"

#include "distribute/leaves.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "ops/builder.h"
#include "runtime/replica.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

// Weights with at least so many elements are updated by rows.
constexpr int64_t kSliceFrom = 4096;

graph::Graph Trace(const std::vector<ops::TensorType>& types,
                   const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                   const StepOptions& options) {
  while (true) {
    const uint64_t layout = runtime::VariableLayout();
    graph::Tracer tracer;
    std::vector<Tensor> parameters;
    for (const auto& type : types) parameters.push_back(tracer.AddParameter(type));
    {
      const ops::BuilderScope scope(&tracer);
      const ReplicaBatchScope batch(options.examples, options.replicas);
      for (const Tensor& result : body(parameters)) {
        std::vector<Tensor> one{result};
        ops::ResolveWeak(one, "step");
        tracer.graph()->results().push_back(tracer.EndpointOf(one[0]));
      }
    }
    if (layout == runtime::VariableLayout()) return graph::Prune(*tracer.graph());
  }
}

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

void StepProgram::Spread(graph::Graph graph, const StepOptions& options,
                         const std::vector<int64_t>& offsets) {
  Communicator& ranks = *options.ranks;
  const auto division = collectives::Division::Even(
      static_cast<collectives::Leaf>(offsets.size() - 1), ranks.num_ranks());
  SpreadOptions spread{.examples = options.examples,
                       .has_rows = options.has_rows,
                       .offsets = offsets,
                       .division = division,
                       .rank = ranks.rank(),
                       .slice_from = kSliceFrom,
                       .bucket_bytes = options.execution.bucket_bytes};
  of_rank_ = std::make_unique<RankProgram>(SpreadSums(graph, spread), ranks, options.execution);
  const collectives::Node block = division.block(ranks.rank());
  for (bool has_rows : options.has_rows)
    rows_.push_back({has_rows, offsets[block.begin], offsets[block.end]});
}

StepProgram MakeStepProgram(
    const std::vector<ops::TensorType>& types,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const StepOptions& options) {
  graph::Graph graph = Trace(types, body, options);
  StepProgram program;
  program.ranks_ = options.ranks;
  const bool spread = options.ranks != nullptr && options.ranks->num_ranks() > 1;
  const graph::RowAnalysis analysis = graph::AnalyzeRows(graph, options.examples, options.has_rows);
  std::vector<int64_t> offsets;
  if (analysis.can_cut()) {
    offsets = MakeLeaves(options.examples, options.replicas, options.shards).offsets;
    graph::CutIntoLeaves(graph, analysis, offsets);
  } else {
    program.mixes_in_ = graph.node(analysis.mixing_node).name;
  }
  if (spread) {
    try {
      if (runtime::NeedsProgram(graph))
        throw Error(Code::kUnimplemented, "it has control flow, or shapes that values decide");
      if (!analysis.can_cut())
        throw Error(Code::kUnimplemented, "examples influence each other in " + program.mixes_in_);
      program.Spread(graph::RemoveDuplicates(graph), options, offsets);
      return program;
    } catch (const Error& error) {
      if (error.code() != Code::kUnimplemented) throw;
      program.not_spread_ = error.status().message();
    }
  }
  program.compiled_ = std::make_unique<runtime::Compiled>(graph, options.execution);
  program.compiled_->UndoFailures();
  return program;
}

std::vector<Tensor> StepProgram::Run(std::span<const Tensor> arguments, base::Team& team) {
  if (compiled_ != nullptr) {
    if (ranks_ != nullptr && !ranks_->parts().empty()) GatherParts(*ranks_);
    return compiled_->Run(arguments, team);
  }
  std::vector<Tensor> own;
  for (size_t i = 0; i < arguments.size(); ++i) {
    own.push_back(rows_[i].cut ? RowsOf(arguments[i], rows_[i].begin, rows_[i].end) : arguments[i]);
  }
  return of_rank_->Run(std::move(own), team);
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
