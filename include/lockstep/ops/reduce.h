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
/// The sum divided by the number of elements; NaN of nothing. Dtypes: all numbers; integers are
/// added up without loss and round towards zero. Source: tf.reduce_mean.
Tensor ReduceMean(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);

/// The largest or smallest element; the lowest or highest value of the dtype (floats: infinity) of
/// nothing; a NaN wins. The gradient is shared equally among equal extremes. Dtypes: numbers.
/// Source: tf.reduce_max, tf.reduce_min.
Tensor ReduceMax(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
Tensor ReduceMin(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
/// The product, axis by axis from the last; 1 of nothing. Dtypes: numbers. Source: tf.reduce_prod.
Tensor ReduceProd(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
/// Whether all or any of the elements (bool) are true. Source: tf.reduce_all, tf.reduce_any.
Tensor ReduceAll(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
Tensor ReduceAny(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
/// log(sum(exp(x))), without overflow. Dtypes: floating. Source: tf.reduce_logsumexp.
Tensor ReduceLogSumExp(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
/// The mean of squared distances from the mean, and its root. Dtypes: floating. Source:
/// tf.math.reduce_variance, tf.math.reduce_std.
Tensor ReduceVariance(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
Tensor ReduceStd(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
/// The root of the sum of squares; its gradient is NaN at 0. Dtypes: all numbers; of
/// integers the sum wraps around and the root loses its fraction. Source: tf.norm.
Tensor ReduceEuclideanNorm(const Tensor& input, const Axes& axes = {}, bool keep_dims = false);
/// Half the sum of all squares. Dtypes: floating. Result: a scalar. Source: tf.nn.l2_loss.
Tensor L2Loss(const Tensor& input);

// Sums over whole tensors, which do not know how a tensor is cut at tiles: sixteen lanes inside
// tiles of 4096 elements, then the canonical tree over tiles. Dtypes: floating. Result: a scalar.

/// The sum of all squares.
Tensor SumOfSquares(const Tensor& input);
/// The root of the sum of all squares of all inputs; empty ones do not count, of indexed slices the
/// values do. InvalidArgument when none is left. Source: tf.linalg.global_norm.
Tensor GlobalNorm(const std::vector<Tensor>& inputs);

struct ScanOptions {
  bool exclusive = false;  // leave the element itself out
  bool reverse = false;    // from the end
};
/// Sums or products of all elements up to each one along `axis`, a chain. Dtypes: numbers. Source:
/// tf.cumsum, tf.math.cumprod.
Tensor Cumsum(const Tensor& input, int axis = 0, const ScanOptions& options = {});
Tensor Cumprod(const Tensor& input, int axis = 0, const ScanOptions& options = {});

/// Row s of the result is the sum of the rows of `data` whose id is s; 0 for none; rows with a
/// negative id are left out. Shapes: data [I..., R...], ids [I...] (int32, int64), result
/// [num_segments, R...]. Rows add in order. Errors: InvalidArgument for an id >= num_segments.
/// Source: tf.math.unsorted_segment_sum.
Tensor UnsortedSegmentSum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments);
/// The same for rising ids, one a row of data; the last id decides the number of segments. Errors:
/// InvalidArgument when the ids fall. Source: tf.math.segment_sum.
Tensor SegmentSum(const Tensor& data, const Tensor& segment_ids);

/// The place of the largest element along `axis`, the first of equal ones. Shapes: the input's
/// without `axis`. Dtypes: all numbers; result `output_type`, int32 or int64. Errors:
/// InvalidArgument when there are no elements along `axis`. Source: tf.argmax.
Tensor ArgMax(const Tensor& input, int axis = 0, DType output_type = DType::kInt64);
/// The place of the smallest element, as `ArgMax`. Source: tf.argmin.
Tensor ArgMin(const Tensor& input, int axis = 0, DType output_type = DType::kInt64);

}  // namespace lockstep
