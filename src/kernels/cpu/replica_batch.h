#pragma once

#include <algorithm>
#include <span>

#include "kernels/cpu/leaves_of.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {

/// The rows and leaves of a batch x [n, ..., channels] that belong to replicas; see
/// ops/batch_statistics.h.
struct ReplicaBatch {
  int64_t rows, inner, channels;
  LeafTable replicas;  // R + 1 rows
  LeafTable leaves;    // as many for every replica
  int64_t leaves_per_replica;

  ReplicaBatch(const Shape& shape, const ops::Attributes& attributes, const LeafTable& cut)
      : rows(shape[0]),
        inner(shape.product(1, shape.rank() - 1)),
        channels(shape[shape.rank() - 1]),
        replicas(attributes.Get<std::vector<int64_t>>("replicas")),
        leaves(cut) {
    if (replicas.empty()) replicas = {0, rows};
    if (leaves.empty()) leaves = replicas;
    leaves_per_replica = (static_cast<int64_t>(leaves.size()) - 1) / count();
    RequireLeaves(replicas, rows);
    RequireLeaves(leaves, rows);
    for (int64_t r = 0; r <= count(); ++r) {
      if (leaves[r * leaves_per_replica] == replicas[r]) continue;
      throw Error(Code::kInvalidArgument,
                  "[batch_statistics] every replica must have as many leaves; got leaves " +
                      tensor::ListText(leaves) + " and replicas " + tensor::ListText(replicas));
    }
  }

  int64_t count() const { return static_cast<int64_t>(replicas.size()) - 1; }
  /// How many elements a channel of replica `r` has.
  int64_t elements(int64_t r) const { return (replicas[r + 1] - replicas[r]) * inner; }
  std::span<const int64_t> leaves_of(int64_t r) const {
    return std::span(leaves).subspan(r * leaves_per_replica, leaves_per_replica + 1);
  }
  /// The replica of `row`.
  int64_t replica_of(int64_t row) const {
    return std::upper_bound(replicas.begin(), replicas.end(), row) - replicas.begin() - 1;
  }
};

}  // namespace lockstep::kernels
