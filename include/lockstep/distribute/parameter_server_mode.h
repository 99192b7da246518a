#pragma once

#include <string>

namespace lockstep {

/// When a worker's update counts, and what others may have done meanwhile. One argument chooses.
class ParameterServerMode {
 public:
  enum class Kind { kSynchronous, kBoundedStaleness, kAsynchronous };

  /// Every step is one batch that all workers share: the bits of one process.
  static ParameterServerMode Synchronous() { return {Kind::kSynchronous, 0}; }
  /// Each worker has batches of its own, and is at most `steps` of them ahead of what all have
  /// done: so many versions may lie between what it read and what it updates. InvalidArgument when
  /// negative.
  static ParameterServerMode BoundedStaleness(int steps);
  /// Each worker has batches of its own; updates count as they come.
  static ParameterServerMode Asynchronous() { return {Kind::kAsynchronous, 0}; }

  Kind kind() const { return kind_; }
  /// The bound; 0 in the other modes.
  int staleness() const { return staleness_; }
  /// "synchronous", "bounded staleness 3", "asynchronous"
  std::string ToString() const;
  bool operator==(const ParameterServerMode&) const = default;

 private:
  ParameterServerMode(Kind kind, int staleness) : kind_(kind), staleness_(staleness) {}
  Kind kind_;
  int staleness_;
};

}  // namespace lockstep
