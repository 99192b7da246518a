#include "nn/optimizers/update.h"

#include <utility>

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "ops/builder.h"
#include "ops/training.h"

namespace lockstep::nn {

Tensor EmitUpdate(const char* op, const Variable& weight, const std::vector<Variable>& slots,
                  const WeightGradient& gradient, const UpdateContext& context,
                  ops::Attributes attributes) {
  std::vector<Tensor> inputs{weight.handle()};
  for (const Variable& slot : slots) inputs.push_back(slot.handle());
  inputs.push_back(gradient.value);
  inputs.insert(inputs.end(), context.shared.begin(), context.shared.end());
  int64_t extras = 0;
  const auto add = [&](ops::UpdateExtras extra, const Tensor& input) {
    if (!input.defined()) return;
    inputs.push_back(input);
    extras |= extra;
  };
  add(ops::kUpdateMoment, gradient.moment);
  add(ops::kUpdateDecay, context.decay);
  add(ops::kUpdateEnabled, context.enabled);
  if (extras != 0) attributes.Set("extras", extras);
  const std::vector<Tensor> outputs = ops::Emit(op, std::move(inputs), std::move(attributes));
  return outputs.empty() ? Tensor() : outputs[0];
}

Tensor AssignWhere(const Tensor& enabled, const Variable& variable, const Tensor& value) {
  return variable.Assign(enabled.defined() ? Where(enabled, value, variable.value()) : value);
}

Tensor DecayedWeight(const Variable& weight, const UpdateContext& context) {
  const Tensor value = weight.value();
  return context.decay.defined() ? value - value * context.decay : value;
}

Tensor Power(double base, const Tensor& exponent) { return Pow(Tensor(base), exponent); }

void RequireNotNegative(const std::string& where, const char* name, double value) {
  if (value >= 0) return;
  throw Error(Code::kInvalidArgument,
              "[" + where + "] " + name + " must not be negative; got " + std::to_string(value));
}

void RequireRunningMeans(const std::string& where, double beta_1, double beta_2, double epsilon) {
  RequireNotNegative(where, "epsilon", epsilon);
  for (const auto& [name, value] : {std::pair("beta_1", beta_1), std::pair("beta_2", beta_2)}) {
    if (value >= 0 && value < 1) continue;
    throw Error(Code::kInvalidArgument, "[" + where + "] " + name +
                                            " must be at least 0 and less than 1; got " +
                                            std::to_string(value));
  }
}

}  // namespace lockstep::nn
