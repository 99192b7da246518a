#include "graph/segments.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace lockstep::graph {

namespace {

constexpr int kNobody = std::numeric_limits<int>::max();

bool IsParameter(const Node& node) { return node.spec->name == "Arg"; }
bool IsConstant(const Node& node) { return node.spec->name == "Const"; }
bool IsRead(const Node& node) { return node.spec->name == "ReadVariableOp"; }
// A view of a resource is made anew where it is needed.
bool IsHandleView(const Node& node) {
  return node.spec->view && node.outputs[0].dtype == DType::kResource;
}

// Which earlier nodes each node waits for: producers, control inputs, and accesses of its resources
// that come before it in the program.
std::vector<std::vector<int>> Dependencies(const Graph& program) {
  struct Accesses {
    int write = -1;
    std::vector<int> reads;
  };
  std::map<const void*, Accesses> resources;
  int external = -1;
  std::vector<std::vector<int>> all(program.num_nodes());
  for (const Node& node : program.nodes()) {
    std::vector<int>& own = all[node.id];
    for (Endpoint input : node.inputs) own.push_back(input.node);
    own.insert(own.end(), node.control_inputs.begin(), node.control_inputs.end());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!IsHandle(program, node.inputs[i]) || node.spec->view) continue;
      const Tensor* handle = ResourceOf(program, node.inputs[i]);
      Accesses& accesses = resources[handle == nullptr ? nullptr : handle->object().get()];
      if (accesses.write >= 0) own.push_back(accesses.write);
      if (ops::HasBit(node.spec->effects.writes, i)) {
        own.insert(own.end(), accesses.reads.begin(), accesses.reads.end());
        accesses = {node.id, {}};
      } else {
        accesses.reads.push_back(node.id);
      }
    }
    std::erase(own, node.id);  // a resource named twice
    if (!node.spec->effects.external) continue;
    if (external >= 0) own.push_back(external);
    external = node.id;
  }
  return all;
}

std::vector<Readiness> Ready(const Graph& program, const std::vector<std::vector<int>>& before,
                             std::vector<int>& number) {
  std::vector<Readiness> ready(program.num_nodes());
  int last = 0;
  for (const Node& node : program.nodes()) {
    int& level = ready[node.id].level;
    for (int id : before[node.id])
      level = std::max(level, ready[id].level + (program.node(id).spec->asynchronous ? 1 : 0));
    last = std::max(last, level);
  }
  number.assign(program.num_nodes(), -1);
  int next = 0;
  for (int level = 0; level <= last; ++level) {
    for (const Node& node : program.nodes())
      if (node.spec->asynchronous && ready[node.id].level == level) number[node.id] = next++;
  }
  for (const Node& node : program.nodes()) {
    int& waits = ready[node.id].waits;
    for (int id : before[node.id]) waits = std::max({waits, ready[id].waits, number[id] + 1});
  }
  return ready;
}

class Cutter {
 public:
  explicit Cutter(const Graph& program)
      : program_(program), before_(Dependencies(program)), place_(program.num_nodes(), -1) {
    AssignPlaces();
  }

  std::vector<Segment> Cut() {
    maps_.resize(segments_.size());
    RepeatReads();
    for (const Node& node : program_.nodes()) {
      if (IsParameter(node) || IsConstant(node) || IsHandleView(node)) continue;
      const int place = place_[node.id];
      for (int id : before_[node.id])
        if (program_.node(id).spec->asynchronous) waits_[place].insert(id);
      if (node.spec->asynchronous) {
        segments_[place].starts.push_back(node.id);
        for (Endpoint input : node.inputs) Export(input);
      } else {
        AddNode(place, node);
      }
    }
    for (Endpoint result : program_.results()) Export(result);
    for (auto& [place, ids] : waits_) segments_[place].waits.assign(ids.begin(), ids.end());
    return std::move(segments_);
  }

 private:
  static int64_t Key(Endpoint e) { return (int64_t{e.node} << 20) + e.index; }

  void AssignPlaces() {
    std::vector<int> number;
    const std::vector<Readiness> ready = Ready(program_, before_, number);
    // For which asynchronous op of the same level a node is needed first.
    std::vector<int> feeds(program_.num_nodes(), kNobody);
    for (int id = program_.num_nodes() - 1; id >= 0; --id) {
      if (number[id] >= 0) feeds[id] = number[id];
      for (int earlier : before_[id]) {
        if (number[earlier] < 0 && ready[earlier].level == ready[id].level)
          feeds[earlier] = std::min(feeds[earlier], feeds[id]);
      }
    }
    std::map<std::tuple<int, int, int>, int> places;
    const auto key = [&](int id) {
      return std::make_tuple(ready[id].level, ready[id].waits, feeds[id]);
    };
    const auto runs = [](const Node& node) {
      return !IsParameter(node) && !IsConstant(node) && !IsHandleView(node);
    };
    for (const Node& node : program_.nodes()) {
      if (runs(node) && !IsRead(node)) places[key(node.id)] = 0;
    }
    // A read alone makes no segment, the next one does it; unless there is none.
    for (const Node& node : program_.nodes()) {
      if (IsRead(node) && places.lower_bound(key(node.id)) == places.end())
        places[key(node.id)] = 0;
    }
    int next = 0;
    for (auto& [of, place] : places) place = next++;
    segments_.resize(std::max(1, next));
    for (const Node& node : program_.nodes()) {
      if (!runs(node)) continue;
      place_[node.id] = places.lower_bound(key(node.id))->second;
    }
  }

