#include "lockstep/runtime/gradients.h"

#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "runtime/backpropagate.h"
#include "runtime/graph_gradient.h"

namespace lockstep {

std::vector<Tensor> Gradients(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs,
                              const GraphGradientOptions& options) {
  runtime::CheckOutputGradients("gradients", ys, options.grad_ys);
  std::vector<graph::Tracer*> tracers;
  for (ops::Builder* builder : ops::BuilderStack()) {
    auto* tracer = dynamic_cast<graph::Tracer*>(builder);
    if (tracer == nullptr) tracers.clear();  // eager code inside of a trace
    if (tracer != nullptr) tracers.push_back(tracer);
  }
  if (tracers.empty()) {
    throw Error(Code::kFailedPrecondition,
                "[gradients] a graph must be there; got a call outside of every traced function; "
                "record eager ops with GradientTape");
  }
  std::vector<Tensor> dense = ys;
  for (Tensor& y : dense) {
    if (const IndexedSlices* slices = IndexedSlices::Of(y)) y = slices->ToDense();
  }
  std::vector<Tensor> gradients =
      runtime::GraphGradient(tracers, dense, xs, options.grad_ys, options.stop_gradients);
  if (options.zero_unconnected) runtime::FillUnconnected(xs, &gradients);
  return gradients;
}

std::vector<Tensor> Gradients(const Tensor& y, const std::vector<Variable>& xs,
                              const GraphGradientOptions& options) {
  std::vector<Tensor> handles;
  for (const Variable& x : xs) handles.push_back(x.handle());
  return Gradients(std::vector<Tensor>{y}, handles, options);
}

Tensor Gradients(const Tensor& y, const Tensor& x, const GraphGradientOptions& options) {
  return Gradients(std::vector<Tensor>{y}, std::vector<Tensor>{x}, options)[0];
}

Tensor Gradients(const Tensor& y, const Variable& x, const GraphGradientOptions& options) {
  return Gradients(std::vector<Tensor>{y}, std::vector<Tensor>{x.handle()}, options)[0];
}

}  // namespace lockstep
