// The bits of integers.

#include "lockstep/ops/bits.h"

#include "ops/elementwise.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferInvert(const InferenceContext& context) {
  if (!IsInteger(context.inputs[0].dtype)) ThrowDType(context, "integer");
  return {context.inputs[0]};
}

OpSpec OnBits(const char* name, InferFunction infer) {
  return {.name = name, .infer = infer, .rows = RowsStay};
}
const RegisterOp kBitwiseAnd(OnBits("BitwiseAnd", InferIntegerBinary));
const RegisterOp kBitwiseOr(OnBits("BitwiseOr", InferIntegerBinary));
const RegisterOp kBitwiseXor(OnBits("BitwiseXor", InferIntegerBinary));
const RegisterOp kLeftShift(OnBits("LeftShift", InferIntegerBinary));
const RegisterOp kRightShift(OnBits("RightShift", InferIntegerBinary));
const RegisterOp kInvert(OnBits("Invert", InferInvert));

}  // namespace
}  // namespace ops

Tensor BitwiseAnd(const Tensor& a, const Tensor& b) { return ops::EmitBinary("BitwiseAnd", a, b); }
Tensor BitwiseOr(const Tensor& a, const Tensor& b) { return ops::EmitBinary("BitwiseOr", a, b); }
Tensor BitwiseXor(const Tensor& a, const Tensor& b) { return ops::EmitBinary("BitwiseXor", a, b); }
Tensor LeftShift(const Tensor& a, const Tensor& b) { return ops::EmitBinary("LeftShift", a, b); }
Tensor RightShift(const Tensor& a, const Tensor& b) { return ops::EmitBinary("RightShift", a, b); }
Tensor Invert(const Tensor& x) { return ops::EmitUnary("Invert", x); }

}  // namespace lockstep
