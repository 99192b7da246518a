#include "ops/elementwise.h"

#include "lockstep/ops/structure.h"

namespace lockstep::ops {

Tensor EmitUnary(const char* op, const Tensor& x, Attributes attributes) {
  std::vector<Tensor> operands{x};
  ResolveWeak(operands, op);
  return Emit1(op, std::move(operands), std::move(attributes));
}

Tensor EmitBinary(const char* op, const Tensor& a, const Tensor& b, Attributes attributes) {
  std::vector<Tensor> operands{a, b};
  ResolveWeak(operands, op);
  return Emit1(op, std::move(operands), std::move(attributes));
}

namespace {

// The size of `shape` along axis `axis` of a result of rank `rank`.
int64_t SizeAt(const Shape& shape, int axis, int rank) {
  const int own = axis - (rank - shape.rank());
  return own < 0 ? 1 : shape[own];
}

bool MayBeBroadcast(const Shape& result, const Shape& x, std::initializer_list<Tensor> others) {
  if (x.rank() != result.rank()) return true;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x[axis] == result[axis] && x[axis] != Shape::kUnknown) continue;
    if (x[axis] == 1) return true;
    if (x[axis] != Shape::kUnknown) continue;
    for (const Tensor& other : others) {
      if (SizeAt(other.shape(), axis, result.rank()) != 1) return true;
    }
  }
  return false;
}

}  // namespace

Tensor Unbroadcast(const Tensor& gradient, const Tensor& x, std::initializer_list<Tensor> others) {
  return MayBeBroadcast(gradient.shape(), x.shape(), others) ? SumLike(gradient, x) : gradient;
}

void ThrowDType(const InferenceContext& context, const char* needed) {
  std::string got;
  for (const TensorType& input : context.inputs)
    got += (got.empty() ? "" : " and ") + input.ToString();
  throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] " + needed +
                                          " dtypes are needed; got " + got + "; cast first");
}

namespace {

bool IsNumber(DType dtype) { return IsFloating(dtype) || IsInteger(dtype); }

}  // namespace

std::vector<TensorType> InferRealUnary(const InferenceContext& context) {
  if (!IsFloating(context.inputs[0].dtype)) ThrowDType(context, "floating");
  return SameAsFirstInput(context);
}

std::vector<TensorType> InferNumberUnary(const InferenceContext& context) {
  if (!IsNumber(context.inputs[0].dtype)) ThrowDType(context, "numeric");
  return SameAsFirstInput(context);
}

std::vector<TensorType> InferRealBinary(const InferenceContext& context) {
  auto result = BroadcastInputs(context);
  if (!IsFloating(result[0].dtype)) ThrowDType(context, "floating");
  return result;
}

std::vector<TensorType> InferNumberBinary(const InferenceContext& context) {
  auto result = BroadcastInputs(context);
  if (!IsNumber(result[0].dtype)) ThrowDType(context, "numeric");
  return result;
}

std::vector<TensorType> InferIntegerBinary(const InferenceContext& context) {
  auto result = BroadcastInputs(context);
  if (!IsInteger(result[0].dtype)) ThrowDType(context, "integer");
  return result;
}

std::vector<TensorType> InferComparison(const InferenceContext& context) {
  const Shape shape = BroadcastInputs(context)[0].shape;
  return {{DType::kBool, shape, DType::kBool}};
}

std::vector<TensorType> InferRealPair(const InferenceContext& context) {
  if (!IsFloating(context.inputs[0].dtype)) ThrowDType(context, "floating");
  if (context.inputs[0].dtype != context.inputs[1].dtype ||
      !context.inputs[0].shape.CompatibleWith(context.inputs[1].shape)) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] both types must agree; got " +
                                            context.inputs[0].ToString() + " and " +
                                            context.inputs[1].ToString());
  }
  return SameAsFirstInput(context);
}

}  // namespace lockstep::ops
