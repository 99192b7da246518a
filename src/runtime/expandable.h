#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::runtime {

/// A program that runs as one op, whose attribute "program" it is, and that can be written out
/// instead: then gradients flow through it.
class Expandable {
 public:
  virtual ~Expandable() = default;
  /// Emits the ops of the program on the builder in force, with the op's inputs; the op's outputs,
  /// bit for bit.
  virtual std::vector<Tensor> Expand(const std::vector<Tensor>& inputs) = 0;
};

/// The program of an op with these attributes, else nullptr.
Expandable* ExpandableIn(const ops::Attributes& attributes);
/// Whether `graph`, bodies left aside, has such ops.
bool HasExpandable(const graph::Graph& graph);
/// `graph` with such ops written out.
graph::Graph Expanded(const graph::Graph& graph);

}  // namespace lockstep::runtime
