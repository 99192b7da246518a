#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// How values of replicas become one. MEAN is the sum divided by the number of contributions.
/// Source: tf.distribute.ReduceOp.
enum class ReduceOp { kSum, kMean };
/// "SUM", "MEAN".
std::string_view ReduceOpName(ReduceOp op);

/// A value for each replica, or one that is the same for all. An entry may be an empty tensor: the
/// replica contributes nothing. Source: tf.distribute.DistributedValues.
class PerReplica {
 public:
  PerReplica() = default;
  /// The same for all replicas.
  PerReplica(Tensor same) : values_{std::move(same)} {}  // NOLINT: implicit by design
  template <typename T>
  requires std::integral<T> || std::floating_point<T> PerReplica(T same)  // NOLINT: implicit
      : values_{Tensor(same)} {}
  /// One for each replica, in their order. InvalidArgument when there is none.
  explicit PerReplica(std::vector<Tensor> values);

  /// Whether all replicas have the same value.
  bool is_same() const { return same_; }
  const std::vector<Tensor>& values() const { return values_; }
  /// The value of replica `replica`.
  const Tensor& value(int replica) const { return same_ ? values_[0] : values_.at(replica); }
  /// The value where it is the same for all; InvalidArgument otherwise, naming the cure.
  operator Tensor() const;  // NOLINT: implicit by design
  std::string ToString() const;

 private:
  std::vector<Tensor> values_;
  bool same_ = true;
};

}  // namespace lockstep
