#include "check/runs.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "check/flat_graph.h"
#include "check/op_accesses.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using graph_def::NodeDef;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view Prefix(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

class RunFinder {
 public:
  explicit RunFinder(const graph::ReadGraph& read) : graph_(*read.graph), where_(read.where) {}

  Status Connect() {
    const int count = graph_.node_size();
    for (int i = 0; i < count; ++i) numbers_.emplace(graph_.node(i).name(), i);
    inputs_.resize(count);
    consumers_.resize(count);
    for (int i = 0; i < count; ++i) {
      for (const std::string& input : graph_.node(i).input()) {
        const auto name = graph::ParseInputName(input);
        if (!name.ok()) continue;  // what expands the graph says where
        const auto place = numbers_.find(name->node);
        if (place == numbers_.end()) continue;
        inputs_[i].push_back(place->second);
        consumers_[place->second].push_back(i);
      }
    }
    return Status::Ok();
  }

  Result<RunNodes> Named(const std::vector<std::string>& names) const {
    std::vector<int> from;
    for (const std::string& name : names) {
      const auto place = numbers_.find(std::string_view(name).substr(0, name.find(':')));
      if (place == numbers_.end()) {
        return Status(Code::kInvalidArgument, "[race] a run must name nodes of the graph; got \"" +
                                                  name + "\" (" + where_ + ")");
      }
      from.push_back(place->second);
    }
    return RunNodes{false, Behind(from), from};
  }

