#include "graph/segments.h"

#include <algorithm>
#include <map>

namespace lockstep::graph {

namespace {

bool IsParameter(const Node& node) { return node.spec->name == "Arg"; }
bool IsConstant(const Node& node) { return node.spec->name == "Const"; }

// The number of the segment that a node belongs to: one more than that of any asynchronous op it
// waits for. Effects stay in the order of the program.
std::vector<int> Levels(const Graph& program) {
  std::vector<int> level(program.num_nodes(), 0);
  int effects = 0;
  for (const Node& node : program.nodes()) {
    int& own = level[node.id];
    auto wait_for = [&](int id) {
      own = std::max(own, level[id] + (program.node(id).spec->asynchronous ? 1 : 0));
    };
    for (Endpoint input : node.inputs) wait_for(input.node);
    for (int control : node.control_inputs) wait_for(control);
    if (node.spec->stateful()) effects = own = std::max(own, effects);
  }
  return level;
}

class Cutter {
 public:
  explicit Cutter(const Graph& program) : program_(program), level_(Levels(program)) {}

  std::vector<Segment> Cut() {
    const int last = level_.empty() ? 0 : *std::max_element(level_.begin(), level_.end());
    segments_.resize(last + 1);
    maps_.resize(last + 1);
    for (const Node& node : program_.nodes()) {
      if (IsParameter(node) || IsConstant(node)) continue;
      const int level = level_[node.id];
      if (node.spec->asynchronous) {
        segments_[level].starts.push_back(node.id);
        for (Endpoint input : node.inputs) Export(input);
      } else {
        AddNode(level, node);
      }
    }
    for (Endpoint result : program_.results()) Export(result);
    return std::move(segments_);
  }

 private:
  static int64_t Key(Endpoint e) { return int64_t{e.node} * 64 + e.index; }

  void AddNode(int level, const Node& node) {
    Segment& segment = segments_[level];
    std::vector<Endpoint> inputs;
    for (Endpoint input : node.inputs) inputs.push_back(Import(level, input));
    Node& copy =
        segment.graph.AddNode(*node.spec, std::move(inputs), node.attributes, node.outputs);
    copy.name = node.name;
    copy.device = node.device;
    for (int control : node.control_inputs) {
      const auto place = maps_[level].find(Key({control, 0}));
      if (place != maps_[level].end()) copy.control_inputs.push_back(place->second.node);
    }
    const int count = static_cast<int>(node.outputs.size());
    for (int i = 0; i < std::max(1, count); ++i) maps_[level][Key({node.id, i})] = {copy.id, i};
  }

  // The endpoint of the segment's graph that stands for `e`.
  Endpoint Import(int level, Endpoint e) {
    auto [place, fresh] = maps_[level].try_emplace(Key(e));
    if (!fresh) return place->second;
    Segment& segment = segments_[level];
    if (const Tensor* constant = program_.constant(e)) {
      return maps_[level][Key(e)] = segment.graph.AddConstant(*constant);
    }
    Export(e);
    segment.inputs.push_back(e);
    return maps_[level][Key(e)] = segment.graph.AddParameter(program_.type(e));
  }

  // Makes the value a result of the segment that computes it, if one does.
  void Export(Endpoint e) {
    const Node& node = program_.node(e.node);
    if (IsParameter(node) || IsConstant(node) || node.spec->asynchronous) return;
    Segment& segment = segments_[level_[e.node]];
    if (std::find(segment.outputs.begin(), segment.outputs.end(), e) != segment.outputs.end())
      return;
    segment.outputs.push_back(e);
    segment.graph.results().push_back(maps_[level_[e.node]].at(Key(e)));
  }

  const Graph& program_;
  const std::vector<int> level_;
  std::vector<Segment> segments_;
  std::vector<std::map<int64_t, Endpoint>> maps_;
};

}  // namespace

std::vector<Segment> CutIntoSegments(const Graph& program) { return Cutter(program).Cut(); }

}  // namespace lockstep::graph
