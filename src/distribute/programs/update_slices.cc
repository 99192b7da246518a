#include "distribute/programs/update_slices.h"

#include <algorithm>
#include <map>

#include "graph/segments.h"
#include "ops/training.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;

constexpr int64_t kGrain = 16;  // rows, where there are many

// One attempt with a set of sums; a node that needs the whole names the sums to give up.
class Attempt {
 public:
  Attempt(const graph::Graph& graph, const graph::RowAnalysis& analysis, const std::set<int>& sums)
      : graph_(graph), analysis_(analysis), sums_(sums), sliced_(graph.num_nodes()) {}

  // The sums that can't be sliced; none: it worked.
  std::set<int> Follow() {
    for (const Node& node : graph_.nodes()) {
      if (sums_.contains(node.id)) {
        sliced_[node.id] = {node.outputs[0].shape[0], {node.id}};
      } else {
        AddNode(node);
      }
    }
    for (Endpoint result : graph_.results()) Refuse(result.node);
    for (const Node& node : graph_.nodes()) {
      if (!windowed_.contains(node.id)) RefuseWrites(node);
    }
    return refused_;
  }

  UpdateSlices Finish() {
    UpdateSlices slices{.sums = sums_, .nodes = windowed_};
    std::vector<Endpoint> handles;
    for (const auto& [object, written] : written_) handles.push_back(written.handle);
    slices.variables =
        WrittenVariables(graph_, handles, [this](int node) { return windowed_.contains(node); });
    return slices;
  }

 private:
  struct Slice {
    int64_t rows = 0;  // 0: whole
    std::set<int> origins;
  };
  struct Writes {
    Endpoint handle;  // the constant
    int64_t rows = 0;
    std::set<int> origins;
  };

  void Refuse(int node) {
    refused_.insert(sliced_[node].origins.begin(), sliced_[node].origins.end());
  }

  // Reads of what was written by rows are rows.
  void AddNode(const Node& node) {
    Slice own;
    bool conflict = false;
    const auto take = [&](const Slice& from) {
      if (from.rows == 0) return;
      conflict |= own.rows != 0 && own.rows != from.rows;
      own.rows = from.rows;
      own.origins.insert(from.origins.begin(), from.origins.end());
    };
    for (Endpoint input : node.inputs) {
      take(sliced_[input.node]);
      if (!graph::IsHandle(graph_, input)) continue;
      const auto written = written_.find(ObjectOf(graph_, input));
      if (written != written_.end()) take({written->second.rows, written->second.origins});
    }
    if (own.rows == 0) return;
    for (char has_rows : analysis_.has_rows[node.id]) conflict |= has_rows != 0;
    for (Endpoint input : node.inputs) conflict |= analysis_.has_rows[input.node][input.index] != 0;
    if (conflict || !Follows(node, own)) {
      refused_.insert(own.origins.begin(), own.origins.end());
      return;
    }
    windowed_[node.id] = own.rows;
    if (!node.outputs.empty() && effect_ == ops::RowEffect::kRows) sliced_[node.id] = own;
    if (node.spec->effects.writes != 0) Write(node, own);
  }

  // Whether the node's rows follow from the rows of its inputs.
  bool Follows(const Node& node, const Slice& own) {
    effect_ = ops::RowEffect::kRows;
    if (node.spec->name == "ReadVariableOp") return true;
    std::vector<char> has_rows;
    std::vector<ops::TensorType> inputs;
    for (Endpoint input : node.inputs) {
      const ops::TensorType& type = graph_.type(input);
      inputs.push_back(type);
      const bool fits = type.shape.rank() > 0 && type.shape[0] == own.rows;
      if (sliced_[input.node].rows != 0 && !fits) return false;
      const bool alike = node.outputs.empty() || type.shape.rank() == node.outputs[0].shape.rank();
      has_rows.push_back(fits && (alike || sliced_[input.node].rows != 0));
    }
    if (node.spec->effects.writes != 0) {
      if (!IsUpdate(node)) return false;
      for (Endpoint input : node.inputs) {
        const Shape& shape = graph_.type(input).shape;
        if (graph::IsHandle(graph_, input) && (shape.rank() == 0 || shape[0] != own.rows))
          return false;
      }
      return sliced_[node.inputs.back().node].rows != 0 || HasSlicedOperand(node);
    }
    if (node.spec->rows == nullptr || node.spec->stateful()) return false;
    const ops::RowContext context{node.attributes, inputs, has_rows, node.outputs, own.rows};
    effect_ = node.spec->rows(context);
    return effect_ == ops::RowEffect::kRows;
  }

