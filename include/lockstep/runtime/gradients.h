#pragma once

#include <vector>

#include "lockstep/runtime/gradient_tape.h"

namespace lockstep {

struct GraphGradientOptions {
  /// Weights of the elements of `ys`; ones where an entry is missing or empty.
  std::vector<Tensor> grad_ys = {};
  /// Taken as constants: no gradient flows beyond them, but to them where they are in `xs`.
  std::vector<Tensor> stop_gradients = {};
  /// Zeros instead of empty tensors for what the `ys` don't depend on.
  bool zero_unconnected = false;
};

/// Differentiates the graph of the function that is being traced, without a tape: the gradients of
/// the sum of all elements of `ys` with respect to `xs`, an empty tensor where there is none. The
/// gradients are nodes of the graph, too, and can be differentiated again. Shapes: as `xs`; that of
/// a gather wraps `IndexedSlices`. Flows through `Cond` and `WhileLoop`, and out of their bodies.
/// Errors: FailedPrecondition outside of a traced function. Source: tf.gradients.
std::vector<Tensor> Gradients(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs,
                              const GraphGradientOptions& options = {});
/// With respect to variables: to all reads of them.
std::vector<Tensor> Gradients(const Tensor& y, const std::vector<Variable>& xs,
                              const GraphGradientOptions& options = {});
Tensor Gradients(const Tensor& y, const Tensor& x, const GraphGradientOptions& options = {});
Tensor Gradients(const Tensor& y, const Variable& x, const GraphGradientOptions& options = {});

}  // namespace lockstep
