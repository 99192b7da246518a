#include "check/captured.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/flat_graph.h"
#include "graph/graph_def.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using graph_def::FunctionDef;
using graph_def::NodeDef;

constexpr int kMaxCapturedCalls = 100;  // inside of each other
constexpr OpAccess kAnything{AccessKind::kUpdate};

const FunctionDef* FunctionNamed(const graph_def::FunctionDefLibrary& library,
                                 std::string_view name) {
  const auto& functions = library.function();
  const auto place = std::find_if(functions.begin(), functions.end(), [&](const auto& function) {
    return function.signature().name() == name;
  });
  return place == functions.end() ? nullptr : &*place;
}

// Of two things that happen to a variable what is to be said of both.
std::optional<OpAccess> Both(const std::optional<OpAccess>& a, const std::optional<OpAccess>& b) {
  if (!a || !b) return a ? a : b;
  const bool reads = a->kind == AccessKind::kRead && b->kind == AccessKind::kRead;
  return reads ? OpAccess{AccessKind::kRead} : kAnything;
}

class CapturedUse {
 public:
  explicit CapturedUse(const graph_def::FunctionDefLibrary& library) : library_(library) {}

  // What the function does to its argument `argument`. A call of itself adds nothing to that.
  std::optional<OpAccess> Of(const FunctionDef& function, int argument, int depth = 0) {
    if (argument >= function.signature().input_arg_size() || depth > kMaxCapturedCalls)
      return kAnything;
    const auto [place, fresh] = known_.try_emplace({&function, argument});
    if (fresh) place->second = Find(function, argument, depth);
    return place->second;
  }

 private:
  std::optional<OpAccess> Find(const FunctionDef& function, int argument, int depth) {
    std::set<std::string_view> names{function.signature().input_arg(argument).name()};
    std::optional<OpAccess> all;
    for (bool changed = true; changed;) {
      changed = false;
      for (const NodeDef& node : function.node_def()) {
        for (int i = 0; i < node.input_size(); ++i) {
          const auto input = graph::ParseInputName(node.input(i));
          if (!input.ok() || input->control || !names.contains(input->node)) continue;
          if (PassOf(node.op()) != Pass::kNone) {
            changed |= names.insert(node.name()).second;
          } else {
            all = Both(all, OfNode(node, i, depth));
          }
        }
      }
    }
    return all;
  }

  std::optional<OpAccess> OfNode(const NodeDef& node, int input, int depth) {
    const std::string& op = node.op();
    if (op == "For") return kAnything;
    const int first = op.ends_with("If") || op.ends_with("Case") || op == "RemoteCall" ? 1 : 0;
    std::optional<OpAccess> all;
    bool calls = false;
    for (const std::string& called : FunctionsOf(node)) {
      const FunctionDef* function = FunctionNamed(library_, called);
      if (function == nullptr) continue;
      calls = true;
      all = Both(all, Of(*function, std::max(input - first, 0), depth + 1));
    }
    if (calls) return all;
    const auto access = AccessOfVariable(node, input, false);
    if (!access || access->kind == AccessKind::kRead)
      return access ? std::optional(OpAccess{AccessKind::kRead}) : std::nullopt;
    return kAnything;
  }

  const graph_def::FunctionDefLibrary& library_;
  std::map<std::pair<const FunctionDef*, int>, std::optional<OpAccess>> known_;
};

}  // namespace

bool RunsDataset(std::string_view op) {
  return op == "ReduceDataset" || op == "DatasetToSingleElement" || op == "DatasetToTFRecord";
}

bool RunsFunctions(const NodeDef& node) {
  if (node.op().find("Dataset") != std::string::npos || node.op().starts_with("_")) return false;
  return std::any_of(node.attr().begin(), node.attr().end(), [](const auto& attribute) {
    return !attribute.first.starts_with('_') && attribute.second.has_func();
  });
}

std::optional<OpAccess> AccessOfCaptured(const graph_def::FunctionDefLibrary& library,
                                         const NodeDef& node, int number, int handles) {
  CapturedUse use(library);
  std::optional<OpAccess> all;
  bool found = false;
  for (const auto& [name, value] : node.attr()) {
    if (!value.has_func()) continue;
    const FunctionDef* function = FunctionNamed(library, value.func().name());
    if (function == nullptr) return kAnything;
    found = true;
    std::vector<int> arguments;
    for (int i = 0; i < function->signature().input_arg_size(); ++i) {
      if (function->signature().input_arg(i).type() == graph_def::DT_RESOURCE)
        arguments.push_back(i);
    }
    if (std::ssize(arguments) != handles) return kAnything;
    all = Both(all, use.Of(*function, arguments[number]));
  }
  if (!found && RunsDataset(node.op())) return kAnything;
  return all;
}

}  // namespace lockstep::check
