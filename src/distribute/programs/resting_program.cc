#include "distribute/programs/resting_program.h"

#include <algorithm>
#include <vector>

#include "graph/rewrite.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;

bool IsSum(const Node& node) { return node.spec->name == "_Exchange"; }

// Whether it says something to others, or keeps something of its own.
bool TakesInputs(const Node& exchange) {
  return !exchange.attributes.Get<std::vector<int64_t>>("send").empty() ||
         !exchange.attributes.Get<std::vector<int64_t>>("keep").empty();
}

// The first exchange carries notes. What others send is to be taken.
bool MustMeet(const Node& node) {
  return IsSum(node) && (node.attributes.Get<int64_t>("bucket") == 0 || TakesInputs(node) ||
                         !node.attributes.Get<std::vector<int64_t>>("receive").empty());
}

bool IsOfNoRows(const graph::Graph& program, Endpoint handle) {
  const Node& node = program.node(handle.node);
  return node.spec->name == "_VariableRows" && node.attributes.Get<int64_t>("size") == 0;
}

bool WritesSomething(const graph::Graph& program, const Node& node) {
  return node.spec->effects.writes != 0 &&
         std::none_of(node.inputs.begin(), node.inputs.end(),
                      [&](Endpoint input) { return IsOfNoRows(program, input); });
}

std::vector<char> NeededByTold(const graph::Graph& program) {
  std::vector<char> needed(program.num_nodes(), 0);
  for (const Node& node : program.nodes()) {
    if (node.spec->name == "Arg") needed[node.id] = 1;
    if (node.spec->name != "_GatherVariables") continue;
    needed[node.id] = 1;
    for (const Endpoint input : node.inputs) needed[input.node] = 1;
  }
  return needed;
}

std::vector<char> Needed(const graph::Graph& program) {
  std::vector<char> needed(program.num_nodes(), 0);
  for (const Endpoint result : program.results()) needed[result.node] = 1;
  for (int id = program.num_nodes() - 1; id >= 0; --id) {
    const Node& node = program.node(id);
    if (node.spec->effects.external || node.spec->name == "Arg" || MustMeet(node) ||
        WritesSomething(program, node))
      needed[id] = 1;
    if (needed[id] == 0) continue;
    // Where others wait, they wait for their own rows.
    if (IsSum(node) && !TakesInputs(node)) continue;
    for (const Endpoint input : node.inputs) needed[input.node] = 1;
    if (IsSum(node)) continue;
    for (const int control : node.control_inputs) needed[control] = 1;
  }
  return needed;
}

}  // namespace

graph::Graph RestingProgram(const graph::Graph& program, bool is_told) {
  const std::vector<char> needed = is_told ? NeededByTold(program) : Needed(program);
  graph::Rewriter rewriter(program);
  for (const Node& node : program.nodes()) {
    if (needed[node.id] == 0) continue;
    Node& kept = IsSum(node) && !TakesInputs(node)
                     ? rewriter.Replace(node, "_Exchange", {}, node.attributes)
                     : rewriter.Keep(node);
    if (!IsSum(node) && !is_told) continue;
    kept.name = node.name;
    kept.control_inputs.clear();
  }
  return rewriter.Finish();
}

}  // namespace lockstep::distribute
