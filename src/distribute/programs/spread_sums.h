#pragma once

#include <set>
#include <vector>

#include "collectives/plan.h"
#include "distribute/workers/communicator.h"
#include "graph/graph.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::distribute {

struct SpreadOptions {
  int64_t examples = 0;
  /// Which parameters have an example a row along axis 0; each rank takes its rows of these.
  std::vector<bool> has_rows;
  /// The leaves, in examples, and which rank has which of them.
  std::vector<int64_t> offsets;
  collectives::Division division = collectives::Division::Even(0, 1);
  int rank = 0;
  /// Of the division's ranks, which take rows of updates; of no rank: all do.
  Roles roles;
  /// Sums over examples with at least so many elements are shared out by rows where what follows
  /// from them can be; 0: none is.
  int64_t slice_from = 0;
  /// Sums travel together until they are so large.
  int64_t bucket_bytes = 4 << 20;
};

/// What one rank runs.
struct SpreadProgram {
  graph::Graph graph;
  /// Variables of which this rank has only its rows up to date, once the program has run.
  std::vector<Communicator::Part> parts;
  /// Variables that ops of any rank's program take whole; the same on all ranks.
  std::set<const void*> taken_whole;
  /// Who has examples and rows, and who rests.
  Roles roles;
  /// Whether those get all that a step writes from the others, and compute nothing.
  bool resting_are_told = false;
  /// What they are told, and are behind with where they are not.
  std::vector<Communicator::Part> told;
  /// What the exchanges of a run carry to all; the same on all ranks.
  int64_t exchanged_bytes = 0;
};

/// The program of one rank: `graph`, which is a step on the whole global batch with its sums cut
/// into leaves (graph::CutIntoLeaves), made to work on the examples of the rank's block of leaves
/// alone. Rows become fewer; every sum over examples becomes partial sums over the block's nodes of
/// the canonical tree, the asynchronous op _Exchange, and the rest of the tree. Large sums are
/// exchanged by rows, updates are done on these, and the new values gathered (_GatherVariables).
/// Results with rows are gathered too. Its bits are those of the whole. Errors: InvalidArgument
/// when the batch can't be cut; Unimplemented, naming the op, when an op can't work on fewer rows.
SpreadProgram SpreadSums(const graph::Graph& graph, SpreadOptions options);

/// The programs of all ranks, by rank, for who has them all at hand; `options.rank` is not looked
/// at. Errors: those of SpreadSums.
std::vector<SpreadProgram> SpreadSumsOverAll(const graph::Graph& graph, SpreadOptions options);

}  // namespace lockstep::distribute
