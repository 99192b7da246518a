#include "lockstep/check/graph_races.h"

#include "base/log.h"
#include "check/find_in_graph.h"
#include "graph/graph_def.pb.h"
#include "runtime/graph_export.h"

namespace lockstep {

namespace {

// As if the graph had been read from a file without lines.
graph::ReadGraph AsRead(std::shared_ptr<graph_def::GraphDef> graph, const std::string& where) {
  graph::ReadGraph read{.graph = std::move(graph), .where = where};
  read.node_lines.assign(read.graph->node_size(), 0);
  for (const auto& function : read.graph->library().function()) {
    read.function_node_lines.emplace_back(function.node_def_size(), 0);
  }
  return read;
}

}  // namespace

Result<std::vector<StaticRace>> FindRaces(const Graph& graph, const StaticRaceOptions& options) {
  return check::FindInGraph(AsRead(runtime::ExportGraph(graph), "graph"), options);
}

Result<std::vector<StaticRace>> FindRaces(const Function& function,
                                          const std::vector<Tensor>& arguments,
                                          bool automatic_control_dependencies) {
  auto exported = runtime::ExportFunction(function, arguments, automatic_control_dependencies);
  return check::FindInGraph(AsRead(std::move(exported), "function"), {});
}

void Report(const std::vector<StaticRace>& races, RaceCheck check) {
  if (check == RaceCheck::kIgnore) return;
  for (const StaticRace& race : races) {
    if (check == RaceCheck::kWarn) base::Log(base::Severity::kWarning, race.ToString());
    if (check == RaceCheck::kRaise && race.kind == RaceKind::kRace) {
      throw Error(Code::kFailedPrecondition, "[race] " + race.ToString());
    }
  }
}

}  // namespace lockstep
