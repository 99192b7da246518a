// The ops that hold a graph together: parameters, constants, identity, reshaping, variables.

#include "lockstep/ops/structure.h"

#include "ops/array_rules.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

std::vector<TensorType> NotInferred(const InferenceContext& context) {
  throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] a graph adds it with its type");
}

const RegisterOp kArg({.name = "Arg", .infer = NotInferred});
const RegisterOp kConst({.name = "Const", .infer = NotInferred});

std::vector<Tensor> PassGradient(const GradientContext& context) {
  return {context.output_gradients[0]};
}

const RegisterOp kIdentity({.name = "Identity",
                            .infer = SameAsFirstInput,
                            .gradient = PassGradient,
                            .rows = RowsStay,
                            .view = true});
// Its kernel throws for NaN and infinity.
const RegisterOp kCheckNumerics({.name = "CheckNumerics",
                                 .infer = SameAsFirstInput,
                                 .gradient = PassGradient,
                                 .rows = RowsStay});
const RegisterOp kStopGradient(
    {.name = "StopGradient", .infer = SameAsFirstInput, .rows = RowsStay, .view = true});

// What is known of either; a run checks what the input has by then.
std::vector<TensorType> InferEnsureShape(const InferenceContext& context) {
  const auto& wanted = context.attributes.Get<std::vector<int64_t>>("shape");
  TensorType type = context.inputs[0];
  if (!type.shape.CompatibleWith(Shape(wanted))) {
    throw Error(Code::kInvalidArgument,
                "[ensure_shape] Shape of tensor input " + type.shape.ToString() +
                    " is not compatible with expected shape " + ListText(wanted));
  }
  if (!type.shape.ranked()) type.shape = Shape(wanted);
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    if (wanted[axis] >= 0) type.shape.set_dim(axis, wanted[axis]);
  }
  return {type};
}

// Whether it asks for a size of axis 0.
RowEffect EnsureShapeRows(const RowContext& context) {
  const auto& wanted = context.attributes.Get<std::vector<int64_t>>("shape");
  return !wanted.empty() && wanted[0] < 0 ? RowsStay(context) : RowEffect::kWhole;
}

const RegisterOp kEnsureShape({.name = "EnsureShape",
                               .infer = InferEnsureShape,
                               .gradient = PassGradient,
                               .rows = EnsureShapeRows,
                               .view = true});

// The size that -1 stands for; unknown while the input's number of elements is not known.
std::vector<TensorType> InferReshape(const InferenceContext& context) {
  const auto& wanted = context.attributes.Get<std::vector<int64_t>>("shape");
  const TensorType& input = context.inputs[0];
  Shape result;
  int wildcard = -1;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] >= 0) {
      sizes.push_back(wanted[i]);
    } else if (wildcard >= 0 || wanted[i] != -1) {
      throw Error(Code::kInvalidArgument,
                  "[reshape] at most one size may be -1, and none less; got " + ListText(wanted));
    } else {
      wildcard = static_cast<int>(i);
    }
    result.Append(wanted[i]);
  }
  if (input.shape.fully_known()) {
    const int64_t count = input.shape.num_elements();
    const int64_t known = ProductOfSizes(sizes, context.spec.name);
    const bool fits =
        wildcard >= 0 ? (known == 0 ? count == 0 : count % known == 0) : known == count;
    if (!fits) {
      throw Error(Code::kInvalidArgument, "[reshape] the number of elements must stay; got " +
                                              input.shape.ToString() + " and " + result.ToString());
    }
    if (wildcard >= 0) result.set_dim(wildcard, known == 0 ? 0 : count / known);
  }
  return {{input.dtype, result, input.element}};
}

// Row-major order keeps examples apart as long as the new axis 0 is a multiple of their number.
RowEffect ReshapeRows(const RowContext& context) {
  const Shape& shape = context.outputs[0].shape;
  const bool fits = shape.rank() > 0 && context.examples > 0 && shape[0] % context.examples == 0;
  return fits ? RowEffect::kRows : RowEffect::kMixes;
}

std::vector<Tensor> ReshapeGradient(const GradientContext& context) {
  return {ReshapeLike(context.output_gradients[0], context.inputs[0])};
}

const RegisterOp kReshape({.name = "Reshape",
                           .infer = InferReshape,
                           .gradient = ReshapeGradient,
                           .rows = ReshapeRows,
                           .view = true});

std::vector<TensorType> InferLikeSecond(const InferenceContext& context) {
  return {{context.inputs[0].dtype, context.inputs[1].shape, context.inputs[0].element}};
}

std::vector<Tensor> ReshapeLikeGradient(const GradientContext& context) {
  return {ReshapeLike(context.output_gradients[0], context.inputs[0]), Tensor()};
}

const RegisterOp kReshapeLike({.name = "ReshapeLike",
                               .infer = InferLikeSecond,
                               .gradient = ReshapeLikeGradient,
                               .rows = ReshapeRows,
                               .shape_only = 0b10,
                               .view = true});

std::vector<TensorType> InferRead(const InferenceContext& context) {
  const TensorType& handle = context.inputs[0];
  if (handle.dtype != DType::kResource) {
    throw Error(Code::kInvalidArgument,
                "[read_variable] a variable is needed; got " + handle.ToString());
  }
  return {{handle.element, handle.shape, handle.element}};
}

const RegisterOp kReadVariable({.name = "ReadVariableOp",
                                .infer = InferRead,
                                .gradient = PassGradient,
                                .rows = RowsStay,
                                .effects = {.reads = 1}});

}  // namespace
}  // namespace ops

Tensor Identity(const Tensor& input) { return ops::Emit1("Identity", {input}); }
Tensor EnsureShape(const Tensor& input, const std::vector<int64_t>& shape) {
  return ops::Emit1("EnsureShape", {input}, {{"shape", shape}});
}
Tensor StopGradient(const Tensor& input) { return ops::Emit1("StopGradient", {input}); }
Tensor Reshape(const Tensor& input, const std::vector<int64_t>& shape) {
  return ops::Emit1("Reshape", {input}, {{"shape", shape}});
}
Tensor ReshapeLike(const Tensor& input, const Tensor& like) {
  return ops::Emit1("ReshapeLike", {input, like});
}

}  // namespace lockstep
