#include "distribute/programs/unrolled_replicas.h"

#include <algorithm>
#include <deque>

#include "distribute/meeting.h"
#include "graph/bodies.h"
#include "lockstep/runtime/control_flow.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/graph_builder.h"
#include "runtime/loop.h"
#include "runtime/program_items.h"
#include "runtime/replica.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

namespace {

using ByReplica = std::vector<Tensors>;
using Graphs = std::vector<const graph::Graph*>;

// The same graph, in which it is known which replica it is.
graph::Graph Numbered(const graph::Graph& graph, int replica) {
  graph::Graph result = graph;
  for (int id = 0; id < result.num_nodes(); ++id) {
    graph::Node& node = result.node(id);
    if (node.spec->name == "ReplicaId") {
      node.spec = &ops::OpRegistry::Global().Find("Const");
      node.attributes = {{"value", Scalar<int32_t>(replica)}};
      continue;
    }
    if (node.spec->meets) continue;
    const std::vector<ops::Attributes::Entry> entries = node.attributes.entries();
    for (const auto& [name, value] : entries) {
      if (const graph::Graph* body = graph::BodyIn(value))
        node.attributes.Set(name, std::shared_ptr<TensorObject>(
                                      std::make_shared<graph::Graph>(Numbered(*body, replica))));
    }
  }
  return result;
}

bool MeetsIn(const graph::Node& node) {
  if (node.spec->meets) return true;
  const auto bodies = graph::BodiesOf(node.attributes);
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const graph::Graph* body) { return runtime::ReplicasMeetIn(*body); });
}

Tensors Flat(const ByReplica& values) {
  Tensors flat;
  for (const Tensors& own : values) flat.insert(flat.end(), own.begin(), own.end());
  return flat;
}

// Replica by replica, as many each.
ByReplica Cut(const Tensors& flat, size_t replicas) {
  ByReplica values;
  const long size = static_cast<long>(flat.size() / replicas);
  for (auto next = flat.begin(); values.size() < replicas; next += size)
    values.emplace_back(next, next + size);
  return values;
}

// One graph, or body, of all replicas: they differ in what they name alone.
class Unrolled {
 public:
  Unrolled(Strategy& strategy, const Graphs& graphs, const ByReplica& arguments)
      : strategy_(strategy) {
    for (size_t r = 0; r < graphs.size(); ++r) replicas_.emplace_back(*graphs[r], arguments[r]);
  }

  ByReplica Emit() {
    const int count = replicas_[0].graph().num_nodes();
    for (int begin = 0; begin < count;) {
      int end = begin;
      while (end < count && !MeetsIn(NodeOf(0, end))) ++end;
      for (runtime::Inliner& replica : replicas_)
        for (int node = begin; node < end; ++node) replica.Emit(node);
      if (end < count) EmitTogether(end);
      begin = end + 1;
    }
    ByReplica results;
    for (const runtime::Inliner& replica : replicas_)
      results.push_back(replica.Results(replica.graph().results().size()));
    return results;
  }

 private:
  const graph::Node& NodeOf(size_t replica, int node) const {
    return replicas_[replica].graph().node(node);
  }

  void EmitTogether(int node) {
    ByReplica outputs;
    const graph::Node& first = NodeOf(0, node);
    if (first.spec->meets) {
      std::vector<Part> parts;
      for (size_t r = 0; r < replicas_.size(); ++r)
        parts.push_back({first.spec, NodeOf(r, node).attributes, replicas_[r].InputsOf(node)});
      outputs = EmitMeeting(strategy_, parts);
    } else {
      outputs = first.spec->name == "If" ? EmitBranch(node) : EmitLoop(node);
    }
    for (size_t r = 0; r < replicas_.size(); ++r) replicas_[r].Give(node, std::move(outputs[r]));
  }

  Graphs BodiesOf(int node, const char* name) const {
    Graphs bodies;
    for (size_t r = 0; r < replicas_.size(); ++r)
      bodies.push_back(&runtime::BodyOf(NodeOf(r, node).attributes, name));
    return bodies;
  }

  // The predicate is equal on all replicas.
  ByReplica EmitBranch(int node) {
    ByReplica outside;
    for (const runtime::Inliner& replica : replicas_) {
      const Tensors inputs = replica.InputsOf(node);
      outside.emplace_back(inputs.begin() + 1, inputs.end());
    }
    const auto branch = [&](const char* name) {
      return Flat(Unrolled(strategy_, BodiesOf(node, name), outside).Emit());
    };
    const Tensors all = Cond(
        replicas_[0].InputsOf(node)[0], [&] { return branch("then"); },
        [&] { return branch("else"); });
    return Cut(all, replicas_.size());
  }

