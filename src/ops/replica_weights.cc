#include "ops/replica_weights.h"

#include "ops/builder.h"

namespace lockstep::ops {

namespace {

std::vector<TensorType> InferReplicaWeights(const InferenceContext& context) {
  const Shape& shape = context.inputs[0].shape;
  if (shape.rank() == 0) {
    throw Error(Code::kInvalidArgument,
                "[ReplicaWeights] axis 0 must hold the examples; got a scalar");
  }
  const auto replicas = context.attributes.Get<int64_t>("replicas");
  if (replicas < 1 || replicas > INT32_MAX) {
    throw Error(Code::kInvalidArgument,
                "[ReplicaWeights] replicas must be positive and fit into 32 bits; got " +
                    std::to_string(replicas));
  }
  return {{DType::kFloat32, Shape{shape[0]}}};
}

// A weight follows from the example's place alone.
RowEffect WeightRows(const RowContext& context) {
  const int64_t rows = context.inputs[0].shape[0];
  return rows == context.examples ? RowEffect::kRows : RowEffect::kMixes;
}

const RegisterOp kReplicaWeights({.name = "ReplicaWeights",
                                  .infer = InferReplicaWeights,
                                  .rows = WeightRows,
                                  .shape_only = 1,
                                  .numbers_rows = true});

}  // namespace

Tensor ReplicaWeights(const Tensor& examples, int64_t replicas) {
  return Emit1("ReplicaWeights", {examples}, {{"replicas", replicas}});
}

}  // namespace lockstep::ops
