#pragma once

#include "graph/graph.h"

namespace lockstep::graph {

// Each pass returns a graph that computes the same bits. A pass lives in a file of its own.

/// Drops nodes that neither a result nor an effect depends on. Parameters stay.
Graph Prune(const Graph& graph);
/// Joins nodes that compute the same: equal ops, attributes and inputs, without effects.
Graph RemoveDuplicates(const Graph& graph);
/// Replaces a product followed by a bias and perhaps a relu by one op.
Graph FuseProducts(const Graph& graph);
/// Lets attention take heads and positions as they lie, where they are transposed around it.
Graph FuseHeads(const Graph& graph);
/// Lets a rectifier's gradient pass before a maximum pooling's instead of after it.
Graph MaskBeforeUnpooling(const Graph& graph);
/// Replaces rows taken from a table of bytes, cast to float32 and scaled, by one op.
Graph FuseGathers(const Graph& graph);
/// Moves the product that makes a weight's gradient into the weight's update, where nobody else
/// takes the gradient and the product sums over few examples.
Graph FuseUpdates(const Graph& graph);
/// Lets products take bytes where they alone take the numbers that these were cast to and scaled.
Graph FuseBytes(const Graph& graph);

/// All passes, in the order in which they help each other.
Graph Simplify(const Graph& graph);

}  // namespace lockstep::graph
