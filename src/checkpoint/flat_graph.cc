#include "checkpoint/flat_graph.h"

#include <map>

namespace lockstep::checkpoint {

namespace {

// Numbers the objects breadth first; an object is where it was found first.
class Flattener {
 public:
  FlatGraph Run(const Trackable& root) {
    Number(root, "");
    for (size_t i = 0; i < objects_.size(); ++i) {
      const std::string path = paths_[i];
      for (const TrackedPart& part : objects_[i].parts()) {
        const std::string name = EscapeName(part.name);
        const int node = Number(part.object, path.empty() ? name : path + "/" + name);
        flat_.graph[i].children.push_back({node, part.name});
      }
    }
    NoteValues();
    return std::move(flat_);
  }

 private:
  int Number(const Trackable& object, const std::string& path) {
    const auto [place, added] = numbers_.try_emplace(object.identity(), objects_.size());
    if (!added) return place->second;
    objects_.push_back(object);
    paths_.push_back(path);
    flat_.graph.emplace_back();
    if (object.variable().defined()) {
      const std::string key = path + "/.ATTRIBUTES/" + kVariableValue;
      flat_.graph.back().values.push_back({kVariableValue, object.variable().name(), key});
      flat_.graph.back().has_values = true;
      flat_.variables.emplace_back(key, object.variable());
    }
    return place->second;
  }

  // Whether values are inside, for all nodes; there may be circles.
  void NoteValues() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto node = flat_.graph.rbegin(); node != flat_.graph.rend(); ++node) {
        for (const auto& child : node->children) {
          if (node->has_values || !flat_.graph[child.node].has_values) continue;
          node->has_values = changed = true;
        }
      }
    }
  }

  FlatGraph flat_;
  std::vector<Trackable> objects_;
  std::vector<std::string> paths_;
  std::map<const void*, int> numbers_;
};

}  // namespace

FlatGraph Flatten(const Trackable& root) { return Flattener().Run(root); }

}  // namespace lockstep::checkpoint
