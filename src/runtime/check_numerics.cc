// What throws for NaN and infinity, behind any other (ops/check_numerics.h).

#include <string>

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "ops/op.h"
#include "runtime/host_ops.h"

namespace lockstep::runtime {

namespace {

int64_t CountOf(const Tensor& condition) {
  return ReduceSum(Cast(condition, DType::kInt64)).scalar<int64_t>();
}

std::vector<Tensor> Check(const ops::OpSpec&, const ops::Attributes& attributes,
                          const std::vector<Tensor>& inputs) {
  const Tensor& value = inputs[0];
  const int64_t bad = CountOf(LogicalNot(IsFinite(value)));
  if (bad == 0) return {value};
  const int64_t nans = CountOf(IsNan(value));
  throw Error(Code::kInvalidArgument,
              "[check_numerics] Detected Infinity or NaN in output " +
                  std::to_string(attributes.GetOr<int64_t>("output", 0)) + " of op \"" +
                  attributes.GetOr<std::string>("of", "") +
                  "\": " + std::string(DTypeName(value.dtype())) + value.shape().ToString() + ", " +
                  std::to_string(nans) + " NaN and " + std::to_string(bad - nans) +
                  " infinite elements" + attributes.GetOr<std::string>("place", ""));
}

const RegisterHostOp kCheck("CheckNumerics", {.function = Check});

}  // namespace

}  // namespace lockstep::runtime
