// RMSprop, Adagrad, Adadelta and Ftrl.

#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "nn/optimizers/update.h"
#include "ops/builder.h"

namespace lockstep::optimizers {

namespace {

class RmspropOptimizer : public nn::RuleOptimizer {
 public:
  RmspropOptimizer(const RmspropOptions& options, const UpdateOptions& update)
      : RuleOptimizer("rmsprop", options.learning_rate, update), options_(options) {
    nn::RequireNotNegative(name(), "momentum", options.momentum);
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    std::vector<std::string> names{"velocity"};
    if (options_.momentum > 0) names.push_back("momentum");
    if (options_.centered) names.push_back("average_gradient");
    return names;
  }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor& rate) const override {
    return {rate};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    const bool momentum = options_.momentum > 0;
    const char* op =
        options_.centered
            ? (momentum ? "ResourceApplyCenteredRMSPropMomentum" : "ResourceApplyCenteredRMSProp")
            : (momentum ? "ResourceApplyRMSPropMomentum" : "ResourceApplyRMSProp");
    nn::EmitUpdate(
        op, weight, slots, gradient, context,
        {{"rho", options_.rho}, {"momentum", options_.momentum}, {"epsilon", options_.epsilon}});
  }

 private:
  const RmspropOptions options_;
};

class AdagradOptimizer : public nn::RuleOptimizer {
 public:
  AdagradOptimizer(const AdagradOptions& options, const UpdateOptions& update)
      : RuleOptimizer("adagrad", options.learning_rate, update), options_(options) {
    nn::RequireNotNegative(name(), "initial_accumulator_value", options.initial_accumulator_value);
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override { return {"accumulator"}; }
  Tensor InitialSlot(const std::string&, const Variable& weight) const override {
    return ops::Emit1("ZerosLike", {weight.value()}) + options_.initial_accumulator_value;
  }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor& rate) const override {
    return {rate};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    nn::EmitUpdate("ResourceApplyAdagrad", weight, slots, gradient, context,
                   {{"epsilon", options_.epsilon}});
  }

 private:
  const AdagradOptions options_;
};

class AdadeltaOptimizer : public nn::RuleOptimizer {
 public:
  AdadeltaOptimizer(const AdadeltaOptions& options, const UpdateOptions& update)
      : RuleOptimizer("adadelta", options.learning_rate, update), options_(options) {}

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return {"accumulated_grad", "accumulated_delta_var"};
  }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor& rate) const override {
    return {rate};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    nn::EmitUpdate("ResourceApplyAdadelta", weight, slots, gradient, context,
                   {{"rho", options_.rho}, {"epsilon", options_.epsilon}});
  }

 private:
  const AdadeltaOptions options_;
};

class FtrlOptimizer : public nn::RuleOptimizer {
 public:
  FtrlOptimizer(const FtrlOptions& options, const UpdateOptions& update)
      : RuleOptimizer("ftrl", options.learning_rate, update), options_(options) {
    nn::RequireNotNegative(name(), "initial_accumulator_value", options.initial_accumulator_value);
    nn::RequireNotNegative(name(), "l1_regularization_strength",
                           options.l1_regularization_strength);
    nn::RequireNotNegative(name(), "l2_regularization_strength",
                           options.l2_regularization_strength);
    nn::RequireNotNegative(name(), "l2_shrinkage_regularization_strength",
                           options.l2_shrinkage_regularization_strength);
    if (!(options.learning_rate_power <= 0)) {
      throw Error(Code::kInvalidArgument, "[ftrl] learning_rate_power must not be positive; got " +
                                              std::to_string(options.learning_rate_power));
    }
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return {"accumulator", "linear"};
  }
  Tensor InitialSlot(const std::string& slot, const Variable& weight) const override {
    const Tensor zeros = ops::Emit1("ZerosLike", {weight.value()});
    return slot == "linear" ? zeros : zeros + options_.initial_accumulator_value;
  }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor& rate) const override {
    return {rate};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    nn::EmitUpdate("ResourceApplyFtrl", weight, slots, gradient, context,
                   {{"learning_rate_power", options_.learning_rate_power},
                    {"l1", options_.l1_regularization_strength},
                    {"l2", options_.l2_regularization_strength},
                    {"l2_shrinkage", options_.l2_shrinkage_regularization_strength},
                    {"beta", options_.beta}});
  }

 private:
  const FtrlOptions options_;
};

}  // namespace

OptimizerPtr Rmsprop(const RmspropOptions& options, const UpdateOptions& update) {
  return std::make_shared<RmspropOptimizer>(options, update);
}
OptimizerPtr Adagrad(const AdagradOptions& options, const UpdateOptions& update) {
  return std::make_shared<AdagradOptimizer>(options, update);
}
OptimizerPtr Adadelta(const AdadeltaOptions& options, const UpdateOptions& update) {
  return std::make_shared<AdadeltaOptimizer>(options, update);
}
OptimizerPtr Ftrl(const FtrlOptions& options, const UpdateOptions& update) {
  return std::make_shared<FtrlOptimizer>(options, update);
}

}  // namespace lockstep::optimizers
