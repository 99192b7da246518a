// Max, Min, Prod, All, Any.

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "ops/array_rules.h"
#include "ops/reduce.h"

namespace lockstep {
namespace ops {
namespace {

// The gradient is shared equally among the elements that are equal to the extreme one.
std::vector<Tensor> ExtremeGradient(const GradientContext& context) {
  const Tensor& x = context.inputs[0];
  const Tensor extreme = WithReducedAxes(context, context.outputs[0]);
  const Tensor chosen = Cast(Equal(x, extreme), x.dtype());
  const Tensor count = ReduceSum(chosen, ListOf(context.attributes, "axes"), true);
  const Tensor gradient = WithReducedAxes(context, context.output_gradients[0]);
  return {Multiply(Divide(chosen, count), gradient)};
}

const RegisterOp kMax({.name = "Max",
                       .infer = InferReduction,
                       .gradient = ExtremeGradient,
                       .rows = ReductionRowsMix});
const RegisterOp kMin({.name = "Min",
                       .infer = InferReduction,
                       .gradient = ExtremeGradient,
                       .rows = ReductionRowsMix});

// The product of the elements before and after each one, which is exact for zeros.
std::vector<Tensor> ProductGradient(const GradientContext& context) {
  const auto& axes = ListOf(context.attributes, "axes");
  const Tensor gradient = WithReducedAxes(context, context.output_gradients[0]);
  const Tensor& x = context.inputs[0];
  if (axes.empty()) return {gradient};
  const int axis = static_cast<int>(axes[0]);
  const Tensor before = Cumprod(x, axis, {.exclusive = true});
  const Tensor after = Cumprod(x, axis, {.exclusive = true, .reverse = true});
  return {Multiply(gradient, Multiply(before, after))};
}

// One axis at a time.
std::vector<TensorType> InferProduct(const InferenceContext& context) {
  if (ListOf(context.attributes, "axes").size() > 1) {
    Reject(context.spec, "one axis at a time", context.inputs[0].ToString());
  }
  return InferReduction(context);
}

const RegisterOp kProd(
    {.name = "Prod", .infer = InferProduct, .gradient = ProductGradient, .rows = ReductionRowsMix});

std::vector<TensorType> InferLogical(const InferenceContext& context) {
  if (context.inputs[0].dtype != DType::kBool) {
    Reject(context.spec, "the input must be bool", context.inputs[0].ToString());
  }
  return InferReduction(context);
}

const RegisterOp kAll({.name = "All", .infer = InferLogical, .rows = ReductionRowsMix});
const RegisterOp kAny({.name = "Any", .infer = InferLogical, .rows = ReductionRowsMix});

}  // namespace
}  // namespace ops

Tensor ReduceMax(const Tensor& input, const Axes& axes, bool keep_dims) {
  return ops::EmitReduction("Max", input, axes, keep_dims);
}
Tensor ReduceMin(const Tensor& input, const Axes& axes, bool keep_dims) {
  return ops::EmitReduction("Min", input, axes, keep_dims);
}
Tensor ReduceProd(const Tensor& input, const Axes& axes, bool keep_dims) {
  const auto places = axes.Resolve(input.rank(), "Prod");
  if (places.empty()) return ops::EmitReduction("Prod", input, axes, keep_dims);
  Tensor result = input;
  for (size_t i = places.size(); i-- > 0;) {
    result = ops::EmitReduction("Prod", result, static_cast<int>(places[i]), keep_dims);
  }
  return result;
}
Tensor ReduceAll(const Tensor& input, const Axes& axes, bool keep_dims) {
  return ops::EmitReduction("All", input, axes, keep_dims);
}
Tensor ReduceAny(const Tensor& input, const Axes& axes, bool keep_dims) {
  return ops::EmitReduction("Any", input, axes, keep_dims);
}

}  // namespace lockstep
