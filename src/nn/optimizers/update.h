#pragma once

#include <vector>

#include "lockstep/nn/optimizer.h"
#include "ops/attributes.h"

namespace lockstep::nn {

/// An optimizer of the library, whose updates see to decay and to being enabled in one pass.
class RuleOptimizer : public Optimizer {
 public:
  using Optimizer::Optimizer;

 protected:
  bool handles_context() const override { return true; }
};

/// Emits a rule of ops/training.h with the extras that gradient and context ask for; the result is
/// the rule's direction where it has one.
Tensor EmitUpdate(const char* op, const Variable& weight, const std::vector<Variable>& slots,
                  const WeightGradient& gradient, const UpdateContext& context,
                  ops::Attributes attributes);

/// `variable` becomes `value` where `enabled` is true or empty. The result is what it then holds.
Tensor AssignWhere(const Tensor& enabled, const Variable& variable, const Tensor& value);

/// The weight after its decay, for updates that are made of ops.
Tensor DecayedWeight(const Variable& weight, const UpdateContext& context);

/// base^exponent, in the exponent's dtype.
Tensor Power(double base, const Tensor& exponent);

/// `InvalidArgument` "[where] name must be not negative; got value" for a negative value or NaN.
void RequireNotNegative(const std::string& where, const char* name, double value);
/// The same for what a running mean keeps, and what is added to a root: both means in [0, 1), and
/// epsilon not negative.
void RequireRunningMeans(const std::string& where, double beta_1, double beta_2, double epsilon);

}  // namespace lockstep::nn
