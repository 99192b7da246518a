#include "graph/extract.h"

#include <map>

namespace lockstep::graph {

namespace {

class Extractor {
 public:
  Extractor(const Graph& whole, const RunRequest& request)
      : whole_(whole), request_(request), needed_(whole.num_nodes(), 0) {}

  Graph Run() {
    for (size_t i = 0; i < request_.feeds.size(); ++i) {
      map_[Key(request_.feeds[i])] = result_.AddParameter(request_.types[i]);
      result_.node(map_[Key(request_.feeds[i])].node).name =
          whole_.node(request_.feeds[i].node).name;
    }
    FindNeeded();
    for (const Node& node : whole_.nodes()) {
      if (needed_[node.id]) Copy(node);
    }
    for (Endpoint fetch : request_.fetches) result_.results().push_back(map_.at(Key(fetch)));
    for (int target : request_.targets) {
      const Node& node = whole_.node(target);
      if (node.outputs.empty() || node.outputs[0].dtype == DType::kResource) continue;
      if (node.spec->effects.writes != 0 || node.spec->effects.external) continue;
      result_.results().push_back(map_.at(Key({target, 0})));
    }
    return std::move(result_);
  }

 private:
  using EndpointKey = std::pair<int, int>;
  static EndpointKey Key(Endpoint e) { return {e.node, e.index}; }
  bool Fed(Endpoint e) const { return map_.contains(Key(e)); }
  bool AllFed(const Node& node) const {
    for (int i = 0; i < static_cast<int>(node.outputs.size()); ++i) {
      if (!Fed({node.id, i})) return false;
    }
    return !node.outputs.empty();
  }
  void Need(Endpoint e) {
    if (!Fed(e)) needed_[e.node] = 1;
  }

  // Inputs have smaller numbers than the nodes that take them.
  void FindNeeded() {
    for (Endpoint fetch : request_.fetches) Need(fetch);
    for (int target : request_.targets) {
      if (!AllFed(whole_.node(target))) needed_[target] = 1;
    }
    for (int id = whole_.num_nodes() - 1; id >= 0; --id) {
      if (!needed_[id]) continue;
      for (Endpoint input : whole_.node(id).inputs) Need(input);
      for (int control : whole_.node(id).control_inputs) {
        if (!AllFed(whole_.node(control))) needed_[control] = 1;
      }
    }
  }

  void Copy(const Node& node) {
    if (node.spec->name == "Placeholder") {
      throw Error(Code::kInvalidArgument,
                  "[session] a placeholder that a run needs must be fed; got no value for '" +
                      node.name + "' of " + node.outputs[0].ToString() + "; feed '" + node.name +
                      ":0'");
    }
    std::vector<Endpoint> inputs;
    for (Endpoint input : node.inputs) inputs.push_back(map_.at(Key(input)));
    const bool is_default = node.spec->name == "PlaceholderWithDefault";
    const int id = is_default ? result_.AddNode("Identity", std::move(inputs)).id
                   : node.inputs.empty()
                       ? result_.AddNode(*node.spec, {}, node.attributes, node.outputs).id
                       : Infer(node, std::move(inputs));
    Node& copy = result_.node(id);
    copy.name = node.name;
    copy.device = node.device;
    for (int control : node.control_inputs) {
      if (node_map_.contains(control)) copy.control_inputs.push_back(node_map_.at(control));
    }
    node_map_[node.id] = id;
    for (int i = 0; i < static_cast<int>(copy.outputs.size()); ++i) {
      if (!Fed({node.id, i})) map_[{node.id, i}] = {id, i};
    }
  }

  int Infer(const Node& node, std::vector<Endpoint> inputs) {
    try {
      return result_.AddNode(node.spec->name, std::move(inputs), node.attributes).id;
    } catch (const Error& error) {
      throw Error(error.code(), error.status().message() + " (op '" + node.name + "')");
    }
  }

  const Graph& whole_;
  const RunRequest& request_;
  Graph result_;
  std::vector<char> needed_;
  std::map<EndpointKey, Endpoint> map_;
  std::map<int, int> node_map_;
};

}  // namespace

Graph ExtractRun(const Graph& whole, const RunRequest& request) {
  return Extractor(whole, request).Run();
}

}  // namespace lockstep::graph