  // Adds what gives the iterators of a run their datasets where another run does that, for what
  // these read and write when elements are taken.
  void AddDatasets(RunNodes* run) const {
    std::set<std::string> iterators;
    for (int i : run->nodes) {
      if (Contains(Node(i).op(), "Iterator")) iterators.insert(SharedName(i));
    }
    std::vector<int> makers;
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (Node(i).op() != "MakeIterator" || inputs_[i].size() < 2) continue;
      if (iterators.contains(SharedName(Handed(inputs_[i][1])))) makers.push_back(i);
    }
    const std::vector<int> behind = Behind(makers);
    std::set_difference(behind.begin(), behind.end(), run->nodes.begin(), run->nodes.end(),
                        std::back_inserter(run->elsewhere));
    run->nodes.insert(run->nodes.end(), run->elsewhere.begin(), run->elsewhere.end());
    std::sort(run->nodes.begin(), run->nodes.end());
  }

  // Savers and initializers, which do not run with the rest.
  void FindApart() {
    FindSavers();
    FindInitializers();
  }

  // The variables that initializers give their first values.
  std::set<std::string> Born() const {
    std::set<std::string> born;
    for (int i : initial_) {
      if (!Assigns(Node(i).op()) || inputs_[i].empty()) continue;
      const NodeDef& variable = Node(Handed(inputs_[i][0]));
      const std::string shared = TextOf(variable, "shared_name");
      born.insert(shared.empty() ? variable.name() : shared);
    }
    return born;
  }

  std::vector<RunNodes> Default() {
    std::vector<int> first, rest, alternatives;
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (initial_.contains(i)) {
        // An iterator may have several, of which one runs at a time.
        const bool alone = Node(i).op() == "MakeIterator" && consumers_[i].empty();
        const bool later = std::any_of(consumers_[i].begin(), consumers_[i].end(),
                                       [&](int consumer) { return BeginsTraining(consumer); });
        if (!later) (alone || BeginsTraining(i) ? alternatives : first).push_back(i);
      } else if (!saver_.contains(i) && !BornRead(i) && !Leftover(i) && IsLast(i) &&
                 !OnlyInitializes(i)) {
        rest.push_back(i);
      }
    }
    std::copy_if(rest.begin(), rest.end(), std::back_inserter(alternatives),
                 [&](int i) { return IsSignature(i); });
    std::erase_if(rest, [&](int i) { return IsSignature(i); });
    std::vector<RunNodes> runs{{false, Behind(rest)}};
    // What is in nobody's past is in a cycle: a loop without end.
    std::vector<char> known(graph_.node_size());
    for (int i : runs[0].nodes) known[i] = true;
    for (int i : Behind(first)) known[i] = true;
    for (int i : Behind(alternatives)) known[i] = true;
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (!known[i] && !saver_.contains(i) && !BornRead(i) && !Leftover(i)) rest.push_back(i);
    }
    runs[0].nodes = Behind(rest);
    if (!first.empty()) runs.push_back({true, Behind(first)});
    for (int i : alternatives) runs.push_back({false, Behind({i})});
    return runs;
  }

 private:
  const NodeDef& Node(int i) const { return graph_.node(i); }
  bool Apart(int i) const { return initial_.contains(i) || saver_.contains(i); }

  // Everything that the given nodes need, and they.
  std::vector<int> Behind(const std::vector<int>& from) const {
    std::vector<char> needed(graph_.node_size());
    std::vector<int> open = from;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (needed[node]) continue;
      needed[node] = true;
      open.insert(open.end(), inputs_[node].begin(), inputs_[node].end());
    }
    std::vector<int> nodes;
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (needed[i]) nodes.push_back(i);
    }
    return nodes;
  }

  // The name that handles of one object have in common.
  std::string SharedName(int i) const {
    const std::string shared = TextOf(Node(i), "shared_name");
    return TextOf(Node(i), "container") + "\n" + (shared.empty() ? Node(i).name() : shared);
  }
  // The node that makes the handle that `i` hands on.
  int Handed(int i) const {
    for (int steps = 0; steps < graph_.node_size(); ++steps) {
      if (PassOf(Node(i).op()) != Pass::kFirst || inputs_[i].empty()) break;
      i = inputs_[i][0];
    }
    return i;
  }

  // Nobody of the same run takes anything of it.
  bool IsLast(int i) const {
    return std::all_of(consumers_[i].begin(), consumers_[i].end(), [&](int consumer) {
      return Apart(consumer) || BornRead(consumer) || Leftover(consumer);
    });
  }

  bool OnlyInitializes(int i) const {
    return !consumers_[i].empty() &&
           std::all_of(consumers_[i].begin(), consumers_[i].end(),
                       [&](int consumer) { return initial_.contains(consumer); });
  }

  bool Unused(int i) const {
    return std::all_of(consumers_[i].begin(), consumers_[i].end(),
                       [&](int consumer) { return Apart(consumer) || LeftoverSlice(consumer); });
  }

  // `v[a:b]`, which TensorFlow makes, with its read, for `v[a:b].assign` to take its bounds from.
  bool LeftoverSlice(int i) const {
    if (Node(i).op() != "StridedSlice" || inputs_[i].empty() || !consumers_[i].empty())
      return false;
    const auto assign = numbers_.find(std::string_view(Node(i).name() + "/_assign"));
    return assign != numbers_.end() && Node(assign->second).op().ends_with("StridedSliceAssign");
  }

  // Its read, which it shares with nobody.
  bool LeftoverRead(int i) const {
    return Node(i).op() == "ReadVariableOp" && !consumers_[i].empty() &&
           std::all_of(consumers_[i].begin(), consumers_[i].end(),
                       [&](int consumer) { return LeftoverSlice(consumer); });
  }

  // `tf.train.Saver` puts both ops below one name.
  void FindSavers() {
    std::set<std::string_view> saves, restores;
    for (const NodeDef& node : graph_.node()) {
      if (node.op() == "SaveV2" || node.op() == "SaveSlices") saves.insert(Prefix(node.name()));
      if (node.op() == "RestoreV2" || node.op() == "RestoreSlice")
        restores.insert(Prefix(node.name()));
    }
    for (int i = 0; i < graph_.node_size(); ++i) {
      for (std::string_view name = Prefix(Node(i).name()); !name.empty(); name = Prefix(name)) {
        if (saves.contains(name) && restores.contains(name)) saver_.insert(i);
      }
    }
    FindSavingCalls();
  }

  // A SavedModel has them as two calls.
  void FindSavingCalls() {
    std::set<std::string_view> saves, restores;
    for (const auto& function : graph_.library().function()) {
      for (const NodeDef& node : function.node_def()) {
        if (node.op() == "SaveV2") saves.insert(function.signature().name());
        if (node.op() == "RestoreV2") restores.insert(function.signature().name());
      }
    }
    if (saves.empty() || restores.empty()) return;
    for (int i = 0; i < graph_.node_size(); ++i) {
      const std::string_view called = Called(i);
      if (saves.contains(called) || restores.contains(called)) saver_.insert(i);
    }
  }

  // The function of a call; empty for other nodes.
  std::string_view Called(int i) const {
    if (!Node(i).op().ends_with("PartitionedCall")) return {};
    const auto place = Node(i).attr().find("f");
    return place == Node(i).attr().end() ? std::string_view() : place->second.func().name();
  }
  // What a SavedModel offers, each by itself.
  bool IsSignature(int i) const { return Contains(Called(i), "_signature_wrapper_"); }

  // Whether the assignment is called what a variable's first one is called.
  bool NamedLikeFirst(int i) const {
    if (!Assigns(Node(i).op()) || inputs_[i].empty()) return false;
    return Node(i).name() == Node(inputs_[i][0]).name() + "/Assign";
  }

  bool ValueIsInitial(int i) const {
    const std::string variable = Node(inputs_[i][0]).name() + "/";
    for (size_t k = 1; k < inputs_[i].size(); ++k) {
      const std::string& name = Node(inputs_[i][k]).name();
      if (name.starts_with(variable) || Contains(name, "init") || Contains(name, "Init"))
        return true;
    }
    return MadeOfConstants(i);
  }

  // Whether what is assigned comes from nothing that was fed or read.
  bool MadeOfConstants(int i) const {
    const std::vector<int> value(inputs_[i].begin() + 1, inputs_[i].end());
    const std::vector<int> sources = Behind(value);
    return !value.empty() && std::all_of(sources.begin(), sources.end(), [&](int source) {
      const std::string& op = Node(source).op();
      return !Contains(op, "Placeholder") && !Contains(op, "Variable") && op != "VarHandleOp" &&
             op != "_Arg" && op != "_Recv" && Called(source).empty();
    });
  }

  // By an op, or by one that takes the handle along: a call, or a loop's or branch's begin.
  bool WrittenBesides(int i) const {
    const auto& users = consumers_[inputs_[i][0]];
    return std::any_of(users.begin(), users.end(), [&](int user) {
      return user != i && !saver_.contains(user) && Writes(user, inputs_[i][0]);
    });
  }

  bool Writes(int user, int variable) const {
    const bool reference = Node(variable).op() != "VarHandleOp";
    if (!reference && PassOf(Node(user).op()) != Pass::kNone) return true;
    for (size_t k = 0; k < inputs_[user].size(); ++k) {
      if (inputs_[user][k] != variable) continue;
      const auto access = AccessOfVariable(Node(user), static_cast<int>(k), reference);
      if (access.value_or(OpAccess{}).kind != AccessKind::kRead) return true;
    }
    return false;
  }

  void FindInitializers() {
    std::set<int> candidates;
    for (int i = 0; i < graph_.node_size(); ++i) {
      const bool begins = Assigns(Node(i).op()) && !inputs_[i].empty();
      if ((begins || InitializesObject(Node(i).op()) || BeginsAccumulator(i)) &&
          !saver_.contains(i))
        candidates.insert(i);
    }
    // Groups of nothing but candidates, innermost first; in a graph from elsewhere in any order.
    std::set<int> groups;
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = 0; i < graph_.node_size(); ++i) {
        if (Node(i).op() != "NoOp" || groups.contains(i) || !IsInitialGroup(i, candidates, groups))
          continue;
        changed = groups.insert(i).second;
      }
    }
    for (int i : candidates) {
      const auto is_group = [&](int consumer) { return groups.contains(consumer); };
      const bool grouped =
          std::any_of(consumers_[i].begin(), consumers_[i].end(), is_group) &&
          std::all_of(consumers_[i].begin(), consumers_[i].end(),
                      [&](int consumer) { return is_group(consumer) || Leftover(consumer); });
      const bool alone = consumers_[i].empty() &&
                         (InitializesObject(Node(i).op()) ||
                          (NamedLikeFirst(i) && (ValueIsInitial(i) || WrittenBesides(i))));
      if (grouped || alone) initial_.insert(i);
    }
    initial_.insert(groups.begin(), groups.end());
  }

  bool IsInitialGroup(int i, const std::set<int>& candidates, const std::set<int>& groups) const {
    const auto nothing = [&](int input) {
      return Node(input).op() == "NoOp" && inputs_[input].empty();
    };
    if (std::all_of(inputs_[i].begin(), inputs_[i].end(), nothing)) return false;
    const std::string_view name =
        std::string_view(Node(i).name())
            .substr(Prefix(Node(i).name()).empty() ? 0 : Prefix(Node(i).name()).size() + 1);
    const bool called =
        name.starts_with("init") || Contains(name, "initializer") || BeginsTraining(i);
    return std::all_of(inputs_[i].begin(), inputs_[i].end(), [&](int input) {
      if (groups.contains(input) || nothing(input)) return true;
      if (!candidates.contains(input)) return false;
      return called || NamedLikeFirst(input) || InitializesObject(Node(input).op());
    });
  }

  bool BeginsAccumulator(int i) const { return Node(i).op().ends_with("AccumulatorSetGlobalStep"); }
  // The group that does so, which runs when variables have their first values.
  bool BeginsTraining(int i) const {
    return Node(i).op() == "NoOp" &&
           std::any_of(inputs_[i].begin(), inputs_[i].end(),
                       [&](int input) { return BeginsAccumulator(input); });
  }

  // What a `Saver` would save of a table, which TensorFlow makes with the table.
  bool BornExport(int i) const {
    return Node(i).op() == "LookupTableExportV2" &&
           Node(i).name() ==
               Node(inputs_[i][0]).name() + "_lookup_table_export_values/LookupTableExportV2";
  }

  // A read that TensorFlow makes with each variable, beside its first assignment.
  bool BornRead(int i) const {
    if (inputs_[i].empty() || !Unused(i)) return false;
    if (BornExport(i)) return true;
    const std::string& variable = Node(inputs_[i][0]).name();
    const std::string& name = Node(i).name();
    if (name != variable + "/read" && name != variable + "/Read/ReadVariableOp" &&
        name != variable + "/Read" && name != variable + "/IsInitialized/VarIsInitializedOp") {
      return false;
    }
    const auto first = numbers_.find(std::string_view(variable + "/Assign"));
    if (first != numbers_.end()) return initial_.contains(first->second);
    // A SavedModel keeps the read, and not the assignment.
    return name == variable + "/Read/ReadVariableOp" && !saver_.empty();
  }

  // Whether nobody has given the node a name, so that it is called what its op is called.
  bool Unnamed(int i) const {
    std::string_view name = Node(i).name();
    name.remove_prefix(Prefix(name).empty() ? 0 : Prefix(name).size() + 1);
    return name == Node(i).op() || name.starts_with(Node(i).op() + "_");
  }

  // The read of the new value that TensorFlow makes behind each assignment, where nobody takes it.
  bool Leftover(int i) const {
    if (LeftoverSlice(i) || LeftoverRead(i)) return true;
    if (Node(i).op() != "ReadVariableOp" || graph_.versions().producer() == 0 || !Unnamed(i) ||
        !Unused(i)) {
      return false;
    }
    return std::any_of(inputs_[i].begin() + 1, inputs_[i].end(), [&](int input) {
      return !inputs_[input].empty() && inputs_[input][0] == inputs_[i][0] &&
             AccessOfVariable(Node(input), 0, false).value_or(OpAccess{}).kind != AccessKind::kRead;
    });
  }

  const graph_def::GraphDef& graph_;
  const std::string& where_;
  std::unordered_map<std::string_view, int> numbers_;
  std::vector<std::vector<int>> inputs_, consumers_;
  std::unordered_set<int> saver_, initial_;
};

}  // namespace