  bool HasSlicedOperand(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](Endpoint input) { return sliced_[input.node].rows != 0; });
  }

  void Write(const Node& node, const Slice& own) {
    for (Endpoint input : node.inputs) {
      if (!graph::IsHandle(graph_, input)) continue;
      Writes& written = written_[ObjectOf(graph_, input)];
      written.handle = graph::ViewedBy(graph_, input);
      written.rows = own.rows;
      written.origins.insert(own.origins.begin(), own.origins.end());
    }
  }

  // A variable that is written by rows must not be written whole too.
  void RefuseWrites(const Node& node) {
    if (node.spec->effects.writes == 0) return;
    for (Endpoint input : node.inputs) {
      if (!graph::IsHandle(graph_, input)) continue;
      const auto written = written_.find(ObjectOf(graph_, input));
      if (written != written_.end())
        refused_.insert(written->second.origins.begin(), written->second.origins.end());
    }
  }

  const graph::Graph& graph_;
  const graph::RowAnalysis& analysis_;
  const std::set<int>& sums_;
  std::vector<Slice> sliced_;  // by node
  std::unordered_map<int, int64_t> windowed_;
  std::map<const void*, Writes> written_;
  std::set<int> refused_;
  ops::RowEffect effect_ = ops::RowEffect::kRows;
};

// Whether something outside takes the variable's value.
bool NeededOutside(const graph::Graph& graph, Endpoint handle,
                   const std::function<bool(int)>& inside) {
  const void* object = ObjectOf(graph, handle);
  std::set<int> reads;
  for (const Node& node : graph.nodes()) {
    for (Endpoint input : node.inputs) {
      if (graph::IsHandle(graph, input) && ObjectOf(graph, input) == object && !inside(node.id)) {
        if (node.spec->name != "ReadVariableOp") return true;
        reads.insert(node.id);
      }
      if (reads.contains(input.node) && !inside(node.id)) return true;
    }
  }
  return std::any_of(graph.results().begin(), graph.results().end(),
                     [&](Endpoint result) { return reads.contains(result.node); });
}

}  // namespace

bool IsUpdate(const Node& node) {
  const std::string& op = node.spec->name;
  if (op == "AssignVariableOp" || op == "AssignAddVariableOp" || op == "AssignSubVariableOp")
    return true;
  return ops::FindRule(op) != nullptr;
}

const void* ObjectOf(const graph::Graph& graph, Endpoint e) {
  const Tensor* handle = graph::ResourceOf(graph, e);
  return handle == nullptr ? nullptr : handle->object().get();
}

std::set<const void*> TakenWhole(const graph::Graph& graph) {
  std::set<const void*> objects;
  for (const Node& node : graph.nodes()) {
    for (Endpoint input : node.inputs) {
      const Tensor* handle = graph.constant(input);
      if (handle != nullptr && handle->dtype() == DType::kResource &&
          node.spec->name != "_VariableRows" && node.spec->name != "_GatherVariables")
        objects.insert(handle->object().get());
    }
  }
  return objects;
}

std::vector<UpdateSlices::Written> WrittenVariables(const graph::Graph& graph,
                                                    const std::vector<Endpoint>& handles,
                                                    const std::function<bool(int)>& inside) {
  std::vector<UpdateSlices::Written> variables;
  for (const Endpoint handle : handles) {
    const Tensor* constant = graph.constant(handle);
    const auto* cell = constant == nullptr
                           ? nullptr
                           : dynamic_cast<const runtime::VariableCell*>(constant->object().get());
    const bool trainable = cell == nullptr || cell->trainable();
    variables.push_back(
        {handle, graph.type(handle).shape[0], trainable || NeededOutside(graph, handle, inside)});
  }
  std::sort(variables.begin(), variables.end(),
            [](const auto& a, const auto& b) { return a.handle.node < b.handle.node; });
  return variables;
}

ops::Attributes WithRows(ops::Attributes attributes, int64_t whole, int64_t count) {
  for (const char* name : {"shape", "size", "input_sizes"}) {
    const auto* list = attributes.Find(name);
    if (list == nullptr || !std::holds_alternative<std::vector<int64_t>>(*list)) continue;
    auto sizes = std::get<std::vector<int64_t>>(*list);
    if (sizes.empty() || sizes[0] != whole) continue;
    sizes[0] = count;
    attributes.Set(name, std::move(sizes));
  }
  return attributes;
}

std::vector<int64_t> RowBorders(int64_t rows, const Roles& roles) {
  const std::vector<int>& ranks = roles.row_ranks();
  const int64_t grain = rows >= 2 * kGrain * static_cast<int64_t>(ranks.size()) ? kGrain : 1;
  return roles.Divide(rows, ranks, grain);
}

std::set<int> SumsOfWeights(const graph::Graph& graph, const graph::RowAnalysis& analysis,
                            int64_t least) {
  std::set<int> sums;
  for (const auto& [id, rows] : analysis.rows_per_example) {
    const Node& node = graph.node(id);
    const Shape& shape = node.outputs[0].shape;
    if (node.outputs.size() == 1 && node.attributes.Find("replicas") == nullptr &&
        shape.rank() > 0 && shape.num_elements() >= least)
      sums.insert(id);
  }
  return sums;
}

UpdateSlices FindUpdateSlices(const graph::Graph& graph, const graph::RowAnalysis& analysis,
                              int ranks, int64_t least) {
  std::set<int> sums = SumsOfWeights(graph, analysis, least);
  std::erase_if(sums, [&](int id) { return graph.node(id).outputs[0].shape[0] < ranks; });
  while (true) {
    Attempt attempt(graph, analysis, sums);
    const std::set<int> refused = attempt.Follow();
    if (refused.empty()) return attempt.Finish();
    for (int id : refused) sums.erase(id);
  }
}

}  // namespace lockstep::distribute
