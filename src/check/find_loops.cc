// Loops in an expanded graph: those of `While`, and the frames of version 1 from Enter to Exit.

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "check/flat_graph.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

constexpr int kMaxDepth = 100;

class LoopFinder {
 public:
  LoopFinder(FlatGraph* flat, const std::string& where) : flat_(*flat), where_(where) {}

  Status Run() {
    MarkBackEdges();
    Successors();
    LOCKSTEP_RETURN_IF_ERROR(Sort());
    // Edges of loops lead to where the loop is known already, so one pass gives all.
    for (int node : flat_.order) LOCKSTEP_RETURN_IF_ERROR(Place(node));
    if (EndIterations()) {
      Successors();
      LOCKSTEP_RETURN_IF_ERROR(Sort());
    }
    for (FlatNode& node : flat_.nodes) {
      for (Edge& edge : node.inputs) {
        if (edge.loop == kUnknown) edge.loop = node.loop;
      }
    }
    Successors();
    return Status::Ok();
  }

 private:
  static constexpr int kUnknown = 1 << 30;  // a back edge whose loop is not known yet

  void MarkBackEdges() {
    for (FlatNode& node : flat_.nodes) {
      if (!IsOp(node, {"Merge", "RefMerge"})) continue;
      for (Edge& edge : node.inputs) {
        if (IsOp(flat_.nodes[edge.from], {"NextIteration", "RefNextIteration"})) {
          edge.loop = kUnknown;
        }
      }
    }
  }

  void Successors() {
    flat_.successors.assign(flat_.nodes.size(), {});
    for (size_t i = 0; i < flat_.nodes.size(); ++i) {
      for (const auto* edges : {&flat_.nodes[i].inputs, &flat_.nodes[i].controls}) {
        for (const Edge& edge : *edges) {
          flat_.successors[edge.from].push_back({static_cast<int>(i), edge.output, edge.loop});
        }
      }
    }
  }

