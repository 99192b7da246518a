#include "distribute/programs/factor_sums.h"

namespace lockstep::distribute {

bool TravelsAsFactors(const graph::Graph& graph, const graph::Node& sum, int ranks) {
  if (sum.spec->name != "MatMul" || !sum.attributes.GetOr<bool>("transpose_a", false) ||
      sum.attributes.GetOr<bool>("transpose_b", false)) {
    return false;
  }
  const Shape& input = graph.type(sum.inputs[0]).shape;
  const int64_t n = input[0], k = input[1], columns = sum.outputs[0].shape[1];
  // Elements that a rank moves. As factors: an input into columns for all, then both factors for
  // its rows, in and together. As sums: all of its own, then its rows of everybody's. Twice as many
  // still pay, as product and update become one (docs/collectives.md).
  const int64_t as_factors = n * k / ranks + 2 * n * (k / ranks + columns);
  const int64_t as_sums = 2 * k * columns;
  return as_factors < 2 * as_sums;
}

}  // namespace lockstep::distribute
