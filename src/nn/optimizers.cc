#include "lockstep/nn/optimizers.h"

#include "lockstep/ops/math.h"
#include "ops/builder.h"

namespace lockstep::optimizers {

namespace {

void EmitUpdate(const char* op, const Variable& weight, const std::vector<Variable>& slots,
                const Tensor& gradient, const std::vector<Tensor>& shared,
                ops::Attributes attributes) {
  std::vector<Tensor> inputs{weight.handle()};
  for (const Variable& slot : slots) inputs.push_back(slot.handle());
  inputs.push_back(gradient);
  inputs.insert(inputs.end(), shared.begin(), shared.end());
  ops::Emit(op, std::move(inputs), std::move(attributes));
}

class SgdOptimizer : public Optimizer {
 public:
  explicit SgdOptimizer(const SgdOptions& options)
      : Optimizer("sgd", options.learning_rate), options_(options) {}

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return options_.momentum == 0 ? std::vector<std::string>{}
                                  : std::vector<std::string>{"momentum"};
  }
  std::vector<Tensor> SharedValues(const Tensor&, const Tensor& rate) const override {
    return {rate};
  }
  void Update(const Variable& weight, const Tensor& gradient, const std::vector<Variable>& slots,
              const std::vector<Tensor>& shared) const override {
    if (slots.empty()) {
      EmitUpdate("ResourceApplyGradientDescent", weight, {}, gradient, shared, {});
    } else {
      EmitUpdate("ResourceApplyMomentum", weight, slots, gradient, shared,
                 {{"momentum", options_.momentum}, {"nesterov", options_.nesterov}});
    }
  }

 private:
  SgdOptions options_;
};

class AdamOptimizer : public Optimizer {
 public:
  explicit AdamOptimizer(const AdamOptions& options)
      : Optimizer("adam", options.learning_rate), options_(options) {}

 protected:
  std::vector<std::string> SlotNames(const Variable&) const override {
    return {"momentum", "velocity"};
  }
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const override {
    const Tensor power_1 = ops::Emit1("Pow", {Scalar(static_cast<float>(options_.beta_1)), step});
    const Tensor power_2 = ops::Emit1("Pow", {Scalar(static_cast<float>(options_.beta_2)), step});
    return {rate * Sqrt(1 - power_2) / (1 - power_1)};
  }
  void Update(const Variable& weight, const Tensor& gradient, const std::vector<Variable>& slots,
              const std::vector<Tensor>& shared) const override {
    EmitUpdate(
        "ResourceApplyAdam", weight, slots, gradient, shared,
        {{"beta_1", options_.beta_1}, {"beta_2", options_.beta_2}, {"epsilon", options_.epsilon}});
  }

 private:
  AdamOptions options_;
};

}  // namespace

OptimizerPtr Sgd(const SgdOptions& options) { return std::make_shared<SgdOptimizer>(options); }
OptimizerPtr Adam(const AdamOptions& options) { return std::make_shared<AdamOptimizer>(options); }

}  // namespace lockstep::optimizers
