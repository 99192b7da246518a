#pragma once

#include "collectives/plan.h"
#include "graph/rows.h"

namespace lockstep::distribute {

/// The program of one rank: `graph`, which is a step on the whole global batch with its sums cut
/// into leaves (graph::CutIntoLeaves), made to work on the examples of the rank's block of leaves
/// alone. Rows become fewer; every sum over examples becomes partial sums over the block's nodes of
/// the canonical tree, followed by the asynchronous op CollectiveSum. Its bits are those of the
/// whole. Parameters that have rows take the rank's rows. InvalidArgument when the batch can't be
/// cut.
graph::Graph SpreadSums(const graph::Graph& graph, int64_t examples,
                        const std::vector<bool>& parameter_rows,
                        const std::vector<int64_t>& offsets, const collectives::Division& division,
                        int rank);

}  // namespace lockstep::distribute
