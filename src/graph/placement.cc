#include "graph/placement.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "graph/bodies.h"
#include "graph/segments.h"
#include "lockstep/graph/device.h"

namespace lockstep::graph {

namespace {

// Nodes that must be together, with what they ask for.
struct Group {
  DeviceSpec spec;
  int asking = -1;  // the first node that asks for something
  std::string device;
  std::string soft;  // what could not be had
};

std::string OpNameOf(const Graph& graph, const Node& node) {
  const Tensor* constant = graph.constant({node.id, 0});
  return constant != nullptr && constant->dtype() == DType::kResource ? "VarHandleOp"
                                                                      : node.spec->name;
}

class Placer {
 public:
  Placer(Graph& graph, const PlacementOptions& options)
      : graph_(graph), options_(options), parent_(graph.num_nodes()), why_(graph.num_nodes()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const std::string& device : options.devices) {
      devices_.push_back(DeviceSpec::Parse(device).OrThrow());
    }
  }

  std::vector<PlacedNode> Run() {
    FindTogether();
    for (const Node& node : graph_.nodes()) Ask(node);
    std::vector<PlacedNode> placed;
    for (int id = 0; id < graph_.num_nodes(); ++id) {
      Node& node = graph_.node(id);
      Group& group = groups_[Root(id)];
      if (group.device.empty()) Choose(node, &group);
      const std::string reason = ReasonOf(node, group);
      node.device = group.device;
      placed.push_back({node.name, OpNameOf(graph_, node), node.device, reason});
    }
    return placed;
  }

 private:
  int Root(int id) const {
    while (parent_[id] != id) id = parent_[id];
    return id;
  }
  void Together(int node, int with) {
    if (node != with) why_[node] = "beside '" + graph_.node(with).name + "'";
    const int a = Root(node), b = Root(with);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  // What bodies name, they name by constants of their own.
  void CollectBodies(const Node& node, std::vector<const TensorObject*>* resources) const {
    for (const Graph* body : BodiesOf(node.attributes)) {
      for (const Node& inner : body->nodes()) {
        const Tensor* constant = body->constant({inner.id, 0});
        if (constant != nullptr && constant->dtype() == DType::kResource) {
          resources->push_back(constant->object().get());
        }
        CollectBodies(inner, resources);
      }
    }
  }

  void FindTogether() {
    std::map<const TensorObject*, int> first;  // node that stands for a resource
    std::map<std::string, int> by_name;
    for (const Node& node : graph_.nodes()) {
      by_name[node.name] = node.id;
      const Tensor* constant = graph_.constant({node.id, 0});
      if (constant != nullptr && constant->dtype() == DType::kResource) {
        first.try_emplace(constant->object().get(), node.id);
      }
    }
    for (const Node& node : graph_.nodes()) {
      for (Endpoint input : node.inputs) {
        if (graph_.type(input).dtype == DType::kResource) Together(node.id, input.node);
      }
      std::vector<const TensorObject*> inside;
      CollectBodies(node, &inside);
      for (const TensorObject* resource : inside) {
        const auto [place, fresh] = first.try_emplace(resource, node.id);
        if (!fresh) Together(node.id, place->second);
      }
      const std::string other = node.attributes.GetOr<std::string>("_class", "");
      const auto place = by_name.find(other.substr(std::min<size_t>(5, other.size())));
      if (!other.empty() && place != by_name.end()) Together(node.id, place->second);
    }
  }

  void Ask(const Node& node) {
    const DeviceSpec spec = DeviceSpec::Parse(node.device).OrThrow();
    Group& group = groups_[Root(node.id)];
    if (spec.empty()) return;
    if (group.asking < 0) group.asking = node.id;
    DeviceSpec asked = spec;
    if (!spec.Matches(group.spec)) {
      // Of one task, the first one that asks has its way where devices are a wish.
      asked.type.reset();
      asked.index.reset();
      if (!options_.soft || !asked.Matches(group.spec)) {
        const Node& other = graph_.node(group.asking);
        throw Error(Code::kInvalidArgument,
                    "[placement] ops that must be on one device ask for one; got '" + other.name +
                        "' on " + other.device + " and '" + node.name + "' on " + node.device +
                        "; build both under one Device scope");
      }
    }
    group.spec = group.spec.Within(asked);
  }

  const DeviceSpec* Find(const DeviceSpec& wanted) const {
    const DeviceSpec own = DeviceSpec::Parse(options_.default_device).OrThrow();
    const DeviceSpec* best = nullptr;
    const auto rank = [&](const DeviceSpec& device) {
      return std::make_tuple(!(device == own), device.job != own.job || device.task != own.task);
    };
    for (const DeviceSpec& device : devices_) {
      if (!wanted.Matches(device)) continue;
      if (best == nullptr || rank(device) < rank(*best)) best = &device;
    }
    return best;
  }

  void Choose(const Node& node, Group* group) {
    const DeviceSpec* device = Find(group->spec);
    std::string cure;
    if (device == nullptr) {
      DeviceSpec anywhere = group->spec;
      anywhere.type.reset();
      anywhere.index.reset();
      const DeviceSpec* other = Find(anywhere);
      if (other != nullptr && options_.soft) {
        device = other;
        group->soft = group->spec.ToString();
      } else if (other != nullptr) {
        cure = "; allow soft placement, which puts it on " + other->ToString();
      }
    }
    if (device == nullptr) {
      const Node& asking = group->asking < 0 ? node : graph_.node(group->asking);
      std::string there;
      for (const std::string& name : options_.devices) there += (there.empty() ? "" : ", ") + name;
      throw Error(Code::kInvalidArgument, "[placement] an op is on a device that is there; got '" +
                                              asking.name + "' on " + group->spec.ToString() +
                                              ", where there are " + there + cure);
    }
    group->device = device->ToString();
  }

  std::string ReasonOf(const Node& node, const Group& group) const {
    std::string reason;
    if (!node.device.empty()) {
      reason = "its device scope says " + node.device;
    } else if (!why_[node.id].empty()) {
      reason = why_[node.id];
    } else if (group.asking >= 0) {
      reason = "beside '" + graph_.node(group.asking).name + "'";
    } else {
      reason = "nothing binds it, so the session's own task";
    }
    if (!group.soft.empty()) reason += "; " + group.soft + " is not there";
    return reason;
  }

  Graph& graph_;
  const PlacementOptions& options_;
  std::vector<DeviceSpec> devices_;
  std::vector<int> parent_;
  std::vector<std::string> why_;
  std::map<int, Group> groups_;
};

}  // namespace

std::string PlacedNode::ToString() const {
  return name + " (" + op + ") on " + device + ": " + reason;
}

std::vector<PlacedNode> Place(Graph* graph, const PlacementOptions& options) {
  return Placer(*graph, options).Run();
}

}  // namespace lockstep::graph
