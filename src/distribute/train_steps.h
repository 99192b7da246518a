#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "distribute/programs/step_program.h"
#include "lockstep/distribute/strategy.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

/// The steps of one call of `Strategy::Train` that have been traced so far: one for each kind of
/// batch.
class TrainSteps {
 public:
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  TrainSteps(Body body, Strategy& strategy, int shards);

  StepProgram& For(const std::vector<Tensor>& batch);
  /// The handles of the variables of all steps, in the order that all workers give them.
  std::vector<Tensor> Variables() const;

 private:
  const Body body_;
  Strategy& strategy_;
  const int shards_;
  std::vector<std::pair<std::vector<ops::TensorType>, std::shared_ptr<StepProgram>>> steps_;
  uint64_t layout_ = 0;
  bool told_ = false;
};

/// InvalidArgument where parts of a batch disagree on the number of examples.
void CheckBatch(const std::vector<Tensor>& batch);

}  // namespace lockstep::distribute
