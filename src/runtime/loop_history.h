#pragma once

#include <vector>

#include "lockstep/tensor/tensor.h"
#include "ops/op.h"

namespace lockstep::runtime {

/// A loop that is differentiated gives, behind its `variables` results, how many iterations there
/// were, int64[]; for each variable the values with which its iterations began; and for each their
/// sizes. Values of one shape S are stacked: [iterations, S]; those of a rank whose sizes may
/// change lie behind each other, flat: [elements], and their sizes are int64[iterations, rank].
/// Values of unknown rank are taken to keep their shape.

/// The types of what comes behind results of these types.
std::vector<ops::TensorType> HistoryTypes(const std::vector<ops::TensorType>& variables);

/// Which of the values and sizes of a variable somebody uses.
struct KeptHistory {
  bool values = false, sizes = false;
};

/// What comes behind `results`: `past[i]` are the values of variable i where any are kept. What is
/// not kept is an empty tensor.
std::vector<Tensor> HistoryOf(const std::vector<ops::TensorType>& variables,
                              const std::vector<Tensor>& results, int64_t iterations,
                              const std::vector<std::vector<Tensor>>& past,
                              const std::vector<KeptHistory>& kept);

/// Reads the history in the gradient of a loop.
class LoopHistory {
 public:
  LoopHistory(const ops::GradientContext& context, std::vector<ops::TensorType> variables);

  const Tensor& iterations() const { return context_.outputs[variables_.size()]; }
  /// The value with which an iteration, int64[], began.
  Tensor Value(size_t variable, const Tensor& iteration) const;
  /// What flows to that value from elsewhere: the gradient's gradient. Empty: nothing.
  Tensor Gradient(size_t variable, const Tensor& iteration) const;

 private:
  const Tensor& values(size_t variable) const {
    return context_.outputs[variables_.size() + 1 + variable];
  }
  const Tensor& sizes(size_t variable) const {
    return context_.outputs[2 * variables_.size() + 1 + variable];
  }
  Tensor RowOf(const Tensor& history, size_t variable, const Tensor& iteration) const;

  const ops::GradientContext& context_;
  const std::vector<ops::TensorType> variables_;
  std::vector<Tensor> ends_;  // by variable: where the values of iterations end in flat ones
};

}  // namespace lockstep::runtime