  // One loop over the variables of all replicas, which all leave it together.
  ByReplica EmitLoop(int node) {
    const graph::Node& first = NodeOf(0, node);
    const size_t count = static_cast<size_t>(first.attributes.Get<int64_t>("variables"));
    const Graphs conditions = BodiesOf(node, "condition"), bodies = BodiesOf(node, "body");
    WhileOptions options{.maximum_iterations = first.attributes.Get<int64_t>("maximum_iterations"),
                         .parallel_iterations = static_cast<int>(
                             first.attributes.Get<int64_t>("parallel_iterations"))};
    ByReplica variables, outside;
    for (const runtime::Inliner& replica : replicas_) {
      const Tensors inputs = replica.InputsOf(node);
      variables.emplace_back(inputs.begin(), inputs.begin() + static_cast<long>(count));
      outside.emplace_back(inputs.begin() + static_cast<long>(count), inputs.end());
      for (size_t i = 0; i < count; ++i)
        options.shape_invariants.push_back(bodies[0]->type(bodies[0]->parameters()[i]).shape);
    }
    const auto arguments = [&](const Tensors& flat) {
      ByReplica all = Cut(flat, replicas_.size());
      for (size_t r = 0; r < all.size(); ++r)
        all[r].insert(all[r].end(), outside[r].begin(), outside[r].end());
      return all;
    };
    const auto condition = [&](const Tensors& now) {
      return Unrolled(strategy_, conditions, arguments(now)).Emit()[0][0];
    };
    // The variables of all replicas, then what ops gave on each.
    const auto body = [&](const Tensors& now) {
      ByReplica kept, all = Unrolled(strategy_, bodies, arguments(now)).Emit();
      for (Tensors& one : all) {
        kept.emplace_back(one.begin() + static_cast<long>(count), one.end());
        one.resize(count);
      }
      Tensors flat = Flat(all), behind = Flat(kept);
      flat.insert(flat.end(), behind.begin(), behind.end());
      return flat;
    };
    const bool record = ops::IsRecording() || first.attributes.GetOr<bool>("record", false);
    const auto kept = static_cast<size_t>(first.attributes.GetOr<int64_t>("kept", 0));
    return OutputsOfLoop(runtime::EmitLoop(condition, body, Flat(variables), options, record,
                                           kept * replicas_.size()),
                         count, kept);
  }

  // The variables of each replica, how often, and the history of each variable and of what ops gave
  // (loop_history.h).
  ByReplica OutputsOfLoop(const Tensors& all, size_t count, size_t kept) const {
    const size_t variables = count * replicas_.size();
    const size_t entries = (all.size() - variables) / 2;
    ByReplica outputs;
    for (size_t r = 0; r < replicas_.size(); ++r) {
      const auto own = all.begin() + static_cast<long>(r * count);
      outputs.emplace_back(own, own + static_cast<long>(count));
      if (all.size() == variables) continue;
      outputs[r].push_back(all[variables]);
      for (const size_t part : {variables + 1, variables + 1 + entries}) {
        const auto history = own + static_cast<long>(part);
        outputs[r].insert(outputs[r].end(), history, history + static_cast<long>(count));
        const auto given = all.begin() + static_cast<long>(part + variables + r * kept);
        outputs[r].insert(outputs[r].end(), given, given + static_cast<long>(kept));
      }
    }
    return outputs;
  }

  Strategy& strategy_;
  std::vector<runtime::Inliner> replicas_;
};

}  // namespace

std::vector<std::vector<Tensor>> UnrollReplicas(Strategy& strategy, const graph::Graph& program,
                                                const std::vector<std::vector<Tensor>>& arguments) {
  std::deque<graph::Graph> own;
  Graphs graphs;
  for (int r = 0; r < static_cast<int>(arguments.size()); ++r)
    graphs.push_back(&own.emplace_back(Numbered(runtime::ForReplica(program, r), r)));
  return Unrolled(strategy, graphs, arguments).Emit();
}

bool NamesFollowed(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->name == "Const") {
      Tensor value = node.attributes.Get<Tensor>("value");
      const auto* cells = dynamic_cast<const runtime::ReplicaCells*>(value.object().get());
      if (cells != nullptr) value = cells->handles()[0];
      const bool is_value =
          value.dtype() != DType::kResource || runtime::AsGraphVariable(value) != nullptr ||
          dynamic_cast<const runtime::VariableCell*>(value.object().get()) != nullptr;
      if (is_value && ops::IsFollowed(value)) return true;
    }
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      if (NamesFollowed(*body)) return true;
  }
  return false;
}

}  // namespace lockstep::distribute
