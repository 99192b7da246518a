// The ops by which parts of a graph on different devices and ranks meet. They have no kernels: the
// executor of a segmented program hands them to whoever sends and receives.

#include "ops/op.h"

namespace lockstep::ops {

namespace {

std::vector<TensorType> TypeFromAttributes(const InferenceContext& context) {
  const auto dtype = context.attributes.Get<DType>("dtype");
  return {{dtype, Shape(context.attributes.Get<std::vector<int64_t>>("shape")), dtype}};
}

std::vector<TensorType> NoOutputs(const InferenceContext&) { return {}; }

// _Send{key}(tensor): hands a reference to whoever receives under the same key; never waits.
const RegisterOp kSend(
    {.name = "_Send", .infer = NoOutputs, .effects = {.external = true}, .asynchronous = true});

// _Recv{key, dtype, shape}(): the tensor that was sent under the key.
const RegisterOp kReceive({.name = "_Recv", .infer = TypeFromAttributes, .asynchronous = true});

// CollectiveSum{bucket, leaves, block, nodes, dtype, shape}(partials...): the sum over all leaves
// of all ranks, by the canonical tree. `block` is this rank's range of leaves, `nodes` holds two
// numbers for each partial: the range of leaves that it has already added up.
const RegisterOp kCollectiveSum({.name = "CollectiveSum",
                                 .infer = TypeFromAttributes,
                                 .asynchronous = true});

}  // namespace

}  // namespace lockstep::ops
