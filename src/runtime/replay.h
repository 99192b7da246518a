#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace lockstep::runtime {

/// The gradient of an `If` or a `While` computes its bodies again. What their ops with effects gave
/// the first time (variables that the body assigns, random numbers, what a Python function
/// answered) is kept as further results of the node; what they did is not done again.

/// Makes the op "If" or "While" with these attributes give what its gradient needs. `If`: behind
/// its own results what ops of "then" and then of "else" gave, zeros from the branch that was not
/// taken; their numbers are the attributes "kept_then" and "kept_else". `While`: the history of its
/// variables (loop_history.h) and behind them, "kept" in number, of what ops of the body gave.
/// Nothing changes where that is asked for already.
void KeepForGradient(std::string_view op, ops::Attributes* attributes);
/// The same for a node of `graph`, whose further outputs have types then.
void KeepForGradient(const graph::Graph& graph, graph::Node* node);

/// Where a body gives what its ops gave, among its results; "then", "else" or "body".
std::span<const graph::Endpoint> KeptPlaces(const ops::Attributes& attributes,
                                            std::string_view body);

/// The handle of the variable that op gave as the result `place`, also in a body inside of this
/// one; undefined where it was no read of a variable that the graph names.
Tensor VariableKeptAt(const graph::Graph& graph, graph::Endpoint place);

/// The handles of variables of a floating dtype that ops of `graph` and of its bodies read.
std::vector<Tensor> VariablesReadIn(const graph::Graph& graph);

/// Emits the ops of `body` on the builder in force, with `kept` for what the places `kept_at` give,
/// and without effects. Gives the first `results` of the body's results.
std::vector<Tensor> Replay(const graph::Graph& body, const std::vector<Tensor>& arguments,
                           std::span<const graph::Endpoint> kept_at,
                           const std::vector<Tensor>& kept, size_t results);

}  // namespace lockstep::runtime
