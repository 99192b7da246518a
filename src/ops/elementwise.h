#pragma once

#include <initializer_list>

#include "ops/builder.h"
#include "ops/op.h"

namespace lockstep::ops {

// What the families of element-wise ops share.

/// Emits an op of one operand; a C++ number becomes float32 or int32.
Tensor EmitUnary(const char* op, const Tensor& x, Attributes attributes = {});
/// Emits an op of two operands after giving C++ numbers the other's dtype.
Tensor EmitBinary(const char* op, const Tensor& a, const Tensor& b, Attributes attributes = {});

/// `gradient`, which has the shape that `x` and `others` broadcast to, summed to the shape of `x`;
/// unchanged where the shapes tell that `x` was not broadcast.
Tensor Unbroadcast(const Tensor& gradient, const Tensor& x, std::initializer_list<Tensor> others);

// Shape rules that also look at the dtypes. InvalidArgument names the op and what it got.
std::vector<TensorType> InferRealUnary(const InferenceContext& context);
std::vector<TensorType> InferNumberUnary(const InferenceContext& context);
std::vector<TensorType> InferRealBinary(const InferenceContext& context);
std::vector<TensorType> InferNumberBinary(const InferenceContext& context);
std::vector<TensorType> InferIntegerBinary(const InferenceContext& context);
std::vector<TensorType> InferComparison(const InferenceContext& context);
/// For the gradient of an op: both inputs have one type.
std::vector<TensorType> InferRealPair(const InferenceContext& context);

[[noreturn]] void ThrowDType(const InferenceContext& context, const char* needed);

}  // namespace lockstep::ops
