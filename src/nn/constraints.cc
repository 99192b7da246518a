#include "lockstep/nn/constraints.h"

#include <string>

#include "lockstep/ops/math.h"

namespace lockstep::constraints {

namespace {

constexpr double kEpsilon = 1e-7;

Tensor Norms(const Tensor& weight, const Axes& axis) {
  return Sqrt(ReduceSum(Square(weight), axis, /*keep_dims=*/true));
}

class MinMaxNormConstraint : public Constraint {
 public:
  explicit MinMaxNormConstraint(MinMaxNormOptions options) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& weight) const override {
    const Tensor norms = Norms(weight, options_.axis);
    const Tensor allowed = Minimum(Maximum(norms, options_.min_value), options_.max_value);
    const Tensor wanted =
        options_.rate == 1 ? allowed : options_.rate * allowed + (1 - options_.rate) * norms;
    return weight * (wanted / (norms + kEpsilon));
  }

 private:
  const MinMaxNormOptions options_;
};

class NonNegConstraint : public Constraint {
 public:
  Tensor operator()(const Tensor& weight) const override { return Maximum(weight, 0); }
};

class UnitNormConstraint : public Constraint {
 public:
  explicit UnitNormConstraint(Axes axis) : axis_(std::move(axis)) {}
  Tensor operator()(const Tensor& weight) const override {
    return weight / (Norms(weight, axis_) + kEpsilon);
  }

 private:
  const Axes axis_;
};

}  // namespace

ConstraintPtr MaxNorm(double max_value, Axes axis) {
  return MinMaxNorm({.min_value = 0, .max_value = max_value, .rate = 1, .axis = std::move(axis)});
}
ConstraintPtr NonNeg() { return std::make_shared<NonNegConstraint>(); }
ConstraintPtr UnitNorm(Axes axis) { return std::make_shared<UnitNormConstraint>(std::move(axis)); }
ConstraintPtr MinMaxNorm(const MinMaxNormOptions& options) {
  if (!(options.min_value >= 0 && options.max_value >= options.min_value)) {
    throw Error(Code::kInvalidArgument,
                "[min_max_norm] the range must not be empty or negative; got [" +
                    std::to_string(options.min_value) + ", " + std::to_string(options.max_value) +
                    "]");
  }
  return std::make_shared<MinMaxNormConstraint>(options);
}

}  // namespace lockstep::constraints
