// Sums of rows by segment: UnsortedSegmentSum and SegmentSum.

#include "lockstep/ops/array.h"
#include "lockstep/ops/reduce.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferUnsorted(const InferenceContext& context) {
  const TensorType& data = context.inputs[0];
  const Shape& ids = context.inputs[1].shape;
  const int64_t segments = context.attributes.Get<int64_t>("num_segments");
  RequireIndices(context.spec, context.inputs[1]);
  bool fits = ids.rank() <= data.shape.rank();
  for (int i = 0; i < ids.rank() && fits; ++i) {
    fits = ids[i] < 0 || data.shape[i] < 0 || ids[i] == data.shape[i];
  }
  if (!fits || segments < 0) {
    Reject(context.spec, "ids must have the shape of data's first axes, num_segments be >= 0",
           data.ToString() + ", " + ids.ToString() + " and " + std::to_string(segments));
  }
  Shape shape{segments};
  for (int i = ids.rank(); i < data.shape.rank(); ++i) shape.Append(data.shape[i]);
  return {{data.dtype, shape, data.element}};
}

std::vector<Tensor> UnsortedGradient(const GradientContext& context) {
  return {Emit1("GatherV2", {context.output_gradients[0], context.inputs[1]},
                {{"axis", int64_t{0}}, {"batch_dims", int64_t{0}}, {"drop_negative", true}}),
          Tensor()};
}

RowEffect UnsortedRows(const RowContext& context) {
  return context.has_rows[0] && context.has_rows[1] ? RowEffect::kSum : RowEffect::kMixes;
}

const RegisterOp kUnsorted({.name = "UnsortedSegmentSum",
                            .infer = InferUnsorted,
                            .gradient = UnsortedGradient,
                            .rows = UnsortedRows});

// The last id decides the number of segments.
std::vector<TensorType> InferSorted(const InferenceContext& context) {
  const TensorType& data = context.inputs[0];
  const Shape& ids = context.inputs[1].shape;
  RequireIndices(context.spec, context.inputs[1]);
  const bool fits = ids.rank() == 1 && data.shape.rank() >= 1 &&
                    (ids[0] < 0 || data.shape[0] < 0 || ids[0] == data.shape[0]);
  if (!fits) {
    Reject(context.spec, "there must be an id for each row of data",
           data.ToString() + " and " + ids.ToString());
  }
  Shape shape = data.shape;
  shape.set_dim(0, Shape::kUnknown);
  return {{data.dtype, shape, data.element}};
}

std::vector<Tensor> SortedGradient(const GradientContext& context) {
  return {Gather(context.output_gradients[0], context.inputs[1]), Tensor()};
}

const RegisterOp kSorted({.name = "SegmentSum", .infer = InferSorted, .gradient = SortedGradient});

}  // namespace
}  // namespace ops

Tensor UnsortedSegmentSum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments) {
  return ops::Emit1("UnsortedSegmentSum", {data, segment_ids}, {{"num_segments", num_segments}});
}
Tensor SegmentSum(const Tensor& data, const Tensor& segment_ids) {
  return ops::Emit1("SegmentSum", {data, segment_ids});
}

}  // namespace lockstep
