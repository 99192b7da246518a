#pragma once

#include "graph/graph.h"

namespace lockstep::runtime {

/// A stand-in for a value of which only the type counts: it has no elements to be read, so it must
/// not stay in a graph, which may be copied or sent.
Tensor OfShape(const ops::TensorType& type);

/// Computes at once what depends on constants and on shapes only, with the kernels that would have
/// computed it later, so no bit changes. Large results stay nodes. All types must be known.
graph::Graph FoldConstants(const graph::Graph& graph);

}  // namespace lockstep::runtime
