#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// Which axes a reduction takes: all (the default), one, or a list, which may be empty. Negative
/// axes count from the end.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : Axes(std::vector<int64_t>{axis}) {}  // NOLINT: implicit
  Axes(std::initializer_list<int64_t> axes) : Axes(std::vector<int64_t>(axes)) {}
  Axes(std::vector<int64_t> axes) : all_(false), axes_(std::move(axes)) {}  // NOLINT: implicit
  /// The axes counted from the front, rising. InvalidArgument when one is out of range or twice.
  std::vector<int64_t> Resolve(int rank, const char* where) const;

 private:
  bool all_ = true;
  std::vector<int64_t> axes_;
};

// Reductions. Shapes: input any; the result lacks `axes`, or has size 1 there with `keep_dims`.
// Errors: InvalidArgument for an axis out of range or given twice. The order of combination
// depends on shapes only (and on a batch's leaves where examples are reduced).

/// The sum; 0 of nothing. Dtypes: all numbers; integers wrap around, half precision is added in
/// float32. Source: tf.reduce_sum.
Tensor ReduceSum(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
/// The sum divided by the number of elements; NaN of nothing. Dtypes: all numbers; integers round
/// towards zero. Source: tf.reduce_mean.
Tensor ReduceMean(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);

/// The place of the largest element along `axis`, the first of equal ones. Shapes: the input's
/// without `axis`. Dtypes: all numbers; result `output_type`, int32 or int64. Errors:
/// InvalidArgument when there are no elements along `axis`. Source: tf.argmax.
Tensor ArgMax(const Tensor& input, int axis = 0, DType output_type = DType::kInt64);
/// The place of the smallest element, as `ArgMax`. Source: tf.argmin.
Tensor ArgMin(const Tensor& input, int axis = 0, DType output_type = DType::kInt64);

}  // namespace lockstep
