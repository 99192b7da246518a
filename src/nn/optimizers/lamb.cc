// Lamb: Adam's direction at a length that follows the weight's.

#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/optimizers/update.h"

namespace lockstep::optimizers {

namespace {

class LambOptimizer : public Optimizer {
 public:
  LambOptimizer(const LambOptions& options, const UpdateOptions& update)
      : Optimizer("lamb", options.learning_rate, update), options_(options) {}

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return {"momentum", "velocity"};
  }
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor&) const override {
    return {1 - nn::Power(options_.beta_1, step), 1 - nn::Power(options_.beta_2, step)};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    const Tensor m = Advance(slots[0], gradient.value, options_.beta_1, context);
    const Tensor v = Advance(slots[1], gradient.Squares(), options_.beta_2, context);
    const Tensor direction =
        (m / context.shared[0]) / (Sqrt(v / context.shared[1]) + options_.epsilon);
    const Tensor value = nn::DecayedWeight(weight, context);
    const Tensor length = Sqrt(SumOfSquares(value));
    const Tensor step = Sqrt(SumOfSquares(direction));
    const Tensor both = LogicalAnd(Greater(length, 0), Greater(step, 0));
    const Tensor ratio = Where(both, length / step, 1);
    nn::AssignWhere(context.enabled, weight, value - ratio * context.rate * direction);
  }

 private:
  // The running mean in `slot` with `value` added.
  static Tensor Advance(const Variable& slot, const Tensor& value, double beta,
                        const UpdateContext& context) {
    const Tensor mean = slot.value();
    return nn::AssignWhere(context.enabled, slot, mean + (value - mean) * (1 - beta));
  }

  const LambOptions options_;
};

}  // namespace

OptimizerPtr Lamb(const LambOptions& options, const UpdateOptions& update) {
  return std::make_shared<LambOptimizer>(options, update);
}

}  // namespace lockstep::optimizers
