#include "distribute/programs/told_values.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "graph/segments.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;
using Numbers = std::vector<int64_t>;

// As the ranks that work are sent them too.
constexpr size_t kMostToldBytes = size_t{256} << 10;
constexpr const char* kTells = "tells_resting";

// The bytes of a variable that can be told; nothing: it can't.
std::optional<size_t> BytesOf(const Tensor* handle) {
  if (handle == nullptr) return std::nullopt;
  const auto* cell = dynamic_cast<const runtime::VariableCell*>(handle->object().get());
  if (cell == nullptr || cell->dtype() == DType::kString || !cell->shape().fully_known())
    return std::nullopt;
  return static_cast<size_t>(cell->shape().num_elements()) * DTypeSize(cell->dtype());
}

}  // namespace

std::optional<std::vector<Endpoint>> FindToldValues(const graph::Graph& graph,
                                                    const graph::RowAnalysis& analysis,
                                                    const UpdateSlices& slices,
                                                    const WholeUpdates& whole) {
  if (!graph.results().empty()) return std::nullopt;
  std::set<const void*> in_rows;  // variables that come by rows
  for (const UpdateSlices::Written& written : slices.variables)
    in_rows.insert(ObjectOf(graph, written.handle));
  for (const auto& [sum, update] : whole.updates)
    for (const UpdateSlices::Written& written : update.variables)
      in_rows.insert(ObjectOf(graph, written.handle));
  std::vector<Endpoint> told;
  std::set<const void*> known;
  size_t bytes = 0;
  for (const Node& node : graph.nodes()) {
    if (node.spec->effects.external) return std::nullopt;
    if (slices.nodes.contains(node.id) || whole.Of(node.id) != nullptr) continue;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!graph::IsHandle(graph, node.inputs[i]) || node.spec->view ||
          !ops::HasBit(node.spec->effects.writes, i))
        continue;
      const Tensor* handle = graph.constant(node.inputs[i]);
      const auto size = BytesOf(handle);
      const bool has_rows = std::any_of(
          node.inputs.begin(), node.inputs.end(),
          [&](Endpoint input) { return analysis.has_rows[input.node][input.index] != 0; });
      if (!size || has_rows || in_rows.contains(handle->object().get())) return std::nullopt;
      if (!known.insert(handle->object().get()).second) continue;
      told.push_back(node.inputs[i]);
      bytes += *size;
    }
  }
  if (bytes > kMostToldBytes) return std::nullopt;
  return told;
}

bool TellByGatherings(graph::Graph& graph, const Roles& roles) {
  int last = -1;
  for (const Node& node : graph.nodes())
    if (node.spec->name == "_GatherVariables") last = node.id;
  if (last < 0) return false;
  graph.node(last).attributes.Set(kTells, int64_t{1});
  for (int id = 0; id < graph.num_nodes(); ++id) {
    Node& node = graph.node(id);
    if (node.spec->name != "_Exchange") continue;
    Numbers kept;
    const Numbers& send = node.attributes.Get<Numbers>("send");  // peer, input, begin, bytes
    for (size_t i = 0; i < send.size(); i += 4) {
      if (!roles.Rests(static_cast<int>(send[i])))
        kept.insert(kept.end(), send.begin() + static_cast<std::ptrdiff_t>(i),
                    send.begin() + static_cast<std::ptrdiff_t>(i) + 4);
    }
    node.attributes.Set("send", std::move(kept));
  }
  return true;
}

std::vector<Communicator::Part> Gathered(const graph::Graph& graph, const Roles& roles) {
  std::vector<Communicator::Part> parts;
  for (const Node& node : graph.nodes()) {
    if (node.spec->name != "_GatherVariables") continue;
    auto rows = node.attributes.Get<Numbers>("borders").begin();  // one variable's after another's
    for (const Endpoint handle : node.inputs) {
      const auto end = rows + roles.num_ranks() + 1;
      parts.push_back({*graph.constant(handle), Numbers(rows, end), roles.resting()});
      rows = end;
    }
  }
  return parts;
}

bool TellsResting(const Node& exchange) {
  return exchange.attributes.GetOr<int64_t>(kTells, 0) != 0;
}

}  // namespace lockstep::distribute
