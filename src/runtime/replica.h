#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace lockstep::runtime {

/// A variable of which every replica has a copy, as a graph names it that is traced once for all
/// replicas.
class ReplicaCells : public TensorObject {
 public:
  explicit ReplicaCells(std::vector<Tensor> handles) : handles_(std::move(handles)) {}
  /// Each replica's handle.
  const std::vector<Tensor>& handles() const { return handles_; }

 private:
  std::vector<Tensor> handles_;
};

/// As which replica the calling thread runs; -1: as none.
int CurrentReplica();
class ReplicaNumberScope {
 public:
  explicit ReplicaNumberScope(int replica);
  ~ReplicaNumberScope();
  ReplicaNumberScope(const ReplicaNumberScope&) = delete;
  ReplicaNumberScope& operator=(const ReplicaNumberScope&) = delete;

 private:
  int outer_;
};

/// Whether `graph`, or a body in it, names variables of which every replica has a copy.
bool HasReplicaCells(const graph::Graph& graph);
/// Whether `graph`, or a body in it that the same replica runs, has ops in which replicas meet.
bool ReplicasMeetIn(const graph::Graph& graph);
/// The handles of the variables that `graph` and the bodies in it name, in the order in which they
/// are named first: of each its copies for the replicas, or the one.
std::vector<std::vector<Tensor>> CopiesIn(const graph::Graph& graph);
/// The same, all copies in a row.
std::vector<Tensor> VariablesIn(const graph::Graph& graph);
/// The same graph, in which those are the copies of `replica`.
graph::Graph ForReplica(const graph::Graph& graph, int replica);

/// Counts how often a variable got a copy for every replica; what was traced before such a change
/// names the wrong places.
uint64_t VariableLayout();
void ChangeVariableLayout();

}  // namespace lockstep::runtime
