#include "nn/layers/leading_axes.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/by_values.h"
#include "lockstep/ops/structure.h"

namespace lockstep::nn {

Tensor WithLeadingAxes(const Tensor& x, const Tensor& like, int leading,
                       const std::vector<int64_t>& trailing) {
  const std::vector<int64_t> sizes = like.shape().vector();
  std::vector<int64_t> shape(sizes.begin(), sizes.begin() + leading);
  const auto unknown = std::count(shape.begin(), shape.end(), Shape::kUnknown);
  shape.insert(shape.end(), trailing.begin(), trailing.end());
  if (unknown <= 1) return Reshape(x, shape);
  const auto count = static_cast<int64_t>(trailing.size());
  const Tensor values = Concat({Slice(ShapeOf(like, DType::kInt64), {0}, {leading}),
                                Tensor::FromVector(trailing, Shape{count})},
                               0);
  return ReshapeBy(x, values, shape);
}

}  // namespace lockstep::nn
