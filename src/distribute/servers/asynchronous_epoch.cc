#include "distribute/servers/asynchronous_epoch.h"

#include <optional>
#include <utility>

#include "distribute/programs/one_program.h"
#include "distribute/programs/rank_program.h"

namespace lockstep::distribute {

AsynchronousEpoch::AsynchronousEpoch(Communicator& ranks, std::shared_ptr<AsynchronousStep> step,
                                     AsynchronousBatches batches)
    : ranks_(ranks),
      step_(std::move(step)),
      batches_(std::move(batches)),
      run_(*this,
           {.batches = batches_.count, .bound = batches_.bound, .shards = step_->servers()}) {
  step_->KeepFirstValues();
}

std::vector<Tensor> AsynchronousEpoch::RunOnce(std::span<const Tensor> /*arguments*/,
                                               base::Team& team) {
  team_ = &team;
  GatherParts(ranks_);
  for (const graph::Graph& graph : step_->graphs()) RequireOneProgram(ranks_, graph);
  AsynchronousRun::Ranks taking{.workers = ranks_.roles().leaf_ranks(),
                                .servers = ranks_.roles().row_ranks(),
                                .run = ranks_.NextStep()};
  ranks_.BeginNotes();
  std::optional<Status> over;
  run_.Enter(ranks_.transport(), taking, [&over](const Status& status) { over = status; });
  ranks_.WaitUntil([&] { return over.has_value() || ranks_.aborted() != nullptr; });
  run_.Leave();
  if (!over.has_value()) {
    const net::Abort& abort = *ranks_.aborted();
    const Code code = abort.reason.code();
    const bool is_end = code == Code::kUnavailable || code == Code::kDeadlineExceeded;
    throw Error(is_end ? code : Code::kAborted,
                abort.reason.message() + " (rank " + std::to_string(abort.by) + " said so)");
  }
  over->OrThrow();
  ranks_.notes().BringsNotes();  // all ranks have met
  ranks_.notes().EndRun();
  step_->AssignFinals(run_.finals());
  return {};
}

std::unique_ptr<Shard> AsynchronousEpoch::MakeShard(int shard) {
  return step_->MakeShard(shard, *team_);
}

std::vector<net::Payload> AsynchronousEpoch::Compute(net::Transport& transport, int64_t batch) {
  const AsynchronousBatches::Batch data = batches_.batch(batch);
  return step_->Compute(transport, data.form, data.arguments, *team_);
}

}  // namespace lockstep::distribute
