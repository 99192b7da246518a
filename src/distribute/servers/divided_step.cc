#include "distribute/servers/divided_step.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "distribute/programs/exchange_nodes.h"
#include "distribute/programs/spread_sums.h"
#include "graph/rewrite.h"
#include "graph/segments.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;
using Numbers = std::vector<int64_t>;

bool Changes(const Node& node) {
  return node.spec->effects.writes != 0 || node.spec->effects.external;
}

// By node: whether `wanted` needs it, where exchanges need nothing.
std::vector<char> NeededFor(const graph::Graph& graph, std::vector<char> wanted) {
  for (int id = graph.num_nodes() - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    if (wanted[id] == 0 || IsExchange(node)) continue;
    for (Endpoint input : node.inputs) wanted[input.node] = 1;
    for (int control : node.control_inputs) wanted[control] = 1;
  }
  return wanted;
}

bool IsAny(const graph::Graph& graph, const std::vector<char>& nodes, bool (*what)(const Node&)) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [&](const Node& node) { return nodes[node.id] != 0 && what(node); });
}

bool IsParameter(const Node& node) { return node.spec->name == "Arg"; }

// Whether one of `nodes` comes after a node that changes what it takes: the order of the program is
// that of its effects.
bool TakeWhatChanged(const graph::Graph& graph, const std::vector<char>& nodes) {
  std::set<const TensorObject*> changed;
  const auto resource = [&](Endpoint e) {
    const Tensor* handle = graph::ResourceOf(graph, e);
    return handle == nullptr ? nullptr : handle->object().get();
  };
  for (const Node& node : graph.nodes()) {
    for (Endpoint input : node.inputs) {
      if (!graph::IsHandle(graph, input)) continue;
      // Of a handle that only the run tells, it may be any variable.
      if (nodes[node.id] != 0 && (resource(input) == nullptr ? !changed.empty()
                                                             : changed.contains(resource(input)) ||
                                                                   changed.contains(nullptr)))
        return true;
      if (node.spec->effects.writes != 0) changed.insert(resource(input));
    }
  }
  return false;
}

// What a rank's program computes before it exchanges sums.
std::optional<DividedStep::Part> PartOf(const graph::Graph& program) {
  std::vector<char> wanted(program.num_nodes(), 0);
  for (const Node& node : program.nodes()) {
    if (!IsExchange(node)) continue;
    for (Endpoint input : node.inputs) wanted[input.node] = 1;
  }
  const std::vector<char> needed = NeededFor(program, std::move(wanted));
  if (IsAny(program, needed, Changes) || IsAny(program, needed, IsExchange) ||
      TakeWhatChanged(program, needed))
    return std::nullopt;
  DividedStep::Part part;
  graph::Rewriter rewriter(program);
  std::vector<Endpoint> results;
  size_t first_output = 0;
  for (const Node& node : program.nodes()) {
    if (needed[node.id] != 0 || IsParameter(node)) rewriter.Keep(node);
    if (!IsExchange(node)) continue;
    const Numbers& keep = node.attributes.Get<Numbers>("keep");  // output, input, first byte
    for (size_t i = 0; i < keep.size(); i += 3) {
      part.gives.push_back(first_output + static_cast<size_t>(keep[i]));
      results.push_back(rewriter.Mapped(node.inputs[keep[i + 1]]));
    }
    first_output += node.outputs.size();
  }
  part.graph = std::move(rewriter.result());
  part.graph.results() = std::move(results);
  return part;
}

// What follows from the sums; the same for all ranks.
std::optional<graph::Graph> RestOf(const graph::Graph& program) {
  std::vector<char> wanted(program.num_nodes(), 0);
  for (const Node& node : program.nodes()) wanted[node.id] = Changes(node) ? 1 : 0;
  for (Endpoint result : program.results()) wanted[result.node] = 1;
  const std::vector<char> needed = NeededFor(program, std::move(wanted));
  if (IsAny(program, needed, IsParameter)) return std::nullopt;
  graph::Rewriter rewriter(program);
  for (const Node& node : program.nodes()) {
    if (IsExchange(node)) {
      for (size_t i = 0; i < node.outputs.size(); ++i)
        rewriter.Map({node.id, static_cast<int>(i)},
                     rewriter.result().AddParameter(node.outputs[i]));
    } else if (needed[node.id] != 0) {
      rewriter.Keep(node);
    }
  }
  return rewriter.Finish();
}

}  // namespace

std::optional<DividedStep> DivideStep(const graph::Graph& step, const std::vector<int64_t>& offsets,
                                      int workers) {
  const auto leaves = static_cast<collectives::Leaf>(offsets.size()) - 1;
  const int ranks = static_cast<int>(std::min<int64_t>(workers, leaves));
  if (ranks < 2) return std::nullopt;
  const auto division = collectives::Division::Even(leaves, ranks);
  std::vector<SpreadProgram> programs;
  try {
    programs =
        SpreadSumsOverAll(step, {.examples = offsets.back(),
                                 .has_rows = std::vector<bool>(step.parameters().size(), true),
                                 .offsets = offsets,
                                 .division = division,
                                 .bucket_bytes = std::numeric_limits<int64_t>::max()});
  } catch (const Error&) {
    return std::nullopt;
  }
  DividedStep divided;
  for (int rank = 0; rank < ranks; ++rank) {
    auto part = PartOf(programs[rank].graph);
    if (!part) return std::nullopt;
    const collectives::Node block = division.block(rank);
    part->first = offsets[block.begin];
    part->examples = offsets[block.end] - part->first;
    if (!part->gives.empty()) divided.parts.push_back(std::move(*part));
  }
  auto rest = RestOf(programs.front().graph);
  if (!rest || divided.parts.size() < 2) return std::nullopt;
  divided.rest = std::move(*rest);
  return divided;
}

}  // namespace lockstep::distribute
