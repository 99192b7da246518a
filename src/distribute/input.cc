#include <algorithm>

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

// One batch for each replica from a source; nothing when it has ended.
std::optional<DistributedDataset::Batch> TakeOneEach(const BatchSource& source, int replicas,
                                                     bool* ended) {
  std::vector<Batch> taken;
  while (static_cast<int>(taken.size()) < replicas && !*ended) {
    if (auto batch = source()) {
      ExamplesOf(*batch);
      taken.push_back(std::move(*batch));
    } else {
      *ended = true;
    }
  }
  if (taken.empty()) return std::nullopt;
  while (static_cast<int>(taken.size()) < replicas) taken.push_back(WithoutRows(taken[0]));
  DistributedDataset::Batch result;
  for (size_t part = 0; part < taken[0].size(); ++part) {
    std::vector<Tensor> values;
    for (const Batch& own : taken) values.push_back(own[part]);
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
  for (int64_t r = 0; r < replicas_; ++r) {
    sizes.push_back(examples * (r + 1) / replicas_ - examples * r / replicas_);
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

DistributedDataset Strategy::DistributeDatasetsFromFunction(
    const std::function<BatchSourceFactory(const InputContext&)>& function) const {
  const int replicas = replicas_;
  BatchSourceFactory batches = function(
      {.num_input_pipelines = 1, .input_pipeline_id = 0, .num_replicas_in_sync = replicas});
  return DistributedDataset([replicas, batches = std::move(batches)]() -> DistributedDataset::Pass {
    return [replicas, source = batches(), ended = false]() mutable {
      return TakeOneEach(source, replicas, &ended);
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
