#pragma once

#include <map>
#include <set>
#include <vector>

#include "distribute/programs/update_slices.h"
#include "distribute/workers/roles.h"
#include "graph/rows.h"

namespace lockstep::distribute {

/// Updates that need the whole of a gradient, as for a norm over it or a product with it: each is
/// made by one rank, which alone gets the sum, and the others get the weight.
struct WholeUpdates {
  struct Update {
    int owner = 0;  // the rank
    /// Of the update: all that follows from the sum, down to the writes.
    std::set<int> nodes;
    /// What comes into these from elsewhere, the sum too.
    std::set<int> inputs;
    std::vector<UpdateSlices::Written> variables;
  };
  /// By the sum's node.
  std::map<int, Update> updates;

  /// The update that a node is part of; null: none.
  const Update* Of(int node) const;
};

/// Of the sums with at least `least` elements that `slices` leaves whole, those whose update
/// nothing else takes part in. The owners have about equally much to do.
WholeUpdates FindWholeUpdates(const graph::Graph& graph, const graph::RowAnalysis& analysis,
                              const UpdateSlices& slices, const Roles& roles, int64_t least);

/// Where the rows of each rank begin, and `rows`: all are the owner's.
std::vector<int64_t> BordersOfOwner(int64_t rows, int owner, int ranks);

}  // namespace lockstep::distribute
