#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/data/dataset.h"
#include "lockstep/distribute/values.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// Which part of the input a function is asked for: see `Strategy::InputPipelines`. Source:
/// tf.distribute.InputContext.
struct InputContext {
  int num_input_pipelines = 1;
  int input_pipeline_id = 0;
  int num_replicas_in_sync = 1;
  /// The share of one replica. InvalidArgument when the replicas do not divide the batch.
  int64_t PerReplicaBatchSize(int64_t global_batch_size) const;
};

/// For which replica a function is asked. Source: tf.distribute.experimental.ValueContext.
struct ValueContext {
  int replica_id_in_sync_group = 0;
  int num_replicas_in_sync = 1;
};

/// Batches divided over replicas. `for (const auto& batch : dataset)` makes a pass; every batch is
/// a list of values per replica.
class DistributedDataset {
 public:
  using Batch = std::vector<PerReplica>;
  using Pass = std::function<std::optional<Batch>()>;
  explicit DistributedDataset(std::function<Pass()> begin) : begin_(std::move(begin)) {}

  class Iterator {
   public:
    Iterator() = default;
    explicit Iterator(Pass pass);
    const Batch& operator*() const { return *batch_; }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const {
      return batch_.has_value() != other.batch_.has_value();
    }

   private:
    Pass pass_;
    std::optional<Batch> batch_;
  };
  Iterator begin() const { return Iterator(begin_()); }
  Iterator end() const { return Iterator(); }
  /// A pass to be asked for batches by hand.
  Pass StartPass() const { return begin_(); }

 private:
  std::function<Pass()> begin_;
};

}  // namespace lockstep
