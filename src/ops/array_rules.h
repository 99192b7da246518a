#pragma once

#include <string>
#include <vector>

#include "ops/builder.h"
#include "ops/op.h"
#include "tensor/sizes.h"

namespace lockstep::ops {

using tensor::ListText;
using tensor::ProductOfSizes;
using tensor::SumOfSizes;

/// Throws InvalidArgument "[op] rule; got values".
[[noreturn]] void Reject(const OpSpec& spec, const std::string& rule, const std::string& got);
/// The attribute `name`, a list of integers or one integer.
inline const std::vector<int64_t>& ListOf(const Attributes& attributes, std::string_view name) {
  return attributes.Get<std::vector<int64_t>>(name);
}
/// InvalidArgument for one that does not fit into 32 bits: a cast would make another axis of it.
int IntOf(const Attributes& attributes, std::string_view name);
/// The attribute `name`, an axis counted from the front. InvalidArgument unless it is in [0, rank).
int AxisOf(const InferenceContext& context, int rank, std::string_view name = "axis");
/// Row-major reshaping keeps examples apart when the new axis 0 is a multiple of their number.
RowEffect ViewRows(const RowContext& context);
/// kRows, if every input that is not a resource has rows, unless the attribute "axis" is 0.
RowEffect RowsUnlessAxis0(const RowContext& context);
/// For an adjoint: input 0 must have the shape that `infer` gives for an input like input 1.
void RequireForwardShape(const InferenceContext& context, InferFunction infer);
/// InvalidArgument unless all are axes counted from the front, each given once.
void RequireAxes(const OpSpec& spec, const std::vector<int64_t>& axes, int rank);
/// InvalidArgument unless the dtype is an index's: int32 or int64.
void RequireIndices(const OpSpec& spec, const TensorType& type);

}  // namespace lockstep::ops