  Status Sort() {
    std::vector<int> waits(flat_.nodes.size());
    for (const auto& successors : flat_.successors) {
      for (const Edge& edge : successors) waits[edge.from] += edge.loop < 0;
    }
    // Of several that may come next the one that the text has first.
    const std::vector<int> places = Places();
    std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>>
        ready;
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i] == 0) ready.push({places[i], static_cast<int>(i)});
    }
    flat_.order.clear();
    flat_.rank.resize(waits.size());
    while (!ready.empty()) {
      const int node = ready.top().second;
      ready.pop();
      flat_.rank[node] = static_cast<int>(flat_.order.size());
      flat_.order.push_back(node);
      for (const Edge& edge : flat_.successors[node]) {
        if (edge.loop < 0 && --waits[edge.from] == 0) ready.push({places[edge.from], edge.from});
      }
    }
    if (flat_.order.size() == flat_.nodes.size()) return Status::Ok();
    const auto stuck =
        std::find_if(waits.begin(), waits.end(), [](int count) { return count > 0; });
    const int node = static_cast<int>(stuck - waits.begin());
    return Status(Code::kInvalidArgument,
                  "[race] a graph may have cycles through NextIteration only; got one before \"" +
                      flat_.NameOf(node) + "\" " + PlaceOf(where_, flat_.nodes[node].line));
  }

  // The place of each node in the text, where a call's body stands at the call.
  std::vector<int> Places() const {
    std::vector<std::vector<int>> keys(flat_.nodes.size());
    std::vector<int> sorted(flat_.nodes.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      sorted[i] = static_cast<int>(i);
      keys[i].push_back(static_cast<int>(i));
      for (int base = flat_.nodes[i].base;
           base >= 0 && flat_.nodes[base].scope == flat_.nodes[i].scope;
           base = flat_.nodes[base].base) {
        keys[i].push_back(base);
      }
      for (int scope = flat_.nodes[i].scope; scope >= 0; scope = flat_.scopes[scope].parent) {
        if (flat_.scopes[scope].begin >= 0) keys[i].push_back(flat_.scopes[scope].begin);
      }
      std::reverse(keys[i].begin(), keys[i].end());
    }
    std::sort(sorted.begin(), sorted.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    std::vector<int> places(keys.size());
    for (size_t i = 0; i < sorted.size(); ++i) places[sorted[i]] = static_cast<int>(i);
    return places;
  }

  int Depth(int loop) const {
    int depth = 0;
    for (; loop >= 0; loop = flat_.loops[loop].parent) ++depth;
    return depth;
  }

  Status Place(int id) {
    FlatNode& node = flat_.nodes[id];
    int around = -1;
    for (const auto* edges : {&node.inputs, &node.controls}) {
      for (const Edge& edge : *edges) {
        if (edge.loop >= 0) continue;
        const FlatNode& from = flat_.nodes[edge.from];
        int loop = from.loop;
        if (IsOp(from, {"Exit", "RefExit"}) && loop >= 0) loop = flat_.loops[loop].parent;
        if (Depth(loop) > Depth(around)) around = loop;
      }
    }
    if (node.enters >= 0) {
      flat_.loops[node.enters].parent = around;
      around = node.enters;
    } else if (IsOp(node, {"Enter", "RefEnter"})) {
      around = Frame(node, around);
    } else if (node.exits) {
      around = flat_.nodes[node.base].loop;
    }
    if (Depth(around) > kMaxDepth) {
      return Status(Code::kResourceExhausted,
                    "[race] loops may be nested 100 deep; got more at \"" + flat_.NameOf(id) +
                        "\" " + PlaceOf(where_, node.line));
    }
    node.loop = around;
    return Status::Ok();
  }

  int Frame(const FlatNode& enter, int around) {
    const auto& attributes = enter.def->attr();
    const auto name = attributes.find("frame_name");
    const std::string frame = name == attributes.end() ? "" : name->second.s();
    const auto [place, fresh] =
        frames_.try_emplace({around, enter.scope, frame}, static_cast<int>(flat_.loops.size()));
    if (fresh) {
      const auto parallel = attributes.find("parallel_iterations");
      flat_.loops.push_back({around, parallel == attributes.end() ? 10 : parallel->second.i(),
                             flat_.scopes[enter.scope].path + frame});
    }
    return place->second;
  }

  // A frame with one iteration at a time is left in an iteration that began when all before it had
  // ended, with everything that they do behind the Switch: an end for them, which its Exits wait
  // for. False where there is no such frame.
  bool EndIterations() {
    std::map<int, int> conditions;          // by loop: its LoopCond
    std::map<int, std::vector<int>> exits;  // by loop
    for (size_t i = 0; i < flat_.nodes.size(); ++i) {
      const FlatNode& node = flat_.nodes[i];
      if (node.loop < 0 || flat_.loops[node.loop].parallel > 1) continue;
      if (IsOp(node, {"LoopCond"})) conditions[node.loop] = static_cast<int>(i);
      if (IsOp(node, {"Exit", "RefExit"})) exits[node.loop].push_back(static_cast<int>(i));
    }
    bool some = false;
    for (const auto& [loop, condition] : conditions) {
      const std::vector<int> inside = BehindSwitch(loop, condition);
      if (inside.empty() || !exits.contains(loop)) continue;
      FlatNode end{.kind = FlatNode::Kind::kEnd,
                   .scope = flat_.nodes[condition].scope,
                   .base = condition,
                   .loop = loop};
      for (int node : inside) end.controls.push_back({node});
      for (int exit : exits[loop])
        flat_.nodes[exit].controls.push_back({static_cast<int>(flat_.nodes.size())});
      flat_.nodes.push_back(std::move(end));
      some = true;
    }
    return some;
  }

  // What runs only in iterations that another one follows.
  std::vector<int> BehindSwitch(int loop, int condition) const {
    std::vector<int> inside;
    std::vector<char> seen(flat_.nodes.size());
    const auto follow = [&](int from, bool only_true) {
      for (const Edge& edge : flat_.successors[from]) {
        if (edge.loop >= 0 || seen[edge.from] || (only_true && edge.output != 1)) continue;
        if (!flat_.Around(loop, flat_.nodes[edge.from].loop)) continue;
        seen[edge.from] = true;
        inside.push_back(edge.from);
      }
    };
    for (const Edge& edge : flat_.successors[condition]) {
      if (IsOp(flat_.nodes[edge.from], {"Switch", "RefSwitch"})) follow(edge.from, true);
    }
    for (size_t i = 0; i < inside.size(); ++i) follow(inside[i], false);
    return inside;
  }

  FlatGraph& flat_;
  const std::string& where_;
  std::map<std::tuple<int, int, std::string>, int> frames_;
};

}  // namespace

Status FindLoops(FlatGraph* flat, const std::string& where) {
  return LoopFinder(flat, where).Run();
}

}  // namespace lockstep::check
