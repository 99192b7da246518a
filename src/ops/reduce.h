#pragma once

#include <vector>

#include "lockstep/ops/reduce.h"
#include "ops/builder.h"
#include "ops/op.h"

namespace lockstep::ops {

/// Emits the reduction `op`, whose attributes are "axes" (from the front, rising) and "keep_dims".
Tensor EmitReduction(std::string_view op, const Tensor& input, const Axes& axes, bool keep_dims);

/// The shape without the reduced axes; the dtype stays.
std::vector<TensorType> InferReduction(const InferenceContext& context);
/// kSum when axis 0 is reduced, for reductions that add.
RowEffect ReductionRows(const RowContext& context);
/// kMixes when axis 0 is reduced.
RowEffect ReductionRowsMix(const RowContext& context);
/// `reduced` with size 1 for the reduced axes, if they were dropped.
Tensor WithReducedAxes(const GradientContext& context, const Tensor& reduced);

}  // namespace lockstep::ops
