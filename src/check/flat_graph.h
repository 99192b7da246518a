#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "graph/graph_def.h"
#include "lockstep/base/status.h"

namespace lockstep::graph_def {
class FunctionDefLibrary;
}

namespace lockstep::check {

/// What a node waits for: output `output` of node `from`, or with -1 that it is done. `loop` >= 0:
/// what the iteration before gave.
struct Edge {
  int from = -1;
  int output = -1;
  int loop = -1;
};

/// "The predicate at this place has this value": under which a branch runs. An output below zero is
/// a statement of its own about the node, and the node -1 what never is.
struct Literal {
  int node = -1;
  int output = 0;
  int value = 0;
  bool operator==(const Literal&) const = default;
};

/// A node after all calls are expanded. A call becomes a begin, which waits for all its inputs, the
/// nodes of its body, an end, which waits for all of them, and a join for each result.
struct FlatNode {
  enum class Kind : uint8_t { kOp, kBegin, kEnd, kJoin };
  // What takes a branch: truth, a number, or any number that no branch before it has.
  enum class Branch : uint8_t { kTruth, kNumber, kOther };
  Kind kind = Kind::kOp;
  const graph_def::NodeDef* def = nullptr;  // of markers: the call
  int scope = 0;
  int line = 0;
  std::vector<Edge> inputs;  // data, by position; of joins: any of them is the value
  std::vector<Edge> controls;
  int base = -1;                   // of markers: the node under whose conditions it runs
  std::vector<Literal> literal;    // a condition of its own: the begin of a branch
  Branch branch = Branch::kTruth;  // how it is meant
  bool fetched = false;            // the run asks for what it gives
  bool elsewhere = false;          // is carried out in another run, and here for what it leads to
  int enters = -1;                 // the loop that begins here
  bool exits = false;              // the loop of its inputs ends here
  bool merges = false;             // of joins: goes on as soon as one of its inputs has come
  int loop = -1;                   // the innermost loop around it
  int argument = -1;               // of a function that nobody calls
};

/// The graph, or one call of a function.
struct Scope {
  std::string path;      // "call/body/", put before nodes' names
  std::string function;  // empty: the graph itself
  int parent = -1;
  int begin = -1, end = -1;  // in the parent
};

struct Loop {
  int parent = -1;
  int64_t parallel = 10;  // how many iterations may be in flight
  std::string name;
};

struct FlatGraph {
  const graph_def::FunctionDefLibrary* library = nullptr;
  std::vector<FlatNode> nodes;
  std::vector<Scope> scopes;
  std::vector<Loop> loops;
  std::vector<int> order;  // a topological one without edges of loops, else that of the text
  std::vector<int> rank;   // the place of each node in it
  std::vector<std::vector<Edge>> successors;  // `from` is the successor

  std::string NameOf(int node) const;
  /// The loops around a node, the outermost first.
  std::vector<int> LoopsOf(int node) const;
  /// Whether loop `outer` is `inner` or around it.
  bool Around(int outer, int inner) const;
};

/// Whether it is an op of the graph with one of these names.
bool IsOp(const FlatNode& node, std::initializer_list<const char*> ops);

/// Expands the given nodes of the graph (numbers in its list), of which some are fetched, and some
/// are carried out elsewhere. Errors: InvalidArgument for names that are not there and for cycles,
/// ResourceExhausted past 500,000 nodes.
Result<FlatGraph> Flatten(const graph::ReadGraph& read, const std::vector<int>& nodes,
                          const std::vector<int>& fetched = {},
                          const std::vector<int>& elsewhere = {});
/// The same for function `index` of the library, whose arguments are nobody's.
Result<FlatGraph> FlattenFunction(const graph::ReadGraph& read, int index);

/// The functions whose bodies take a call's place, or else the op's own name.
std::vector<std::string> FunctionsOf(const graph_def::NodeDef& node);

/// Finds the loops of version 1, the loop of each node, successors and a topological order.
Status FindLoops(FlatGraph* flat, const std::string& where);

/// "(graph.pbtxt:12)".
std::string PlaceOf(const std::string& where, int line);

}  // namespace lockstep::check
