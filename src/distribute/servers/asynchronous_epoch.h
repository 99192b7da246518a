#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "distribute/servers/asynchronous_run.h"
#include "distribute/servers/asynchronous_step.h"
#include "distribute/workers/journal.h"

namespace lockstep::distribute {

/// What an epoch's batches are, as a worker asks.
struct AsynchronousBatches {
  int64_t count = 0;
  /// How far a worker may be ahead of what all have done; -1: as far as it likes.
  int64_t bound = -1;
  struct Batch {
    size_t form = 0;
    std::vector<Tensor> arguments;
  };
  std::function<Batch(int64_t)> batch;
  /// Called by the worker that has computed a batch, when it counts.
  std::function<void(int64_t)> committed;
};

/// An epoch of asynchronous training as one call of the journal: whoever dies in it, the servers'
/// states go on. Where all copies of something are lost, it begins anew, from the values before it.
/// Who is told of its end has the values of the end for those who come to it later.
class AsynchronousEpoch final : public Repeatable, public AsynchronousWork {
 public:
  AsynchronousEpoch(Communicator& ranks, std::shared_ptr<AsynchronousStep> step,
                    AsynchronousBatches batches);

  std::vector<Tensor> RunOnce(std::span<const Tensor> arguments, base::Team& team) override;
  const Snapshot::Cells& cells() const override { return step_->cells(); }

  /// No further batch is begun.
  void Stop() { run_.Stop(); }
  const AsynchronousRun& run() const { return run_; }

  std::unique_ptr<Shard> MakeShard(int shard) override;
  void Take(int shard, const net::Payload& values) override { step_->Take(shard, values); }
  std::vector<net::Payload> Compute(net::Transport& transport, int64_t batch) override;
  void Committed(int64_t batch) override {
    if (batches_.committed) batches_.committed(batch);
  }

 private:
  Communicator& ranks_;
  const std::shared_ptr<AsynchronousStep> step_;
  const AsynchronousBatches batches_;
  base::Team* team_ = nullptr;
  AsynchronousRun run_;
};

}  // namespace lockstep::distribute
