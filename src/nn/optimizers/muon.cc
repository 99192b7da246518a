// Muon: momentum made orthogonal for matrices, Adam for the rest.

#include <algorithm>
#include <cctype>
#include <cmath>

#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/optimizers/update.h"

namespace lockstep::optimizers {

namespace {

class MuonOptimizer : public nn::RuleOptimizer {
 public:
  MuonOptimizer(const MuonOptions& options, const UpdateOptions& update)
      : RuleOptimizer("muon", options.learning_rate, update), options_(options) {
    if (options.ns_steps < 0) {
      throw Error(Code::kInvalidArgument,
                  "[muon] ns_steps must not be negative; got " + std::to_string(options.ns_steps));
    }
  }

 protected:
  std::vector<std::string> SlotNames(const Variable& weight) const override {
    if (UsesAdam(weight)) return {"momentum", "velocity"};
    return {"momentum"};
  }
  std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const override {
    const Tensor power_1 = nn::Power(options_.adam_beta_1, step);
    const Tensor power_2 = nn::Power(options_.adam_beta_2, step);
    return {rate * options_.adam_lr_ratio * Sqrt(1 - power_2) / (1 - power_1)};
  }
  std::optional<double> WeightDecay(const Variable& weight) const override {
    return UsesAdam(weight) ? options_.adam_weight_decay : options().weight_decay;
  }
  void Update(const Variable& weight, const WeightGradient& gradient,
              const std::vector<Variable>& slots, const UpdateContext& context) const override {
    if (slots.size() == 2) {
      nn::EmitUpdate("ResourceApplyAdam", weight, slots, gradient, context,
                     {{"beta_1", options_.adam_beta_1},
                      {"beta_2", options_.adam_beta_2},
                      {"epsilon", options_.epsilon}});
      return;
    }
    const Tensor old = slots[0].value();
    const Tensor m = nn::AssignWhere(context.enabled, slots[0],
                                     old + (gradient.value + old * (options_.momentum - 1)));
    const Tensor ahead = options_.nesterov ? gradient.value + m * options_.momentum : m;
    Tensor step = Orthogonalized(ahead) * context.rate;
    if (options_.rms_rate != 0) {
      const Shape& shape = weight.shape();
      const double longer = static_cast<double>(std::max(shape[0], shape[1]));
      step = step * (std::sqrt(longer) * options_.rms_rate);
    }
    nn::AssignWhere(context.enabled, weight, nn::DecayedWeight(weight, context) - step);
  }

 private:
  bool UsesAdam(const Variable& weight) const {
    if (weight.shape().rank() != 2) return true;
    std::string lower = weight.name();
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (options_.exclude_embeddings && lower.find("embedding") != std::string::npos) return true;
    return std::any_of(
        options_.exclude_layers.begin(), options_.exclude_layers.end(),
        [&](const std::string& part) { return weight.name().find(part) != std::string::npos; });
  }

  // Near the orthogonal factor of `matrix`, by Newton and Schulz's iteration of degree five.
  Tensor Orthogonalized(const Tensor& matrix) const {
    const bool tall = matrix.shape()[0] > matrix.shape()[1];
    Tensor x = tall ? Transpose(matrix) : matrix;
    x = x / (Sqrt(SumOfSquares(x)) + 1e-7);
    for (int i = 0; i < options_.ns_steps; ++i) {
      const Tensor a = MatMul(x, x, false, true);
      const Tensor b = options_.muon_b * a + MatMul(options_.muon_c * a, a);
      x = options_.muon_a * x + MatMul(b, x);
    }
    return tall ? Transpose(x) : x;
  }

  const MuonOptions options_;
};

}  // namespace

OptimizerPtr Muon(const MuonOptions& options, const UpdateOptions& update) {
  UpdateOptions decayed = update;
  decayed.weight_decay = update.weight_decay.value_or(0.004);
  return std::make_shared<MuonOptimizer>(options, decayed);
}

}  // namespace lockstep::optimizers
