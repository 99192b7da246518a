// SGD and Lion.

#include "lockstep/nn/optimizers.h"
#include "nn/optimizers/update.h"

namespace lockstep::optimizers {

namespace {

class SgdOptimizer : public nn::RuleOptimizer {
 public:
  SgdOptimizer(const SgdOptions& options, const UpdateOptions& update)
      : RuleOptimizer("sgd", options.learning_rate, update), options_(options) {
    if (!(options.momentum >= 0 && options.momentum <= 1)) {
      throw Error(Code::kInvalidArgument,
                  "[sgd] momentum must be in [0, 1]; got " + std::to_string(options.momentum));
    }
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return options_.momentum == 0 ? std::vector<std::string>{}
                                  : std::vector<std::string>{"momentum"};
  }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor& rate) const override {
    return {rate};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    const WeightGradient sum{.value = gradient.value};
    if (slots.empty()) {
      nn::EmitUpdate("ResourceApplyGradientDescent", weight, {}, sum, context, {});
    } else {
      nn::EmitUpdate("ResourceApplyMomentum", weight, slots, sum, context,
                     {{"momentum", options_.momentum}, {"nesterov", options_.nesterov}});
    }
  }

 private:
  const SgdOptions options_;
};

class LionOptimizer : public nn::RuleOptimizer {
 public:
  LionOptimizer(const LionOptions& options, const UpdateOptions& update)
      : RuleOptimizer("lion", options.learning_rate, update), options_(options) {
    if (!(options.beta_1 > 0 && options.beta_1 <= 1)) {
      throw Error(Code::kInvalidArgument,
                  "[lion] beta_1 must be in (0, 1]; got " + std::to_string(options.beta_1));
    }
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override { return {"momentum"}; }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor& rate) const override {
    return {rate};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    nn::EmitUpdate("ResourceApplyLion", weight, slots, {.value = gradient.value}, context,
                   {{"beta_1", options_.beta_1}, {"beta_2", options_.beta_2}});
  }

 private:
  const LionOptions options_;
};

}  // namespace

OptimizerPtr Sgd(const SgdOptions& options, const UpdateOptions& update) {
  return std::make_shared<SgdOptimizer>(options, update);
}
OptimizerPtr Lion(const LionOptions& options, const UpdateOptions& update) {
  return std::make_shared<LionOptimizer>(options, update);
}

}  // namespace lockstep::optimizers
