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

/// `num` equal parts along `axis`. Errors: InvalidArgument when `num` does not divide the size.
/// Source: tf.split with a number.
std::vector<Tensor> Split(const Tensor& value, int64_t num, int axis = 0);
/// The values along a new axis. Shapes: all equal. Source: tf.stack.
Tensor Stack(const std::vector<Tensor>& values, int axis = 0);
/// The elements along `axis`, which goes and must have a known size. Source: tf.unstack.
std::vector<Tensor> Unstack(const Tensor& value, int axis = 0);

/// `size[i]` elements (-1: all that follow) along axis i, from `begin[i]` on. Errors:
/// InvalidArgument when they do not lie inside. Source: tf.slice.
Tensor Slice(const Tensor& input, const std::vector<int64_t>& begin,
             const std::vector<int64_t>& size);

/// Bit i of a mask speaks of entry i of a strided slice.
struct StridedSliceMasks {
  int64_t begin = 0;        // begin is left out: from the start
  int64_t end = 0;          // end is left out: to the end
  int64_t ellipsis = 0;     // "...": all axes that the other entries leave
  int64_t new_axis = 0;     // a new axis of size 1
  int64_t shrink_axis = 0;  // one element, and the axis goes
};
/// Python's slices `begin:end:stride`, one an axis; all strides 1 if none are given. Errors:
/// InvalidArgument for a stride 0, too many entries, or an index outside of an axis that goes.
/// Source: TF StridedSlice.
Tensor StridedSlice(const Tensor& input, const std::vector<int64_t>& begin,
                    const std::vector<int64_t>& end, const std::vector<int64_t>& strides = {},
                    const StridedSliceMasks& masks = {});

struct AxisPadding {
  int64_t before = 0;
  int64_t after = 0;
};
/// kReflect mirrors without the border, kSymmetric with it.
enum class PadMode { kConstant, kReflect, kSymmetric };
/// The input with more elements before and after along each axis. Errors: InvalidArgument for a
/// negative padding, or a mirrored one that reaches beyond the axis. Source: tf.pad.
Tensor Pad(const Tensor& input, const std::vector<AxisPadding>& paddings,
           PadMode mode = PadMode::kConstant, double constant = 0);

/// The input repeated `multiples[i]` times along axis i. Source: tf.tile.
Tensor Tile(const Tensor& input, const std::vector<int64_t>& multiples);
/// The input backwards along `axes`. Source: tf.reverse.
Tensor Reverse(const Tensor& input, const std::vector<int64_t>& axes);

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

/// The slices of `params` at whole places: the last axis of `indices` holds a place along the first
/// axes of params. Shapes: params [P..., Q...], indices [I..., len(P)] (int32, int64), result
/// [I..., Q...]. Errors: InvalidArgument for a place outside. Source: tf.gather_nd.
Tensor GatherNd(const Tensor& params, const Tensor& indices);
/// Zeros of `shape` to which `updates` are added at places, in order. Shapes: indices
/// [I..., len(P)], updates [I..., Q...], result [P..., Q...]. Errors: as GatherNd. Source:
/// tf.scatter_nd.
Tensor ScatterNd(const Tensor& indices, const Tensor& updates, const std::vector<int64_t>& shape);
/// `tensor` in which `updates` replace the slices at places, in order: the last one stays. Source:
/// tf.tensor_scatter_nd_update.
Tensor TensorScatterUpdate(const Tensor& tensor, const Tensor& indices, const Tensor& updates);
/// The same, adding. Source: tf.tensor_scatter_nd_add.
Tensor TensorScatterAdd(const Tensor& tensor, const Tensor& indices, const Tensor& updates);
/// `default_value` everywhere but at places, where `values` are. Shapes: indices int64 [n, rank],
/// dense_shape int64 [rank], values [n], default_value [], result [dense_shape...].
/// Errors: InvalidArgument for a place outside and, with `validate_indices`, for places that are
/// out of order or repeated. Source: tf.sparse.to_dense.
Tensor SparseToDense(const Tensor& indices, const Tensor& dense_shape, const Tensor& values,
                     const Tensor& default_value, bool validate_indices = true);

