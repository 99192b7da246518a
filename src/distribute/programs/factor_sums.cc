#include "distribute/programs/factor_sums.h"

#include <optional>

namespace lockstep::distribute {

namespace {

// A product over `examples` of an input of `inputs` columns and a gradient of `outputs` columns.
struct GradientProduct {
  int64_t examples, inputs, outputs;
};

std::optional<GradientProduct> ProductOf(const graph::Graph& graph, const graph::Node& sum) {
  if (sum.spec->name != "MatMul" || !sum.attributes.GetOr<bool>("transpose_a", false) ||
      sum.attributes.GetOr<bool>("transpose_b", false)) {
    return std::nullopt;
  }
  const Shape& input = graph.type(sum.inputs[0]).shape;
  return GradientProduct{input[0], input[1], sum.outputs[0].shape[1]};
}

}  // namespace

std::optional<graph::ScaledBytes> BytesOfFactor(const graph::Graph& graph, const graph::Node& sum) {
  graph::Endpoint input = sum.inputs[0];
  while (graph.node(input.node).spec->name == "Reshape") input = graph.node(input.node).inputs[0];
  return graph::ScaledBytesOf(graph, input);
}

bool TravelsAsFactors(const graph::Graph& graph, const graph::Node& sum, int ranks) {
  const auto product = ProductOf(graph, sum);
  if (!product) return false;
  const auto [n, k, columns] = *product;
  // Elements that a rank moves. As factors: an input into columns for all, then both factors for
  // its rows, in and together. As sums: all of its own, then its rows of everybody's. Twice as many
  // still pay, as product and update become one (docs/collectives.md).
  const int64_t as_factors = n * k / ranks + 2 * n * (k / ranks + columns);
  const int64_t as_sums = 2 * k * columns;
  return as_factors < 2 * as_sums;
}

bool IsPushedAsFactors(const graph::Graph& graph, const graph::Node& sum, int servers) {
  const auto product = ProductOf(graph, sum);
  if (!product) return false;
  const auto [n, k, columns] = *product;
  return n * (k + columns) * servers < k * columns;
}

}  // namespace lockstep::distribute
