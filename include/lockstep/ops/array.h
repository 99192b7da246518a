#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

// Ops that move elements. Dtypes: any unless said otherwise. Negative axes count from the end; an
// axis out of range is InvalidArgument.

/// Axes of size 1 at places `axes` of the result; nothing is copied. Source: tf.expand_dims.
Tensor ExpandDims(const Tensor& input, const std::vector<int64_t>& axes);
inline Tensor ExpandDims(const Tensor& input, int axis) {
  return ExpandDims(input, std::vector<int64_t>{axis});
}
/// The input without `axes`, all of which have size 1; without all axes of size 1 if none is
/// named. Errors: InvalidArgument for another size. Source: tf.squeeze.
Tensor Squeeze(const Tensor& input, const std::vector<int64_t>& axes = {});

/// Axis i of the result is axis `perm[i]` of the input; reversed without `perm`. Errors:
/// InvalidArgument when `perm` is no permutation. Source: tf.transpose.
Tensor Transpose(const Tensor& input, const std::vector<int64_t>& perm = {});

/// The values one after another along `axis`. Shapes: equal but along `axis`; rank >= 1. Errors:
/// InvalidArgument for shapes or dtypes that do not fit, or no values. Source: tf.concat.
Tensor Concat(const std::vector<Tensor>& values, int axis);
/// Parts of sizes `sizes` along `axis`; one size may be -1 and follows. Errors: InvalidArgument
/// when the sizes do not add up. Source: tf.split with sizes.
std::vector<Tensor> SplitV(const Tensor& value, const std::vector<int64_t>& sizes, int axis = 0);

struct GatherOptions {
  int axis = 0;
  /// Leading axes that `params` and `indices` have in common.
  int batch_dims = 0;
};
/// The elements of `params` along an axis that `indices` (int32, int64) name. Shapes: params
/// [P..., n, Q...], indices [I...], result [P..., I..., Q...]; the first `batch_dims` axes of
/// indices are those of P. Errors: InvalidArgument for an index outside of [0, n). The gradient
/// adds in the order of occurrence. Source: tf.gather.
Tensor Gather(const Tensor& params, const Tensor& indices, const GatherOptions& options = {});

struct OneHotOptions {
  double on_value = 1;
  double off_value = 0;
  int axis = -1;
  DType dtype = DType::kFloat32;
};
/// `on_value` where an index equals the place along a new axis of size `depth`, else `off_value`;
/// an index outside of [0, depth) is nowhere. Shapes: indices [I...] (int32, int64, uint8); result
/// with `depth` at `axis`. Dtypes of the result: numbers, bool. Source: tf.one_hot.
Tensor OneHot(const Tensor& indices, int64_t depth, const OneHotOptions& options = {});

}  // namespace lockstep