struct TopKResult {
  Tensor values;
  Tensor indices;  // int32
};
/// The `k` largest elements along the last axis, falling; of equal ones the lower place first; a
/// NaN counts as largest. Dtypes: numbers. Errors: InvalidArgument for k > size. Source:
/// tf.math.top_k.
TopKResult TopK(const Tensor& input, int64_t k = 1);
enum class SortDirection { kAscending, kDescending };
/// The elements along `axis` in order; stable, NaN largest. Dtypes: numbers. Source: tf.sort.
Tensor Sort(const Tensor& values, int axis = -1,
            SortDirection direction = SortDirection::kAscending);
/// The places (int32) from which `Sort` takes. Source: tf.argsort.
Tensor ArgSort(const Tensor& values, int axis = -1,
               SortDirection direction = SortDirection::kAscending);

/// The places (int64, row-major) of the elements that are not zero. Shapes: condition of rank r,
/// result [n, r]. Dtypes: numbers, bool. Source: tf.where with one argument.
Tensor Where(const Tensor& condition);
/// The elements whose mark is true, in order. Shapes: mask (bool) [M...], input [M..., R...],
/// result [n, R...]. Errors: InvalidArgument for another mask. Source: tf.boolean_mask.
Tensor BooleanMask(const Tensor& input, const Tensor& mask);
struct UniqueResult {
  Tensor values;   // [n], in the order of their first occurrence
  Tensor indices;  // int32, as the input: which value each element is
};
/// The different values of a vector; every NaN is one. Dtypes: numbers, bool. Source: tf.unique.
UniqueResult Unique(const Tensor& input);
/// How many elements of a rising row are below each value (or, with `right`, not above). Shapes:
/// sorted [R..., n], values [R..., m], result int32 as values. Dtypes: float32, float64, int32,
/// int64. Source: tf.searchsorted.
Tensor SearchSorted(const Tensor& sorted, const Tensor& values, bool right = false);
/// The matrices of the last two axes with zeros outside of `lower` diagonals below and `upper`
/// above the main one; negative: all. Source: tf.linalg.band_part.
Tensor MatrixBandPart(const Tensor& input, int64_t lower, int64_t upper);

/// The sizes of the axes; a constant where they are known. Result: int32 or int64. Source:
/// tf.shape.
Tensor ShapeOf(const Tensor& input, DType out_type = DType::kInt32);
/// The number of elements. Source: tf.size.
Tensor SizeOf(const Tensor& input, DType out_type = DType::kInt32);
/// start, start + delta, ... up to but without `limit`: numbers that are known now. Errors:
/// InvalidArgument when delta leads away. Source: tf.range.
Tensor Range(const Tensor& start, const Tensor& limit, const Tensor& delta = 1);
/// 0, 1, ... up to but without `limit`.
Tensor Range(const Tensor& limit);
/// `num` numbers from start to stop, both included. Dtypes: float32, float64. Errors:
/// InvalidArgument for num < 1. Source: tf.linspace.
Tensor LinSpace(const Tensor& start, const Tensor& stop, int64_t num);

enum class ScatterKind { kUpdate, kAdd, kSubtract, kMultiply, kDivide, kMinimum, kMaximum };
/// "ResourceScatterAdd", ...
const char* ScatterOpName(ScatterKind kind);
/// Joins rows of a variable (its handle) with `updates`, one after another. Shapes: variable
/// [n, R...], indices [I...] (int32, int64), updates [I..., R...]. Dtypes: numbers. Errors:
/// InvalidArgument for an index outside of [0, n). Source: TF ResourceScatterUpdate, -Add, ...
void ScatterInto(const Tensor& variable, ScatterKind kind, const Tensor& indices,
                 const Tensor& updates);

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
