#pragma once

#include <functional>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// What a function gives that knows its own gradient.
struct WithGradient {
  std::vector<Tensor> results;
  /// From the gradients of the results (zeros where none flows) to those of the arguments, then of
  /// the variables; an empty tensor where none flows.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& upstream)> gradient;
};

/// Calls `function` and gives its results, whose gradient is not that of the ops inside, but what
/// `gradient` says. Eagerly and while a function is traced; the gradient's own ops can be
/// differentiated again. Variables that gradients are to flow to are listed. Errors:
/// InvalidArgument when the gradient gives another number of tensors than there are arguments and
/// variables. Source: tf.custom_gradient.
std::vector<Tensor> CustomGradient(
    const std::function<WithGradient(const std::vector<Tensor>&)>& function,
    const std::vector<Tensor>& arguments, const std::vector<Variable>& variables = {});

}  // namespace lockstep
