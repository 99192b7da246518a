"""Reductions of ragged tensors, and of their rows by segments."""

from . import _native
from . import _ragged_rows as rows_of, ops_array, ops_math
from ._dtypes import as_dtype
from ._tensor import integers


def _sums(data, ids, count):
    from . import math
    if isinstance(count, int):
        return math.unsorted_segment_sum(data, ids, count)
    shape = [count, *ops_array.sizes_of(data)[1:]]
    return ops_array.scatter_nd(ops_array.expand_dims(ids, 1), data, ops_array.stack(
        [ops_math.cast(one, "int64") for one in shape]))


def _folded(data, ids, count, kind):
    """The rows of each of `count` segments as one: sum, prod, max, min, any or all."""
    from . import math
    if kind in ("any", "all"):
        whole = _folded(ops_math.cast(data, "int32"), ids, count, "max" if kind == "any" else "min")
        return whole > 0
    made = _sums(data, ids, count) if kind == "sum" else getattr(math, "unsorted_segment_" + kind)(data, ids, count)
    return ops_array.ensure_shape(made, [None, *data.shape.as_list()[1:]]) if made._symbolic else made


def segments(data, ids, count, kind):
    """The same for rows that may be ragged: element by element, as far as the longest row of a segment goes."""
    from .ragged import RaggedTensor
    if not rows_of.is_ragged(data):
        return _folded(data, ids, count, kind)
    own = data.row_splits
    ids = ops_math.cast(ids, own.dtype)
    lengths = rows_of.lengths_of(own)
    sizes = ops_math.maximum(_folded(lengths, ids, count, "max"), ops_math.cast(0, own.dtype))
    splits, rows = rows_of.splits_of(sizes), rows_of.row_ids(own)
    places = ops_array.gather(splits, ops_array.gather(ids, rows)) + rows_of.columns(own, rows)
    total = splits[-1]
    total = total if total._symbolic else int(total)
    return RaggedTensor(segments(data.values, places, total, kind), splits, internal=True)


def _along(value, axis, kind):
    if not rows_of.is_ragged(value):
        return getattr(ops_math, "reduce_" + kind)(value, axis=axis)
    if axis > 1:
        return value.with_values(_along(value.values, axis - 1, kind))
    splits = value.row_splits
    rows = rows_of.row_ids(splits)
    if axis == 1:
        return segments(value.values, rows, rows_of.count_of(value), kind)
    width = rows_of.longest(value)
    return segments(value.values, rows_of.columns(splits, rows), width if width._symbolic else int(width), kind)


def _over(value, axes, kind, keepdims):
    for axis in sorted(axes, reverse=True):
        value = _along(value, axis, kind)
        value = ops_array.expand_dims(value, axis) if keepdims else value
    return value


def _mean(value, axes, keepdims):
    if not value.dtype.is_floating:
        value = value.with_flat_values(_native.cast(value.flat_values, as_dtype("float64")))
    counts = value.with_flat_values(ops_array.ones_like(value.flat_values))
    return _over(value, axes, "sum", keepdims) / _over(counts, axes, "sum", keepdims)


def reduced(value, axis, kind, keepdims=False):
    """A reduction of a ragged tensor over axes, or over all (None): sum, prod, max, min, any, all, mean, variance, std."""
    if axis is None:
        made = getattr(ops_math, "reduce_" + kind)(value.flat_values)
        return ops_array.reshape(made, [1] * value.shape.rank) if keepdims else made
    rank = value.shape.rank
    axis = integers(axis, "an axis")
    axes = [int(one) + (rank if one < 0 else 0) for one in (axis if isinstance(axis, (list, tuple)) else [axis])]
    if any(not 0 <= one < rank for one in axes):
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    if kind == "mean":
        return _mean(value, axes, keepdims)
    if kind in ("variance", "std"):
        squares = value.with_flat_values(ops_math.square(value.flat_values))
        made = _mean(squares, axes, keepdims) - ops_math.square(_mean(value, axes, keepdims))
        return made if kind == "variance" else ops_math.sqrt(ops_math.maximum(made, ops_math.cast(0, made.dtype)))
    return _over(value, axes, kind, keepdims)
