#include "lockstep/nn/dtype_policy.h"

#include <mutex>

#include "lockstep/base/status.h"
#include "lockstep/nn/layer.h"

namespace lockstep {

namespace {

constexpr std::string_view kMixed = "mixed_";

struct SharedPolicy {
  std::mutex mutex;
  DTypePolicy policy;
};
SharedPolicy& Shared() {
  static auto* shared = new SharedPolicy;
  return *shared;
}

}  // namespace

DTypePolicy DTypePolicy::Named(std::string_view name) {
  for (const DType half : {DType::kBFloat16, DType::kFloat16}) {
    if (name == std::string(kMixed) + std::string(DTypeName(half)))
      return {.compute = half, .variable = DType::kFloat32};
  }
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16}) {
    if (name == DTypeName(dtype)) return {.compute = dtype, .variable = dtype};
  }
  throw Error(Code::kInvalidArgument,
              "[dtype_policy] the name must be float32, float64, bfloat16, float16, mixed_bfloat16 "
              "or mixed_float16; got " +
                  std::string(name));
}

std::string DTypePolicy::name() const {
  const std::string computes(DTypeName(compute));
  return compute == variable ? computes : std::string(kMixed) + computes;
}

void SetGlobalPolicy(const DTypePolicy& policy) {
  const std::lock_guard lock(Shared().mutex);
  Shared().policy = policy;
}

DTypePolicy GlobalPolicy() {
  const std::lock_guard lock(Shared().mutex);
  return Shared().policy;
}

LayerPtr WithPolicy(const DTypePolicy& policy, const LayerPtr& layer) {
  layer->set_dtype_policy(policy);
  return layer;
}

}  // namespace lockstep
