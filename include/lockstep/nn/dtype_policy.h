#pragma once

#include <string>
#include <string_view>

#include "lockstep/tensor/dtype.h"

namespace lockstep {

class LayerPtr;

/// In which dtype a layer computes, and in which it keeps its weights. Inputs of floating dtypes
/// are cast to `compute`, and weights where the layer reads them; their gradients come in their own
/// dtype. Losses and metrics take half precision as float32. Source: keras.DTypePolicy.
struct DTypePolicy {
  DType compute = DType::kFloat32;
  DType variable = DType::kFloat32;

  /// "mixed_bfloat16", "mixed_float16" (weights in float32), or the name of a floating dtype for
  /// both. InvalidArgument for another name.
  static DTypePolicy Named(std::string_view name);
  std::string name() const;
  bool operator==(const DTypePolicy&) const = default;
};

/// The policy of layers that are made from now on; float32 at first. A model that is compiled under
/// mixed_float16 scales its loss (LossScaleOptimizer). Threads: any.
/// Source: keras.config.set_dtype_policy.
void SetGlobalPolicy(const DTypePolicy& policy);
DTypePolicy GlobalPolicy();

/// `layer` with a policy of its own, such as float32 for the last one of a model.
/// FailedPrecondition where it has weights already.
LayerPtr WithPolicy(const DTypePolicy& policy, const LayerPtr& layer);

}  // namespace lockstep