Result<std::vector<RunNodes>> RunsOf(const graph::ReadGraph& read,
                                     const StaticRaceOptions& options) {
  RunFinder finder(read);
  LOCKSTEP_RETURN_IF_ERROR(finder.Connect());
  finder.FindApart();
  std::vector<RunNodes> runs;
  if (options.runs.empty()) runs = finder.Default();
  for (const auto& names : options.runs) {
    LOCKSTEP_ASSIGN_OR_RETURN(RunNodes run, finder.Named(names));
    runs.push_back(std::move(run));
  }
  for (RunNodes& run : runs) {
    finder.AddDatasets(&run);
    run.born = finder.Born();
  }
  return runs;
}

std::vector<int> FunctionsNobodyCalls(const graph::ReadGraph& read) {
  std::unordered_set<std::string> called;
  const auto& library = read.graph->library();
  const auto note = [&](const NodeDef& node) {
    // Of a dataset: nothing in the graph waits for it.
    if (Contains(node.op(), "Dataset")) return;
    for (const std::string& name : FunctionsOf(node)) called.insert(name);
  };
  for (const NodeDef& node : read.graph->node()) note(node);
  for (const auto& function : library.function()) {
    for (const NodeDef& node : function.node_def()) note(node);
  }
  std::vector<int> nobody;
  for (int i = 0; i < library.function_size(); ++i) {
    if (!called.contains(library.function(i).signature().name())) nobody.push_back(i);
  }
  return nobody;
}

}  // namespace lockstep::check