  // Whether what `read` gives can be read again at the beginning of segment `place`.
  bool CanRepeat(const Node& read, int place) const {
    const Tensor* handle = ResourceOf(program_, read.inputs[0]);
    if (handle == nullptr) return false;
    for (const Node& node : program_.nodes()) {
      // A part of a program: others write the same variables.
      if (node.spec->name == "_Send" || node.spec->name == "_Recv") return false;
    }
    for (const Node& node : program_.nodes()) {
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (!ops::HasBit(node.spec->effects.writes, i)) continue;
        const Tensor* written = ResourceOf(program_, node.inputs[i]);
        const bool between =
            node.id > read.id && place_[node.id] >= place_[read.id] && place_[node.id] < place;
        if (between && (written == nullptr || written->object() == handle->object())) return false;
      }
    }
    return true;
  }

  // Puts reads that several segments need at the beginning of each.
  void RepeatReads() {
    for (const Node& node : program_.nodes()) {
      if (place_[node.id] < 0 || node.spec->asynchronous) continue;
      for (Endpoint input : node.inputs) {
        const Node& read = program_.node(input.node);
        const int place = place_[node.id];
        if (!IsRead(read) || place_[read.id] == place || maps_[place].contains(Key(input)) ||
            !CanRepeat(read, place))
          continue;
        AddNode(place, read);
      }
    }
  }

  void AddNode(int place, const Node& node) {
    Segment& segment = segments_[place];
    std::vector<Endpoint> inputs;
    for (Endpoint input : node.inputs) inputs.push_back(Import(place, input));
    Node& copy =
        segment.graph.AddNode(*node.spec, std::move(inputs), node.attributes, node.outputs);
    copy.name = node.name;
    copy.device = node.device;
    copy.site = node.site;
    for (int control : node.control_inputs) {
      const auto known = maps_[place].find(Key({control, 0}));
      if (known != maps_[place].end()) copy.control_inputs.push_back(known->second.node);
    }
    const int count = static_cast<int>(node.outputs.size());
    for (int i = 0; i < std::max(1, count); ++i) maps_[place][Key({node.id, i})] = {copy.id, i};
  }

  // The endpoint of the segment's graph that stands for `e`.
  Endpoint Import(int place, Endpoint e) {
    auto [known, fresh] = maps_[place].try_emplace(Key(e));
    if (!fresh) return known->second;
    Segment& segment = segments_[place];
    if (const Tensor* constant = program_.constant(e)) {
      return maps_[place][Key(e)] = segment.graph.AddConstant(*constant);
    }
    if (IsHandleView(program_.node(e.node))) {
      AddNode(place, program_.node(e.node));
      return maps_[place].at(Key(e));
    }
    Export(e);
    segment.inputs.push_back(e);
    return maps_[place][Key(e)] = segment.graph.AddParameter(program_.type(e));
  }

  // Makes the value a result of the segment that computes it, if one does.
  void Export(Endpoint e) {
    const Node& node = program_.node(e.node);
    if (IsParameter(node) || IsConstant(node) || IsHandleView(node) || node.spec->asynchronous)
      return;
    Segment& segment = segments_[place_[e.node]];
    if (std::find(segment.outputs.begin(), segment.outputs.end(), e) != segment.outputs.end())
      return;
    segment.outputs.push_back(e);
    segment.graph.results().push_back(maps_[place_[e.node]].at(Key(e)));
  }

  const Graph& program_;
  const std::vector<std::vector<int>> before_;
  std::vector<int> place_;  // the segment of each node
  std::vector<Segment> segments_;
  std::vector<std::map<int64_t, Endpoint>> maps_;
  std::map<int, std::set<int>> waits_;
};

}  // namespace

bool IsHandle(const Graph& program, Endpoint e) {
  return program.type(e).dtype == DType::kResource;
}

Endpoint ViewedBy(const Graph& program, Endpoint e) {
  while (program.node(e.node).spec->view) e = program.node(e.node).inputs[0];
  return e;
}

const Tensor* ResourceOf(const Graph& program, Endpoint e) {
  e = ViewedBy(program, e);
  return IsHandle(program, e) ? program.constant(e) : nullptr;
}

std::vector<Readiness> FindReadiness(const Graph& program) {
  std::vector<int> number;
  return Ready(program, Dependencies(program), number);
}

std::vector<Segment> CutIntoSegments(const Graph& program) { return Cutter(program).Cut(); }

}  // namespace lockstep::graph
