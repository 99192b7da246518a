#pragma once

#include <optional>
#include <vector>

#include "distribute/programs/update_slices.h"
#include "distribute/programs/whole_updates.h"
#include "distribute/workers/communicator.h"
#include "graph/graph.h"

namespace lockstep::distribute {

/// The variables, as constants of the program, that a step writes whole on every rank that works,
/// where ranks that rest (Roles) need only be told these, and the rows of weights, to be where the
/// others are: the step has no results and no effects outside, and the values are few. Else
/// nothing: who rests computes them.
std::optional<std::vector<graph::Endpoint>> FindToldValues(const graph::Graph& graph,
                                                           const graph::RowAnalysis& analysis,
                                                           const UpdateSlices& slices,
                                                           const WholeUpdates& whole);

/// In a joint program (JoinExchanges) of which ranks that rest are told all by gatherings: the last
/// one brings them the notes too, and nothing else is sent to them. The same on all ranks. False:
/// there is none.
bool TellByGatherings(graph::Graph& graph, const Roles& roles);

/// What the gatherings of such a program bring, which those who rest are behind with where they are
/// told nothing.
std::vector<Communicator::Part> Gathered(const graph::Graph& graph, const Roles& roles);

/// Whether an exchange brings notes to ranks that rest in such a program.
bool TellsResting(const graph::Node& exchange);

}  // namespace lockstep::distribute
