#include "distribute/programs/uniform.h"

#include <unordered_set>

#include "runtime/body_tracer.h"
#include "runtime/host_ops.h"
#include "runtime/program_items.h"
#include "runtime/replica.h"

namespace lockstep::distribute {

namespace {

using Flags = std::vector<bool>;

bool Meets(const graph::Node& node) {
  const runtime::HostOp* host = runtime::FindHostOp(node.spec->name);
  return host != nullptr && host->meets;
}

// The first meeting in a body, however deep; nullptr where there is none.
const graph::Node* FirstMeeting(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    if (Meets(node)) return &node;
    for (const char* name : {"then", "else", "condition", "body"}) {
      if (node.spec->name != "If" && node.spec->name != "While") break;
      if (node.attributes.Find(name) == nullptr) continue;
      if (const auto* found = FirstMeeting(runtime::BodyOf(node.attributes, name))) return found;
    }
  }
  return nullptr;
}

class Analysis {
 public:
  explicit Analysis(const graph::Graph& program) { CollectOwnWrites(program); }

  // Which results may differ.
  Flags Run(const graph::Graph& graph, const Flags& parameters) {
    std::vector<Flags> varies(graph.num_nodes());
    for (const graph::Node& node : graph.nodes()) {
      bool any = false;
      Flags inputs;
      for (graph::Endpoint input : node.inputs) {
        inputs.push_back(varies[input.node][input.index]);
        any |= inputs.back();
      }
      varies[node.id] = Outputs(graph, node, parameters, inputs, any);
    }
    Flags results;
    for (graph::Endpoint result : graph.results())
      results.push_back(varies[result.node][result.index]);
    return results;
  }

 private:
  Flags Outputs(const graph::Graph& graph, const graph::Node& node, const Flags& parameters,
                const Flags& inputs, bool any) {
    const std::string& op = node.spec->name;
    if (op == "Arg") return {parameters[node.attributes.Get<int64_t>("index")]};
    if (op == "Const") return {VariesByCell(node.attributes.Get<Tensor>("value"))};
    if (op == "If") return OfIf(graph, node, inputs);
    if (op == "While") return OfWhile(graph, node, inputs);
    if (op == "ReplicaAllReduce" || op == "ReplicaAllGather") {
      return Flags(node.outputs.size(), false);
    }
    // Each replica gets its part, draws its numbers, sees its place in the order of writes.
    const bool own = op == "ReplicaId" || Meets(node) || node.spec->effects.writes != 0;
    return Flags(node.outputs.size(), any || own);
  }

  bool VariesByCell(const Tensor& value) const {
    if (value.dtype() != DType::kResource) return false;
    return dynamic_cast<const runtime::ReplicaCells*>(value.object().get()) != nullptr ||
           written_.contains(value.object().get());
  }

  void RequireUniform(const graph::Graph& graph, const graph::Node& node,
                      const std::string& predicate, const graph::Node* meeting) {
    if (meeting == nullptr) return;
    throw Error(
        Code::kFailedPrecondition,
        "[run] replicas that meet in a branch or a loop must all take it: its predicate must "
        "be equal on all replicas; got " +
            meeting->name + " in " + node.name + ", whose predicate " + predicate +
            " may differ between replicas; all_reduce what it depends on");
  }

  Flags OfIf(const graph::Graph& graph, const graph::Node& node, const Flags& inputs) {
    const graph::Graph& then = runtime::BodyOf(node.attributes, "then");
    const graph::Graph& otherwise = runtime::BodyOf(node.attributes, "else");
    if (inputs[0]) {
      for (const graph::Graph* branch : {&then, &otherwise}) {
        RequireUniform(graph, node, graph.node(node.inputs[0].node).name, FirstMeeting(*branch));
      }
    }
    const Flags outside(inputs.begin() + 1, inputs.end());
    Flags results = Run(then, outside);
    const Flags other = Run(otherwise, outside);
    for (size_t i = 0; i < results.size(); ++i) results[i] = results[i] || other[i] || inputs[0];
    return results;
  }

  Flags OfWhile(const graph::Graph& graph, const graph::Node& node, Flags state) {
    const graph::Graph& condition = runtime::BodyOf(node.attributes, "condition");
    const graph::Graph& body = runtime::BodyOf(node.attributes, "body");
    const auto variables = static_cast<size_t>(node.attributes.Get<int64_t>("variables"));
    bool predicate = false;
    Flags after;
    // What an iteration makes vary varies in the next one.
    for (bool changed = true; changed;) {
      changed = false;
      predicate = Run(condition, state)[0];
      after = Run(body, state);
      for (size_t i = 0; i < variables; ++i) {
        if (state[i] || !(after[i] || predicate)) continue;
        state[i] = changed = true;
      }
    }
    if (predicate) {
      for (const graph::Graph* part : {&condition, &body}) {
        RequireUniform(graph, node, condition.node(condition.results()[0].node).name,
                       FirstMeeting(*part));
      }
    }
    Flags results(node.outputs.size(), predicate);
    // Of the history (loop_history.h) as of the variables, and of what ops of the body gave.
    for (size_t i = 0; i < variables; ++i) results[i] = after[i] = state[i];
    for (size_t i = variables + 1; i < results.size(); ++i)
      results[i] = after[(i - variables - 1) % after.size()] || predicate;
    return results;
  }

  // Variables that every replica assigns for itself, one after another: what they read differs.
  void CollectOwnWrites(const graph::Graph& graph) {
    for (const graph::Node& node : graph.nodes()) {
      if (Meets(node)) continue;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const Tensor* constant = graph.constant(node.inputs[i]);
        if (constant != nullptr && ops::HasBit(node.spec->effects.writes, i)) {
          written_.insert(constant->object().get());
        }
      }
      for (const char* name : {"then", "else", "condition", "body"}) {
        if (node.spec->name != "If" && node.spec->name != "While") break;
        if (node.attributes.Find(name) != nullptr)
          CollectOwnWrites(runtime::BodyOf(node.attributes, name));
      }
    }
  }

  runtime::ResourceSet written_;
};

}  // namespace

void RequireUniformPredicates(const graph::Graph& graph, const std::vector<bool>& varies) {
  Analysis(graph).Run(graph, varies);
}

}  // namespace lockstep::distribute
