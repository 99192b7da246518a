// Adafactor: the running square of a matrix as means of its rows and columns.

#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/optimizers/update.h"
#include "ops/builder.h"

namespace lockstep::optimizers {

namespace {

class AdafactorOptimizer : public nn::RuleOptimizer {
 public:
  AdafactorOptimizer(const AdafactorOptions& options, const UpdateOptions& update)
      : RuleOptimizer("adafactor", options.learning_rate, update), options_(options) {}

 protected:
  std::vector<std::string> SlotNames(const Variable& weight) const override {
    if (weight.shape().rank() >= 2) return {"row_means", "column_means"};
    return {"velocity"};
  }
  // Means along the last axis, or along the one before.
  Tensor InitialSlot(const std::string& slot, const Variable& weight) const override {
    const Tensor zeros = ops::Emit1("ZerosLike", {weight.value()});
    if (slot == "velocity") return zeros;
    return ReduceSum(zeros, slot == "row_means" ? -1 : -2);
  }
  // The mean's share of the past, then the relative rate.
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const override {
    const Tensor kept = 1 - Pow(step, options_.beta_2_decay);
    return {kept, Minimum(rate, 1 / Sqrt(step))};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    const Tensor squares = gradient.Squares() + options_.epsilon_1;
    Tensor v;
    if (slots.size() == 2) {
      const Tensor rows = Advance(slots[0], ReduceMean(squares, -1), context);
      const Tensor columns = Advance(slots[1], ReduceMean(squares, -2), context);
      v = ExpandDims(rows / ReduceMean(rows, -1, true), -1) * ExpandDims(columns, -2);
    } else {
      v = Advance(slots[0], squares, context);
    }
    const Tensor direction = gradient.value / Sqrt(v);
    const Tensor limited =
        direction / Maximum(RootMeanSquare(direction) / options_.clip_threshold, 1);
    const Tensor value = nn::DecayedWeight(weight, context);
    const Tensor rate = Maximum(RootMeanSquare(value), options_.epsilon_2) * context.shared[1];
    nn::AssignWhere(context.enabled, weight, value - rate * limited);
  }

 private:
  static Tensor Advance(const Variable& slot, const Tensor& value, const UpdateContext& context) {
    const Tensor& kept = context.shared[0];
    return nn::AssignWhere(context.enabled, slot, kept * slot.value() + (1 - kept) * value);
  }
  static Tensor RootMeanSquare(const Tensor& x) {
    return Sqrt(SumOfSquares(x) / static_cast<double>(x.num_elements()));
  }

  const AdafactorOptions options_;
};

}  // namespace

OptimizerPtr Adafactor(const AdafactorOptions& options, const UpdateOptions& update) {
  return std::make_shared<AdafactorOptimizer>(options, update);
}

}  // namespace lockstep::optimizers
