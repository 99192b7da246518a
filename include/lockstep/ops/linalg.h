#pragma once

#include <string>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// The matrix product of `a` and `b`, either of them transposed first where asked for.
/// Shapes: a [..., m, k] ([..., k, m] transposed), b [..., k, n] ([..., n, k] transposed), result
/// [..., m, n]; the leading axes broadcast. Dtypes: float32, float64, bfloat16 and float16 (summed
/// in float32), int32, int64. Every element is one chain over k of fused multiply-adds, ascending,
/// from zero.
/// Errors: InvalidArgument when dtypes differ, a rank is below 2 or the inner sizes disagree.
/// Source: TF MatMul, BatchMatMulV2.
Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false);

/// Products and sums in Einstein's notation, such as "abc,acd->abd": a letter for each axis, equal
/// letters run together, letters that the result lacks are summed over, "..." stands for further
/// axes, which broadcast. Without "->" the result has the letters that occur once, in alphabetical
/// order. Operands are joined from left to right by products of matrices (see MatMul).
/// Dtypes: as MatMul. Errors: InvalidArgument for terms that do not fit the operands.
/// Source: tf.einsum; a letter that is repeated in the result is not supported.
Tensor Einsum(const std::string& equation, const std::vector<Tensor>& inputs);

/// `value` plus `bias` along the last axis. Shapes: value [..., c] of rank 2 or more, bias [c].
/// Errors: InvalidArgument when the sizes or the dtypes disagree. Source: TF BiasAdd.
Tensor BiasAdd(const Tensor& value, const Tensor& bias);

}  // namespace lockstep
