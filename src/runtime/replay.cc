#include "runtime/replay.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "graph/bodies.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/loop.h"
#include "runtime/loop_history.h"
#include "runtime/program_items.h"

namespace lockstep::runtime {

namespace {

bool IsIf(const graph::Node& node) { return node.spec->name == "If"; }
bool IsWhile(const graph::Node& node) { return node.spec->name == "While"; }

// Whether a second time would give other results, or do something twice. Ops with an effect and a
// gradient, such as sums over replicas, are emitted again: the gradient flows through them.
bool HappensOnce(const graph::Node& node) {
  if (node.spec->name == "ReadVariableOp") return true;
  return node.spec->stateful() && node.spec->gradient == nullptr &&
         std::none_of(node.outputs.begin(), node.outputs.end(),
                      [](const ops::TensorType& type) { return type.dtype == DType::kResource; });
}

bool HasEffects(const ops::Attributes& attributes);
bool HasEffects(const graph::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const graph::Node& node) {
    return IsIf(node) || IsWhile(node) ? HasEffects(node.attributes) : HappensOnce(node);
  });
}

// Of an `If` or `While`.
bool HasEffects(const ops::Attributes& attributes) {
  const auto bodies = graph::BodiesOf(attributes);
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const graph::Graph* body) { return HasEffects(*body); });
}

size_t Count(const ops::Attributes& attributes, std::string_view name) {
  return static_cast<size_t>(attributes.GetOr<int64_t>(name, 0));
}

bool Keeps(const ops::Attributes& attributes) {
  return attributes.Find("kept") != nullptr || attributes.Find("kept_then") != nullptr;
}

// The outputs of a node that keeps without which the same cannot be done again. Of a loop: how many
// iterations there were, and what its ops gave in them, values and sizes.
std::vector<int> OutputsToReplay(const graph::Node& node) {
  std::vector<int> outputs;
  const int count = static_cast<int>(node.outputs.size());
  if (IsIf(node)) {
    const size_t kept = Count(node.attributes, "kept_then") + Count(node.attributes, "kept_else");
    for (int i = count - static_cast<int>(kept); i < count; ++i) outputs.push_back(i);
    return outputs;
  }
  const int variables = static_cast<int>(Count(node.attributes, "variables"));
  const int entries = variables + static_cast<int>(Count(node.attributes, "kept"));
  outputs.push_back(variables);
  for (const int part : {variables + 1, variables + 1 + entries})
    for (int i = variables; i < entries; ++i) outputs.push_back(part + i);
  return outputs;
}

// Which outputs of its nodes somebody takes.
std::vector<std::vector<char>> UsedOutputs(const graph::Graph& graph) {
  std::vector<std::vector<char>> used(graph.num_nodes());
  for (const graph::Node& node : graph.nodes()) used[node.id].resize(node.outputs.size());
  for (const graph::Node& node : graph.nodes())
    for (graph::Endpoint input : node.inputs) used[input.node][input.index] = 1;
  for (graph::Endpoint result : graph.results()) used[result.node][result.index] = 1;
  return used;
}

// A body with further results.
struct Keeping {
  std::shared_ptr<graph::Graph> graph;
  std::vector<graph::Endpoint> places;
};

Keeping KeepWhatOpsGive(const graph::Graph& body) {
  Keeping keeping{std::make_shared<graph::Graph>(body), {}};
  graph::Graph& graph = *keeping.graph;
  const auto used = UsedOutputs(graph);
  for (int id = 0; id < graph.num_nodes(); ++id) {
    graph::Node& node = graph.node(id);
    if (IsIf(node) || IsWhile(node)) {
      if (!HasEffects(node.attributes)) continue;
      KeepForGradient(graph, &node);
      for (int output : OutputsToReplay(node)) keeping.places.push_back({id, output});
    } else if (HappensOnce(node)) {
      for (size_t i = 0; i < node.outputs.size(); ++i)
        if (used[id][i]) keeping.places.push_back({id, static_cast<int>(i)});
    }
  }
  return keeping;
}

// Zeros in place of what a branch that is not taken would have given; no elements along axes whose
// size is not known.
graph::Endpoint ZerosOf(const ops::TensorType& type, graph::Graph* graph) {
  std::vector<int64_t> sizes;
  if (type.shape.ranked()) sizes = type.shape.vector();
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 0);
  const Tensor zero = type.dtype == DType::kString ? Tensor::FromStrings({""}, Shape{})
                                                   : ops::CastScalar(0, type.dtype);
  const graph::Endpoint value = graph->AddConstant(zero);
  return {graph->AddNode("Fill", {value}, {{"shape", sizes}}).id, 0};
}

