#include "runtime/fold.h"

#include "graph/rewrite.h"
#include "kernels/kernel.h"
#include "runtime/eager.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

constexpr int64_t kLargestConstant = 1 << 16;  // elements

bool MayFold(const graph::Node& node) {
  if (node.spec->stateful() || node.inputs.empty() || !node.control_inputs.empty()) return false;
  if (!node.spec->view && !kernels::KernelRegistry::Cpu().Has(node.spec->name)) return false;
  for (const auto& output : node.outputs) {
    if (!output.shape.fully_known() || output.shape.num_elements() > kLargestConstant) return false;
  }
  return true;
}

}  // namespace

Tensor OfShape(const ops::TensorType& type) {
  return Tensor::FromBuffer(tensor::Buffer::Allocate(type.dtype, 0), type.dtype, type.shape);
}

graph::Graph FoldConstants(const graph::Graph& graph) {
  graph::Rewriter rewriter(graph);
  for (const graph::Node& node : graph.nodes()) {
    std::vector<Tensor> inputs;
    bool constant = MayFold(node);
    for (size_t i = 0; constant && i < node.inputs.size(); ++i) {
      const Tensor* value = rewriter.result().constant(rewriter.Mapped(node.inputs[i]));
      if (value != nullptr && value->dtype() != DType::kResource) {
        inputs.push_back(*value);
      } else if (ops::HasBit(node.spec->shape_only, i) &&
                 graph.type(node.inputs[i]).dtype != DType::kResource &&
                 graph.type(node.inputs[i]).shape.fully_known()) {
        inputs.push_back(OfShape(graph.type(node.inputs[i])));
      } else {
        constant = false;
      }
    }
    if (!constant) {
      rewriter.Keep(node);
      continue;
    }
    const std::vector<Tensor> outputs =
        EagerBuilder::Instance().Emit(*node.spec, inputs, node.attributes);
    for (size_t i = 0; i < outputs.size(); ++i) {
      rewriter.Map({node.id, static_cast<int>(i)}, rewriter.result().AddConstant(outputs[i]));
    }
  }
  return rewriter.Finish();
}

}  // namespace lockstep::runtime
