#include "graph/rows.h"

#include <algorithm>

namespace lockstep::graph {

namespace {

// Rows of the input that carries examples; the inputs of one op agree where several do.
int64_t RowsOfInputs(const Graph& graph, const Node& node, const std::vector<char>& has_rows) {
  int64_t rows = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (has_rows[i]) rows = std::max(rows, graph.type(node.inputs[i]).shape[0]);
  }
  return rows;
}

bool HasRows(const Shape& shape) { return shape.ranked() && shape.rank() > 0; }

}  // namespace

RowAnalysis AnalyzeRows(const Graph& graph, int64_t examples,
                        const std::vector<bool>& parameter_rows) {
  RowAnalysis analysis;
  std::vector<std::vector<char>>& rows = analysis.has_rows;
  rows.resize(graph.num_nodes());
  for (const Node& node : graph.nodes()) {
    std::vector<char>& own = rows[node.id];
    own.assign(node.outputs.size(), 0);
    if (node.spec->name == "Arg") {
      own[0] = parameter_rows[node.attributes.Get<int64_t>("index")];
      continue;
    }
    std::vector<char> has_rows;
    std::vector<ops::TensorType> inputs;
    for (Endpoint input : node.inputs) {
      has_rows.push_back(rows[input.node][input.index]);
      inputs.push_back(graph.type(input));
    }
    if (std::find(has_rows.begin(), has_rows.end(), 1) == has_rows.end()) continue;
    const ops::RowContext context{node.attributes, inputs, has_rows, node.outputs, examples};
    const ops::RowEffect effect =
        node.spec->rows == nullptr ? ops::RowEffect::kMixes : node.spec->rows(context);
    switch (effect) {
      case ops::RowEffect::kRows:
        for (size_t i = 0; i < own.size(); ++i) own[i] = HasRows(node.outputs[i].shape);
        break;
      case ops::RowEffect::kSum: {
        const int64_t total = RowsOfInputs(graph, node, has_rows);
        if (examples > 0 && total % examples == 0) {
          analysis.rows_per_example[node.id] = total / examples;
          break;
        }
        [[fallthrough]];
      }
      case ops::RowEffect::kMixes:
        if (analysis.mixing_node < 0) analysis.mixing_node = node.id;
        break;
      case ops::RowEffect::kWhole:
        break;
    }
  }
  return analysis;
}

void CutIntoLeaves(Graph& graph, const RowAnalysis& analysis, const std::vector<int64_t>& offsets) {
  for (const auto& [node, multiple] : analysis.rows_per_example) {
    std::vector<int64_t> table = offsets;
    for (int64_t& offset : table) offset *= multiple;
    graph.node(node).attributes.Set("leaves", std::move(table));
  }
}

}  // namespace lockstep::graph
