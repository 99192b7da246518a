#include "graph/partition.h"

#include <algorithm>

namespace lockstep::graph {

namespace {

class Partitioner {
 public:
  Partitioner(const Graph& graph, const std::string& default_device)
      : graph_(graph), default_device_(default_device) {}

  std::map<std::string, Part> Run() {
    for (const Node& node : graph_.nodes()) {
      if (!Shared(node)) Place(node);
    }
    for (size_t i = 0; i < graph_.results().size(); ++i) {
      const Endpoint result = graph_.results()[i];
      const std::string& device = DeviceOf(graph_.node(result.node));
      const Endpoint local = Import(device, result);
      parts_[device].part.graph.results().push_back(local);
      parts_[device].part.results.push_back(static_cast<int>(i));
    }
    std::map<std::string, Part> parts;
    for (auto& [device, place] : parts_) parts[device] = std::move(place.part);
    return parts;
  }

 private:
  struct DevicePart {
    Part part;
    std::map<std::pair<int, int>, Endpoint> known;  // endpoint of the whole -> of the part
    std::map<int, int> control;                     // node of the whole -> node of the part
  };

  // Parameters and constants exist wherever they are used.
  static bool Shared(const Node& node) {
    return node.spec->name == "Arg" || node.spec->name == "Const";
  }
  const std::string& DeviceOf(const Node& node) const {
    return node.device.empty() ? default_device_ : node.device;
  }

  void Place(const Node& node) {
    const std::string& device = DeviceOf(node);
    std::vector<Endpoint> inputs;
    std::vector<int> controls;
    for (Endpoint input : node.inputs) inputs.push_back(Import(device, input));
    for (int control : node.control_inputs) controls.push_back(ImportControl(device, control));
    DevicePart& place = parts_[device];
    Node& copy =
        place.part.graph.AddNode(*node.spec, std::move(inputs), node.attributes, node.outputs);
    copy.name = node.name;
    copy.device = device;
    copy.site = node.site;
    copy.control_inputs = std::move(controls);
    place.control[node.id] = copy.id;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      place.known[{node.id, static_cast<int>(i)}] = {copy.id, static_cast<int>(i)};
    }
  }

  Endpoint Import(const std::string& device, Endpoint e) {
    DevicePart& place = parts_[device];
    const auto known = place.known.find({e.node, e.index});
    if (known != place.known.end()) return known->second;
    const Node& node = graph_.node(e.node);
    Endpoint local;
    if (node.spec->name == "Arg") {
      local = place.part.graph.AddParameter(node.outputs[0]);
      place.part.parameters.push_back(static_cast<int>(node.attributes.Get<int64_t>("index")));
    } else if (node.spec->name == "Const") {
      local = place.part.graph.AddConstant(node.attributes.Get<Tensor>("value"));
    } else {
      local =
          Transfer(DeviceOf(node), device, std::to_string(e.node) + ":" + std::to_string(e.index),
                   parts_[DeviceOf(node)].known.at({e.node, e.index}), graph_.type(e));
    }
    return parts_[device].known[{e.node, e.index}] = local;
  }

  int ImportControl(const std::string& device, int control) {
    const Node& node = graph_.node(control);
    DevicePart& place = parts_[device];
    if (auto known = place.control.find(control); known != place.control.end())
      return known->second;
    if (Shared(node)) return Import(device, {control, 0}).node;
    // An empty tensor that is made after the node says that the node has run.
    Graph& from = parts_[DeviceOf(node)].part.graph;
    const Endpoint empty = from.AddConstant(Tensor::FromVector<float>({}, {0}));
    const Endpoint after{from.AddNode("Identity", {empty}).id, 0};
    from.node(after.node).control_inputs.push_back(parts_[DeviceOf(node)].control.at(control));
    const Endpoint local =
        Transfer(DeviceOf(node), device, "^" + std::to_string(control), after, from.type(after));
    return place.control[control] = local.node;
  }

  Endpoint Transfer(const std::string& from, const std::string& to, const std::string& edge,
                    Endpoint value, const ops::TensorType& type) {
    const std::string key = from + ";" + to + ";" + edge;
    Node& send = parts_[from].part.graph.AddNode("_Send", {value}, {{"key", key}});
    send.device = from;
    Node& receive = parts_[to].part.graph.AddNode(
        "_Recv", {},
        {{"key", key},
         {"dtype", type.dtype},
         {"shape", type.shape.ranked() ? type.shape.vector() : std::vector<int64_t>{}},
         {"unranked", !type.shape.ranked()}});
    receive.device = to;
    return {receive.id, 0};
  }

  const Graph& graph_;
  const std::string default_device_;
  std::map<std::string, DevicePart> parts_;
};

}  // namespace

std::map<std::string, Part> PartitionByDevice(const Graph& graph,
                                              const std::string& default_device) {
  return Partitioner(graph, default_device).Run();
}

}  // namespace lockstep::graph
