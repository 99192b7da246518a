#include "gradients.h"
#include "lockstep/ops/reduce.h"

namespace golden {
namespace {

using lockstep::Axes;
using lockstep::Tensor;

// Without parameters the axes that the result lacks; the later of equally long ones.
Axes AxesOf(const Case& golden) {
  if (golden.HasParam("axis")) return golden.Integers("axis");
  if (golden.MentionsParam("axis")) return {};
  const lockstep::Shape whole = golden.Input("x").shape(), left = golden.OutputShape("y");
  std::vector<int64_t> axes;
  int kept = 0;
  for (int axis = 0; axis < whole.rank(); ++axis) {
    const bool keeps = kept < left.rank() && left[kept] == whole[axis];
    kept += keeps;
    if (!keeps) axes.push_back(axis);
  }
  return axes;
}

Handler Reduction(Tensor (*function)(const Tensor&, const Axes&, bool)) {
  return [function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
      return function(inputs[0], AxesOf(golden), golden.Param("keepdims", false));
    });
  };
}

Handler Scan(Tensor (*function)(const Tensor&, int, const lockstep::ScanOptions&)) {
  return [function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
      return function(inputs[0], golden.Param("axis", 0),
                      {.exclusive = golden.Param("exclusive", false),
                       .reverse = golden.Param("reverse", false)});
    });
  };
}

const RegisterGroup kReduce("ops_reduce",
                            {
                                {"reduce_sum", Reduction(lockstep::ReduceSum)},
                                {"reduce_mean", Reduction(lockstep::ReduceMean)},
                                {"reduce_max", Reduction(lockstep::ReduceMax)},
                                {"reduce_min", Reduction(lockstep::ReduceMin)},
                                {"reduce_prod", Reduction(lockstep::ReduceProd)},
                                {"reduce_all", Reduction(lockstep::ReduceAll)},
                                {"reduce_any", Reduction(lockstep::ReduceAny)},
                                {"reduce_logsumexp", Reduction(lockstep::ReduceLogSumExp)},
                                {"reduce_std", Reduction(lockstep::ReduceStd)},
                                {"reduce_variance", Reduction(lockstep::ReduceVariance)},
                                {"reduce_euclidean_norm", Reduction(lockstep::ReduceEuclideanNorm)},
                                {"cumsum", Scan(lockstep::Cumsum)},
                                {"cumprod", Scan(lockstep::Cumprod)},
                            });

}  // namespace
}  // namespace golden