void KeepInBranches(ops::Attributes* attributes) {
  Keeping then = KeepWhatOpsGive(BodyOf(*attributes, "then"));
  Keeping otherwise = KeepWhatOpsGive(BodyOf(*attributes, "else"));
  const auto append = [](const Keeping& own, const Keeping& other, bool own_first) {
    std::vector<graph::Endpoint> zeros;
    for (graph::Endpoint place : other.places)
      zeros.push_back(ZerosOf(other.graph->type(place), own.graph.get()));
    auto& results = own.graph->results();
    for (const auto* part : {own_first ? &own.places : &zeros, own_first ? &zeros : &own.places})
      results.insert(results.end(), part->begin(), part->end());
  };
  append(then, otherwise, true);
  append(otherwise, then, false);
  attributes->Set("then", std::shared_ptr<TensorObject>(then.graph));
  attributes->Set("else", std::shared_ptr<TensorObject>(otherwise.graph));
  attributes->Set("kept_then", static_cast<int64_t>(then.places.size()));
  attributes->Set("kept_else", static_cast<int64_t>(otherwise.places.size()));
}

void KeepInIterations(ops::Attributes* attributes) {
  const Keeping body = KeepWhatOpsGive(BodyOf(*attributes, "body"));
  auto& results = body.graph->results();
  results.insert(results.end(), body.places.begin(), body.places.end());
  attributes->Set("body", std::shared_ptr<TensorObject>(body.graph));
  attributes->Set("kept", static_cast<int64_t>(body.places.size()));
}

// Replays one body, and the bodies in it.
class Player : public Inliner {
 public:
  Player(const graph::Graph& graph, const std::vector<Tensor>& arguments,
         std::span<const graph::Endpoint> kept_at, const std::vector<Tensor>& kept)
      : Inliner(graph, arguments), kept_at_(kept_at), kept_(kept) {}

  void Play() {
    for (const graph::Node& node : graph().nodes()) {
      if (Keeps(node.attributes)) {
        Give(node.id, IsIf(node) ? Branch(node) : Loop(node));
      } else if (HappensOnce(node)) {
        GiveKept(node);
      } else {
        Emit(node.id);
      }
    }
  }

 private:
  const Tensor& KeptAt(graph::Endpoint place) const {
    static const Tensor kNothing;
    const auto found = std::find(kept_at_.begin(), kept_at_.end(), place);
    return found == kept_at_.end() ? kNothing : kept_[found - kept_at_.begin()];
  }

  void GiveKept(const graph::Node& node) {
    std::vector<Tensor> outputs(node.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = KeptAt({node.id, static_cast<int>(i)});
    Give(node.id, std::move(outputs));
  }

  std::vector<Tensor> Branch(const graph::Node& node) {
    const std::vector<Tensor> inputs = InputsOf(node.id);
    const std::vector<Tensor> arguments(inputs.begin() + 1, inputs.end());
    const size_t then = Count(node.attributes, "kept_then");
    const size_t otherwise = Count(node.attributes, "kept_else");
    const size_t results = node.outputs.size() - then - otherwise;
    const auto play = [&](const char* name, size_t first, size_t count) {
      std::vector<Tensor> kept;
      for (size_t i = first; i < first + count; ++i)
        kept.push_back(KeptAt({node.id, static_cast<int>(i)}));
      return Replay(BodyOf(node.attributes, name), arguments, KeptPlaces(node.attributes, name),
                    kept, results);
    };
    return Cond(
        inputs[0], [&] { return play("then", results, then); },
        [&] { return play("else", results + then, otherwise); });
  }

  std::vector<Tensor> Loop(const graph::Node& node) {
    const graph::Graph& body = BodyOf(node.attributes, "body");
    const std::vector<Tensor> inputs = InputsOf(node.id);
    const size_t variables = Count(node.attributes, "variables");
    const std::vector<int> taken = OutputsToReplay(node);
    const auto at = [&](size_t i) { return KeptAt({node.id, taken[i]}); };
    const auto places = KeptPlaces(node.attributes, "body");
    std::vector<IterationValues> kept;
    for (size_t k = 0; k < places.size(); ++k)
      kept.emplace_back(body.type(places[k]), at(1 + k), at(1 + places.size() + k));
    const Tensor iterations = at(0);
    // Behind the number of the iteration come the variables.
    std::vector<Tensor> state{Scalar<int64_t>(0)};
    WhileOptions options{.shape_invariants = {Shape{}}};
    for (size_t i = 0; i < variables; ++i) {
      state.push_back(inputs[i]);
      options.shape_invariants.push_back(body.type(body.parameters()[i]).shape);
    }
    std::vector<Tensor> last =
        WhileLoop([&](const Tensors& now) { return Less(now[0], iterations); },
                  [&](const Tensors& now) {
                    std::vector<Tensor> arguments(now.begin() + 1, now.end()), given;
                    arguments.insert(arguments.end(), inputs.begin() + static_cast<long>(variables),
                                     inputs.end());
                    for (const IterationValues& values : kept) given.push_back(values.At(now[0]));
                    std::vector<Tensor> next = Replay(body, arguments, places, given, variables);
                    next.insert(next.begin(), now[0] + 1);
                    return next;
                  },
                  state, options);
    last.erase(last.begin());
    return last;
  }

  const std::span<const graph::Endpoint> kept_at_;
  const std::vector<Tensor>& kept_;
};

}  // namespace

