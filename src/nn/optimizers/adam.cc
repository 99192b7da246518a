// Adam, AdamW, Nadam and Adamax.

#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/math.h"
#include "nn/optimizers/update.h"

namespace lockstep::optimizers {

namespace {

class AdamOptimizer : public nn::RuleOptimizer {
 public:
  AdamOptimizer(const char* kind, const AdamOptions& options, const UpdateOptions& update)
      : RuleOptimizer(kind, options.learning_rate, update), options_(options) {
    nn::RequireRunningMeans(name(), options.beta_1, options.beta_2, options.epsilon);
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    if (options_.amsgrad) return {"momentum", "velocity", "velocity_hat"};
    return {"momentum", "velocity"};
  }
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const override {
    const Tensor power_1 = nn::Power(options_.beta_1, step);
    const Tensor power_2 = nn::Power(options_.beta_2, step);
    return {rate * Sqrt(1 - power_2) / (1 - power_1)};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    nn::EmitUpdate(
        options_.amsgrad ? "ResourceApplyAdamWithAmsgrad" : "ResourceApplyAdam", weight, slots,
        gradient, context,
        {{"beta_1", options_.beta_1}, {"beta_2", options_.beta_2}, {"epsilon", options_.epsilon}});
  }

 private:
  const AdamOptions options_;
};

class NadamOptimizer : public nn::RuleOptimizer {
 public:
  NadamOptimizer(const NadamOptions& options, const UpdateOptions& update)
      : RuleOptimizer("nadam", options.learning_rate, update), options_(options) {
    nn::RequireRunningMeans(name(), options.beta_1, options.beta_2, options.epsilon);
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return {"momentum", "velocity"};
  }
  // The product of all momenta so far, by the name that Keras gives it.
  std::vector<Variable> MakeOwnVariables(const std::vector<Variable>& weights) override {
    const DType dtype = weights.empty() ? DType::kFloat32 : weights[0].dtype();
    product_ = Variable([&] { return Cast(Scalar(1.0f), dtype); },
                        {.name = name() + "/variable", .trainable = false});
    return {product_};
  }
  void UpdateOwnVariables(const Tensor& step, const Tensor& enabled) override {
    nn::AssignWhere(enabled, product_, ProductWith(step));
  }
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const override {
    const Tensor now = MomentumAt(step);
    const Tensor next = MomentumAt(step + 1);
    const Tensor product = Cast(ProductWith(step), step.dtype());
    return {rate * next / (1 - product * next), rate * (1 - now) / (1 - product),
            1 / (1 - nn::Power(options_.beta_2, step))};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    nn::EmitUpdate(
        "ResourceApplyNadam", weight, slots, gradient, context,
        {{"beta_1", options_.beta_1}, {"beta_2", options_.beta_2}, {"epsilon", options_.epsilon}});
  }

 private:
  Tensor MomentumAt(const Tensor& step) const {
    return options_.beta_1 * (1 - 0.5 * nn::Power(0.96, step));
  }
  // Before the step the product is one of the steps before it.
  Tensor ProductWith(const Tensor& step) const {
    return product_.value() * MomentumAt(Cast(step, product_.dtype()));
  }

  const NadamOptions options_;
  Variable product_;
};

class AdamaxOptimizer : public nn::RuleOptimizer {
 public:
  AdamaxOptimizer(const AdamaxOptions& options, const UpdateOptions& update)
      : RuleOptimizer("adamax", options.learning_rate, update), options_(options) {
    nn::RequireRunningMeans(name(), options.beta_1, options.beta_2, options.epsilon);
  }

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return {"momentum", "norm"};
  }
  bool moment_of_magnitudes() const override { return true; }
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const override {
    return {rate / (1 - nn::Power(options_.beta_1, step))};
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    nn::EmitUpdate(
        "ResourceApplyAdaMax", weight, slots, gradient, context,
        {{"beta_1", options_.beta_1}, {"beta_2", options_.beta_2}, {"epsilon", options_.epsilon}});
  }

 private:
  const AdamaxOptions options_;
};

}  // namespace

OptimizerPtr Adam(const AdamOptions& options, const UpdateOptions& update) {
  return std::make_shared<AdamOptimizer>("adam", options, update);
}
OptimizerPtr AdamW(const AdamOptions& options, const UpdateOptions& update) {
  UpdateOptions decayed = update;
  decayed.weight_decay = update.weight_decay.value_or(0.004);
  return std::make_shared<AdamOptimizer>("adamw", options, decayed);
}
OptimizerPtr Nadam(const NadamOptions& options, const UpdateOptions& update) {
  return std::make_shared<NadamOptimizer>(options, update);
}
OptimizerPtr Adamax(const AdamaxOptions& options, const UpdateOptions& update) {
  return std::make_shared<AdamaxOptimizer>(options, update);
}

}  // namespace lockstep::optimizers
