#pragma once

#include <string>
#include <vector>

#include "collectives/plan.h"
#include "graph/graph.h"

/// Nodes by which ranks exchange tensors: _Exchange and _GatherVariables (ops/communication.cc).

namespace lockstep::distribute {

/// A sum whose parts lie on several ranks.
struct ExchangedSum {
  struct Part {
    collectives::Node node;
    int rank = 0;
  };
  std::string name;
  ops::TensorType type;
  std::vector<Part> parts;           // that exist, in the order of leaves
  std::vector<graph::Endpoint> own;  // this rank's, in this order
  std::vector<int> after;            // nodes before which it can't begin on any rank
  /// Where the ranks' rows of the sum begin; none: every rank wants all.
  std::vector<int64_t> borders;
};

/// Adds such nodes to the program of one rank.
class ExchangeNodes {
 public:
  ExchangeNodes(graph::Graph& graph, int rank, int ranks)
      : graph_(graph), rank_(rank), ranks_(ranks) {}

  /// All parts of the sum, or this rank's rows of them.
  std::vector<graph::Endpoint> AddSum(const ExchangedSum& sum);
  /// The ranks' rows of a value, in order; ranks without rows are left out. Where some ranks do not
  /// `want` them, they get none but their own.
  std::vector<graph::Endpoint> AddRows(graph::Endpoint own, const std::vector<int64_t>& borders,
                                       const std::vector<bool>* want = nullptr);
  /// What every rank has made for this one, a matrix with some rows, in order; ranks without rows
  /// are left out. `own[r]` is for rank r, `rows[r]` is how many rank r has; `all` is the type of
  /// all rows of what the ranks get together, side by side.
  std::vector<graph::Endpoint> AddBlocks(const std::string& name,
                                         const std::vector<graph::Endpoint>& own,
                                         const std::vector<int64_t>& rows,
                                         const ops::TensorType& all);
  /// Every rank gets the rows of a variable that the others have.
  graph::Node& AddGather(graph::Endpoint handle, const std::vector<int64_t>& borders);

 private:
  graph::Graph& graph_;
  const int rank_;
  const int ranks_;
};

/// A sum over ranks, or a gathering of rows.
bool IsExchange(const graph::Node& node);

/// Joins exchanges that can take place at once, up to `bytes` of values, and gives each a number.
/// The same on all ranks.
graph::Graph JoinExchanges(const graph::Graph& graph, int64_t bytes);

}  // namespace lockstep::distribute
