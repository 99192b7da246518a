// Lamb: Adam's direction at a length that follows the weight's.

#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/optimizers/update.h"

namespace lockstep::optimizers {

namespace {

class LambOptimizer : public nn::RuleOptimizer {
 public:
  LambOptimizer(const LambOptions& options, const UpdateOptions& update)
      : RuleOptimizer("lamb", options.learning_rate, update), options_(options) {}

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return {"momentum", "velocity"};
  }
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor&) const override {
    return {1 / (1 - nn::Power(options_.beta_1, step)), 1 / (1 - nn::Power(options_.beta_2, step))};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    const Tensor direction = nn::EmitUpdate(
        "ResourceApplyLambDirection", weight, slots, gradient, context,
        {{"beta_1", options_.beta_1}, {"beta_2", options_.beta_2}, {"epsilon", options_.epsilon}});
    const Tensor length = Sqrt(SumOfSquares(weight.value()));
    const Tensor step = Sqrt(SumOfSquares(direction));
    const Tensor both = LogicalAnd(Greater(length, 0), Greater(step, 0));
    const Tensor ratio = Where(both, length / step, 1);
    const UpdateContext descent{.shared = {ratio * context.rate}, .enabled = context.enabled};
    nn::EmitUpdate("ResourceApplyGradientDescent", weight, {}, {.value = direction}, descent, {});
  }

 private:
  const LambOptions options_;
};

}  // namespace

OptimizerPtr Lamb(const LambOptions& options, const UpdateOptions& update) {
  return std::make_shared<LambOptimizer>(options, update);
}

}  // namespace lockstep::optimizers