void KeepForGradient(std::string_view op, ops::Attributes* attributes) {
  if (op == "While") attributes->Set("record", true);
  if (Keeps(*attributes) || !HasEffects(*attributes)) return;
  op == "If" ? KeepInBranches(attributes) : KeepInIterations(attributes);
}

void KeepForGradient(const graph::Graph& graph, graph::Node* node) {
  KeepForGradient(node->spec->name, &node->attributes);
  std::vector<ops::TensorType> inputs;
  for (graph::Endpoint input : node->inputs) inputs.push_back(graph.type(input));
  node->outputs = graph::InferTypes(*node->spec, node->attributes, inputs);
}

std::span<const graph::Endpoint> KeptPlaces(const ops::Attributes& attributes,
                                            std::string_view body) {
  const std::span<const graph::Endpoint> results = BodyOf(attributes, body).results();
  if (body == "body") return results.last(Count(attributes, "kept"));
  const size_t then = Count(attributes, "kept_then"), otherwise = Count(attributes, "kept_else");
  return body == "then" ? results.last(then + otherwise).first(then) : results.last(otherwise);
}

Tensor VariableKeptAt(const graph::Graph& graph, graph::Endpoint place) {
  const graph::Node& node = graph.node(place.node);
  if (node.spec->name == "ReadVariableOp") {
    const Tensor* handle = graph.constant(node.inputs[0]);
    return handle != nullptr ? *handle : Tensor();
  }
  if (!Keeps(node.attributes)) return Tensor();
  const std::vector<int> outputs = OutputsToReplay(node);
  size_t k = std::find(outputs.begin(), outputs.end(), place.index) - outputs.begin();
  if (IsIf(node)) {
    const auto then = KeptPlaces(node.attributes, "then");
    if (k < then.size()) return VariableKeptAt(BodyOf(node.attributes, "then"), then[k]);
    const auto otherwise = KeptPlaces(node.attributes, "else");
    return VariableKeptAt(BodyOf(node.attributes, "else"), otherwise[k - then.size()]);
  }
  const auto places = KeptPlaces(node.attributes, "body");
  const bool is_value = k >= 1 && k < 1 + places.size();
  return is_value ? VariableKeptAt(BodyOf(node.attributes, "body"), places[k - 1]) : Tensor();
}

std::vector<Tensor> VariablesReadIn(const graph::Graph& graph) {
  std::vector<Tensor> handles;
  const auto add = [&](const Tensor& handle) {
    const bool known = std::any_of(handles.begin(), handles.end(), [&](const Tensor& other) {
      return other.object() == handle.object();
    });
    if (!known && IsFloating(handle.element_dtype())) handles.push_back(handle);
  };
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->name == "ReadVariableOp") {
      if (const Tensor* handle = graph.constant(node.inputs[0])) add(*handle);
    }
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      for (const Tensor& handle : VariablesReadIn(*body)) add(handle);
  }
  return handles;
}

std::vector<Tensor> Replay(const graph::Graph& body, const std::vector<Tensor>& arguments,
                           std::span<const graph::Endpoint> kept_at,
                           const std::vector<Tensor>& kept, size_t results) {
  Player player(body, arguments, kept_at, kept);
  player.Play();
  return player.Results(results);
}

}  // namespace lockstep::runtime
