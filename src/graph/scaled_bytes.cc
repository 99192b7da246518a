#include "graph/scaled_bytes.h"

namespace lockstep::graph {

std::optional<ScaledBytes> ScaledBytesOf(const Graph& graph, Endpoint value) {
  const Node& product = graph.node(value.node);
  if (product.spec->name != "Mul" || product.outputs[0].dtype != DType::kFloat32)
    return std::nullopt;
  for (const int side : {0, 1}) {
    const Node& cast = graph.node(product.inputs[side].node);
    const Endpoint scale = product.inputs[1 - side];
    if (cast.spec->name != "Cast" || !(graph.type(scale).shape == Shape{})) continue;
    if (graph.type(cast.inputs[0]).dtype != DType::kUInt8) continue;
    if (!cast.control_inputs.empty() || !product.control_inputs.empty()) continue;
    return ScaledBytes{cast.inputs[0], scale, cast.id};
  }
  return std::nullopt;
}

}  // namespace lockstep::graph
