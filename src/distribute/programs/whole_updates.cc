#include "distribute/programs/whole_updates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/segments.h"
#include "kernels/kernel.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;

// What follows from each of some sums, and which of these sums can't have an owner.
class Following {
 public:
  Following(const graph::Graph& graph, const graph::RowAnalysis& analysis,
            const UpdateSlices& slices, const std::set<int>& sums)
      : graph_(graph), analysis_(analysis), slices_(slices), sums_(sums), of_(graph.num_nodes()) {
    for (const UpdateSlices::Written& written : slices.variables)
      sliced_.insert(ObjectOf(graph, written.handle));
    for (const Node& node : graph_.nodes()) Follow(node);
    for (Endpoint result : graph_.results()) Refuse(of_[result.node]);
    for (const Node& node : graph_.nodes()) RefuseMixtures(node);
  }

  const std::set<int>& refused() const { return refused_; }

  // Of a sum that is not refused.
  WholeUpdates::Update UpdateOf(int sum) const {
    WholeUpdates::Update update;
    for (const Node& node : graph_.nodes()) {
      if (node.id != sum && of_[node.id].contains(sum)) update.nodes.insert(node.id);
    }
    for (const int id : update.nodes) {
      for (Endpoint input : graph_.node(id).inputs)
        if (!update.nodes.contains(input.node)) update.inputs.insert(input.node);
    }
    std::vector<Endpoint> handles;
    for (const auto& [object, written] : written_)
      if (written.sums.contains(sum)) handles.push_back(written.handle);
    update.variables =
        WrittenVariables(graph_, handles, [&](int node) { return update.nodes.contains(node); });
    return update;
  }

 private:
  struct Writes {
    Endpoint handle;
    std::set<int> sums;
  };

  void Refuse(const std::set<int>& sums) { refused_.insert(sums.begin(), sums.end()); }

  // Reads of what an update wrote before belong to it.
  void Follow(const Node& node) {
    std::set<int>& own = of_[node.id];
    if (sums_.contains(node.id)) own.insert(node.id);
    if (node.spec->view && node.outputs[0].dtype == DType::kResource) return;
    for (Endpoint input : node.inputs) {
      own.insert(of_[input.node].begin(), of_[input.node].end());
      const auto written =
          graph::IsHandle(graph_, input) ? written_.find(ObjectOf(graph_, input)) : written_.end();
      if (written != written_.end())
        own.insert(written->second.sums.begin(), written->second.sums.end());
    }
    if (own.empty() || sums_.contains(node.id)) {
      if (own.size() > 1) Refuse(own);
      return;
    }
    if (own.size() > 1 || !MayBePart(node)) return Refuse(own);
    if (node.spec->effects.writes != 0) Write(node, own);
  }

  bool MayBePart(const Node& node) const {
    if (slices_.nodes.contains(node.id) || !kernels::LeavesOf(node.attributes).empty())
      return false;
    for (char has_rows : analysis_.has_rows[node.id])
      if (has_rows != 0) return false;
    for (Endpoint input : node.inputs)
      if (analysis_.has_rows[input.node][input.index] != 0) return false;
    if (node.spec->effects.writes != 0) return IsUpdate(node);
    return !node.spec->stateful() || node.spec->name == "ReadVariableOp";
  }

  void Write(const Node& node, const std::set<int>& sums) {
    for (Endpoint input : node.inputs) {
      if (!graph::IsHandle(graph_, input)) continue;
      const void* object = ObjectOf(graph_, input);
      if (object == nullptr || sliced_.contains(object) || graph_.type(input).shape.rank() == 0)
        return Refuse(sums);
      written_[object].handle = graph::ViewedBy(graph_, input);
      written_[object].sums.insert(sums.begin(), sums.end());
    }
  }

  // What an update writes must not be written elsewhere, nor anything wait for a part of it.
  void RefuseMixtures(const Node& node) {
    for (const int control : node.control_inputs)
      if (of_[control] != of_[node.id]) Refuse(of_[control]);
    if (node.spec->effects.writes == 0) return;
    for (Endpoint input : node.inputs) {
      const auto written =
          graph::IsHandle(graph_, input) ? written_.find(ObjectOf(graph_, input)) : written_.end();
      if (written != written_.end() && written->second.sums != of_[node.id])
        Refuse(written->second.sums);
    }
  }

  const graph::Graph& graph_;
  const graph::RowAnalysis& analysis_;
  const UpdateSlices& slices_;
  const std::set<int>& sums_;
  std::set<const void*> sliced_;
  std::vector<std::set<int>> of_;  // by node: the sums that it follows from
  std::map<const void*, Writes> written_;
  std::set<int> refused_;
};

// About how much an update has to compute: elements, and the steps of products. It follows from
// the weight alone, so that all programs of a model choose alike.
double WorkOf(const graph::Graph& graph, const WholeUpdates::Update& update) {
  double work = 0;
  for (const int id : update.nodes) {
    const Node& node = graph.node(id);
    if (node.outputs.empty()) continue;
    auto elements = static_cast<double>(node.outputs[0].shape.num_elements());
    if (node.spec->name == "MatMul") {
      for (Endpoint input : node.inputs)
        elements *= static_cast<double>(graph.type(input).shape.num_elements());
      elements = std::sqrt(elements);
    }
    work += elements;
  }
  return work;
}

// The largest first, each to who has least to do.
void ChooseOwners(const graph::Graph& graph, const Roles& roles, WholeUpdates& whole) {
  std::vector<std::pair<double, int>> order;  // by less work, then by place
  for (const auto& [sum, update] : whole.updates) order.emplace_back(-WorkOf(graph, update), sum);
  std::sort(order.begin(), order.end());
  std::vector<double> has(roles.row_ranks().size(), 0);
  for (const auto& [less, sum] : order) {
    const auto least = std::min_element(has.begin(), has.end());
    *least -= less;
    whole.updates[sum].owner = roles.row_ranks()[least - has.begin()];
  }
}

}  // namespace

const WholeUpdates::Update* WholeUpdates::Of(int node) const {
  for (const auto& [sum, update] : updates)
    if (update.nodes.contains(node)) return &update;
  return nullptr;
}

WholeUpdates FindWholeUpdates(const graph::Graph& graph, const graph::RowAnalysis& analysis,
                              const UpdateSlices& slices, const Roles& roles, int64_t least) {
  std::set<int> sums = SumsOfWeights(graph, analysis, least);
  std::erase_if(sums, [&](int id) { return slices.sums.contains(id); });
  while (!sums.empty()) {
    const Following following(graph, analysis, slices, sums);
    if (!following.refused().empty()) {
      for (int id : following.refused()) sums.erase(id);
      continue;
    }
    WholeUpdates whole;
    for (int sum : sums) {
      WholeUpdates::Update update = following.UpdateOf(sum);
      if (!update.variables.empty()) whole.updates.emplace(sum, std::move(update));
    }
    ChooseOwners(graph, roles, whole);
    return whole;
  }
  return {};
}

std::vector<int64_t> BordersOfOwner(int64_t rows, int owner, int ranks) {
  std::vector<int64_t> borders(ranks + 1, 0);
  std::fill(borders.begin() + owner + 1, borders.end(), rows);
  return borders;
}

}  // namespace lockstep::distribute
