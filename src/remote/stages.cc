#include "remote/stages.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/bodies.h"
#include "graph/extract.h"
#include "runtime/graph_builder.h"

namespace lockstep::remote {

namespace {

bool NeedsThisProcess(const ops::Attributes& attributes) {
  for (const auto& [name, value] : attributes.entries()) {
    if (!std::holds_alternative<std::shared_ptr<TensorObject>>(value)) continue;
    const graph::Graph* body = graph::BodyIn(value);
    if (body == nullptr || remote::NeedsThisProcess(*body)) return true;
  }
  return false;
}

const graph::Node* FindVariable(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    const Tensor* constant = graph.constant({node.id, 0});
    if (constant != nullptr && runtime::AsGraphVariable(*constant) != nullptr) return &node;
    for (const graph::Graph* body : graph::BodiesOf(node.attributes)) {
      if (const graph::Node* inner = FindVariable(*body)) return inner;
    }
  }
  return nullptr;
}

class Cutter {
 public:
  explicit Cutter(const graph::Graph& graph) : graph_(graph) {
    for (graph::Endpoint parameter : graph_.parameters()) ValueOf(parameter);
  }

  Stages Cut() {
    FindEarliest();
    MoveLate();
    const std::set<int> levels(level_.begin(), level_.end());
    for (int level : levels) {
      if (level != kAnywhere) AddStage(level);
    }
    for (graph::Endpoint result : graph_.results()) stages_.results.push_back(ValueOf(result));
    stages_.constants.resize(values_.size());
    for (const auto& [e, value] : values_) {
      if (const Tensor* constant = graph_.constant({e.first, e.second})) {
        stages_.constants[value] = *constant;
      }
    }
    return std::move(stages_);
  }

 private:
  static constexpr int kAnywhere = -1;  // a parameter or a constant

  // Even on the servers, odd here: the number of changes between them before a node, and more where
  // it must wait for less than it could.
  void FindEarliest() {
    for (const graph::Node& node : graph_.nodes()) {
      if (node.spec->name == "Arg" || node.spec->name == "Const") {
        level_.push_back(kAnywhere);
        continue;
      }
      const bool here = NeedsThisProcess(node.attributes);
      if (here) RequireNoVariables(node);
      int level = here ? 1 : 0;
      const auto follow = [&](int before) {
        const int earlier = level_[before];
        if (earlier == kAnywhere) return;
        level = std::max(level, (earlier % 2 == 1) == here ? earlier : earlier + 1);
      };
      for (graph::Endpoint input : node.inputs) follow(input.node);
      for (int control : node.control_inputs) follow(control);
      level_.push_back(level);
    }
  }

  void RequireNoVariables(const graph::Node& node) const {
    const graph::Node* variable = nullptr;
    for (graph::Endpoint input : node.inputs) {
      if (graph_.type(input).dtype == DType::kResource) variable = &graph_.node(input.node);
    }
    for (const graph::Graph* body : graph::BodiesOf(node.attributes)) {
      if (variable == nullptr) variable = FindVariable(*body);
    }
    if (variable == nullptr) return;
    throw Error(Code::kFailedPrecondition,
                "[session] a branch, a loop or a function that calls Python is carried out in the "
                "process of the session, away from variables of servers; got '" +
                    node.name + "', which touches '" + variable->name +
                    "'; read and assign the variable outside of it");
  }

  void MoveLate() {
    constexpr int kNever = 1 << 30;
    std::vector<int> latest(graph_.num_nodes(), kNever);
    for (int id = graph_.num_nodes() - 1; id >= 0; --id) {
      if (level_[id] == kAnywhere) continue;
      if (latest[id] != kNever) level_[id] = latest[id];
      const graph::Node& node = graph_.node(id);
      const auto limit = [&](int before) {
        if (level_[before] == kAnywhere) return;
        const bool same = level_[before] % 2 == level_[id] % 2;
        latest[before] = std::min(latest[before], same ? level_[id] : level_[id] - 1);
      };
      for (graph::Endpoint input : node.inputs) limit(input.node);
      for (int control : node.control_inputs) limit(control);
    }
  }

  int ValueOf(graph::Endpoint e) {
    return values_.try_emplace({e.node, e.index}, static_cast<int>(values_.size())).first->second;
  }

  void AddStage(int level) {
    graph::Graph own = graph_;
    graph::RunRequest request;
    Stage stage{.here = level % 2 == 1};
    std::set<std::pair<int, int>> fed, handed;
    std::vector<char> consumed(graph_.num_nodes(), 0);
    const auto hand_on = [&](graph::Endpoint e) {
      if (level_[e.node] == level && handed.insert({e.node, e.index}).second) {
        request.fetches.push_back(e);
        stage.results.push_back(ValueOf(e));
      }
    };
    for (const graph::Node& node : graph_.nodes()) {
      if (level_[node.id] != level) {
        for (graph::Endpoint input : node.inputs) hand_on(input);
        continue;
      }
      std::erase_if(own.node(node.id).control_inputs, [&](int control) {
        return level_[control] != level && level_[control] != kAnywhere;
      });
      for (graph::Endpoint input : node.inputs) {
        consumed[input.node] = 1;
        const bool constant = graph_.constant(input) != nullptr;
        if (level_[input.node] == level || constant) continue;
        if (!fed.insert({input.node, input.index}).second) continue;
        request.feeds.push_back(input);
        request.types.push_back(graph_.type(input));
        stage.feeds.push_back(ValueOf(input));
      }
    }
    for (graph::Endpoint result : graph_.results()) hand_on(result);
    for (const graph::Node& node : graph_.nodes()) {
      if (level_[node.id] != level) continue;
      if (node.spec->stateful() || !consumed[node.id]) request.targets.push_back(node.id);
    }
    stage.graph = graph::ExtractRun(own, request);
    stages_.stages.push_back(std::move(stage));
  }

  const graph::Graph& graph_;
  std::vector<int> level_;
  std::map<std::pair<int, int>, int> values_;
  Stages stages_;
};

}  // namespace

bool NeedsThisProcess(const graph::Graph& graph) {
  return std::ranges::any_of(
      graph.nodes(), [](const graph::Node& node) { return NeedsThisProcess(node.attributes); });
}

Stages CutIntoStages(const graph::Graph& graph) { return Cutter(graph).Cut(); }

}  // namespace lockstep::remote
