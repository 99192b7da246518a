#pragma once

#include <functional>
#include <memory>

#include "graph/graph.h"
#include "runtime/session_target.h"

namespace lockstep::remote {

/// Compiles a graph without ops of this process, for its servers; it gives so many tensors.
using CompileForServers = std::function<std::shared_ptr<runtime::SessionRun>(
    const graph::Graph& graph, size_t results, const runtime::RunControl& control)>;

/// A run in stages, one after the other: those of servers, and between them what this process has
/// to do. What that gives may have other sizes in each run. Errors: as `CutIntoStages`.
std::shared_ptr<runtime::SessionRun> MakeStagedRun(const graph::Graph& part, size_t num_fetches,
                                                   CompileForServers compile);

}  // namespace lockstep::remote
