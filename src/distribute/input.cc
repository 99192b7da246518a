#include <algorithm>

#include "distribute/leaves.h"
#include "lockstep/distribute/dataset.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "ops/builder.h"
#include "tensor/buffer.h"

namespace lockstep {

namespace {

using Batch = std::vector<Tensor>;

int64_t ExamplesOf(const Batch& batch) {
  for (const Tensor& part : batch) {
    if (part.rank() > 0 && part.shape()[0] == batch[0].shape()[0]) continue;
    throw Error(Code::kInvalidArgument,
                "[distribute] all parts of a batch must have as many examples along axis 0; got " +
                    batch[0].shape().ToString() + " and " + part.shape().ToString());
  }
  return batch.empty() ? 0 : batch[0].shape()[0];
}

// What is there without any example: the same types with no rows.
Batch WithoutRows(const Batch& like) {
  Batch empty;
  for (const Tensor& part : like) {
    Shape shape = part.shape();
    shape.set_dim(0, 0);
    empty.push_back(
        Tensor::FromBuffer(tensor::Buffer::Allocate(part.dtype(), 0), part.dtype(), shape));
  }
  return empty;
}

// What feeds some of the replicas.
struct Pipeline {
  BatchSource source;
  bool ended = false;

  std::optional<Batch> Next() {
    std::optional<Batch> batch;
    if (!ended) batch = source();
    ended = !batch.has_value();
    if (batch) ExamplesOf(*batch);
    return batch;
  }
};

// One batch for each replica from its pipeline; nothing when all have ended.
std::optional<DistributedDataset::Batch> TakeOneEach(std::vector<Pipeline>& pipelines,
                                                     int replicas) {
  const size_t replicas_of_each = replicas / pipelines.size();
  std::vector<std::optional<Batch>> taken;
  for (int r = 0; r < replicas; ++r) taken.push_back(pipelines[r / replicas_of_each].Next());
  const auto first = std::find_if(taken.begin(), taken.end(), [](const auto& t) { return t; });
  if (first == taken.end()) return std::nullopt;
  const Batch none = WithoutRows(**first);
  DistributedDataset::Batch result;
  for (size_t part = 0; part < none.size(); ++part) {
    std::vector<Tensor> values;
    for (const auto& own : taken) values.push_back(own ? (*own)[part] : none[part]);
    result.emplace_back(std::move(values));
  }
  return result;
}

}  // namespace

int64_t InputContext::PerReplicaBatchSize(int64_t global_batch_size) const {
  if (global_batch_size % num_replicas_in_sync != 0) {
    throw Error(Code::kInvalidArgument,
                "[input_context] the replicas must divide the global batch; got " +
                    std::to_string(global_batch_size) + " examples for " +
                    std::to_string(num_replicas_in_sync) +
                    " replicas; use DistributeDataset, which cuts any batch");
  }
  return global_batch_size / num_replicas_in_sync;
}

DistributedDataset::Iterator::Iterator(Pass pass) : pass_(std::move(pass)), batch_(pass_()) {}

DistributedDataset::Iterator& DistributedDataset::Iterator::operator++() {
  batch_ = pass_();
  return *this;
}

std::vector<PerReplica> Strategy::Split(const std::vector<Tensor>& batch) const {
  const int64_t examples = ExamplesOf(batch);
  std::vector<int64_t> sizes;
  for (int r = 0; r < replicas_; ++r) {
    sizes.push_back(distribute::FirstOfReplica(examples, replicas_, r + 1) -
                    distribute::FirstOfReplica(examples, replicas_, r));
  }
  std::vector<PerReplica> shares;
  for (const Tensor& part : batch) {
    shares.emplace_back(replicas_ == 1 ? std::vector<Tensor>{part} : SplitV(part, sizes, 0));
  }
  return shares;
}

DistributedDataset Strategy::DistributeDataset(BatchSourceFactory batches) const {
  return DistributedDataset([this, batches = std::move(batches)]() -> DistributedDataset::Pass {
    return [this, source = batches()]() -> std::optional<DistributedDataset::Batch> {
      auto batch = source();
      if (!batch) return std::nullopt;
      return Split(*batch);
    };
  });
}

std::vector<InputContext> Strategy::InputPipelines() const {
  if (pipelines_ == Pipelines::kThisWorker)
    return {{num_workers(), std::max(0, worker()), replicas_}};
  std::vector<InputContext> contexts;
  const int count = pipelines_ == Pipelines::kEachReplica ? replicas_ : 1;
  for (int i = 0; i < count; ++i) contexts.push_back({count, i, replicas_});
  return contexts;
}

DistributedDataset Strategy::DistributeDatasetsFromFunction(
    const std::function<BatchSourceFactory(const InputContext&)>& function) const {
  std::vector<BatchSourceFactory> inputs;
  for (const InputContext& context : InputPipelines()) inputs.push_back(function(context));
  return DistributedDataset(
      [replicas = replicas_, inputs = std::move(inputs)]() -> DistributedDataset::Pass {
        std::vector<Pipeline> pipelines;
        for (const BatchSourceFactory& input : inputs) pipelines.push_back({input()});
        return [replicas, pipelines = std::move(pipelines)]() mutable {
          return TakeOneEach(pipelines, replicas);
        };
      });
}

PerReplica Strategy::DistributeValuesFromFunction(
    const std::function<Tensor(const ValueContext&)>& function) const {
  std::vector<Tensor> values;
  for (int r = 0; r < replicas_; ++r)
    values.push_back(function({.replica_id_in_sync_group = r, .num_replicas_in_sync = replicas_}));
  return PerReplica(std::move(values));
}

}  // namespace lockstep
