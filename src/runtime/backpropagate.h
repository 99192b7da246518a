#pragma once

#include <deque>
#include <vector>

#include "ops/op.h"

namespace lockstep::runtime {

/// One op that was carried out or traced, with its tensors.
struct RecordedOp {
  const ops::OpSpec* spec;
  ops::Attributes attributes;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

/// Refuses gradients of targets that are too many, or of other dtypes or shapes; a scalar stands
/// for equal elements, an empty entry for ones.
void CheckOutputGradients(const char* where, const std::vector<Tensor>& targets,
                          const std::vector<Tensor>& gradients);

/// Runs `operations`, which are in the order of the program, backwards: the gradients of the sum of
/// `targets`, weighted by `output_gradients` (ones where an entry is missing or empty), with
/// respect to `sources`. Contributions to one tensor are added in the order in which they arise;
/// indexed slices stay slices as long as nothing dense meets them. Operations that are added
/// meanwhile don't count.
std::vector<Tensor> Backpropagate(const std::deque<RecordedOp>& operations,
                                  const std::vector<Tensor>& targets,
                                  const std::vector<Tensor>& sources,
                                  const std::vector<Tensor>& output_gradients);

/// Puts zeros where no gradient flows to a source.
void FillUnconnected(const std::vector<Tensor>& sources, std::vector<Tensor>* gradients);

}  // namespace lockstep::runtime
