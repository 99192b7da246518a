"""Ragged tensors of nested lists and of ranges."""

from . import _ragged_rows as rows_of, ops_array, ops_math
from ._dtypes import as_dtype, float32
from ._tensor import convert_to_tensor
from .errors import InvalidArgumentError


def _is_list(value):
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0


def _depth(value):
    if not _is_list(value):
        return 0
    return 1 + max((_depth(one) for one in value), default=0)


def _check(value, level, whole):
    if level == 0 and _is_list(value) or level and not _is_list(value):
        raise ValueError("all scalar values must have the same nesting depth")
    for one in value if level else ():
        _check(one, level - 1, whole)


def _ragged_axes(levels, ragged_rank, inner_shape):
    """How many axes are ragged. Raises: ValueError for more than there are lists, or where both say otherwise."""
    inner = 0 if inner_shape is None else len(inner_shape)
    if ragged_rank is None:
        return max(1, levels - 1 - inner)
    if ragged_rank and ragged_rank >= levels:
        raise ValueError(f"Invalid pylist: nesting depth {levels} must be larger than ragged_rank = {ragged_rank}")
    return ragged_rank


def constant_of(pylist, dtype, ragged_rank, inner_shape, splits_dtype):
    """`tf.ragged.constant`."""
    from .ragged import RaggedTensor
    levels = _depth(pylist)
    if levels == 0:
        return convert_to_tensor(pylist, dtype=dtype)
    _check(pylist, levels, pylist)
    ragged_axes = 0 if levels == 1 and not ragged_rank else _ragged_axes(levels, ragged_rank, inner_shape)
    lengths, rows = [], pylist
    for _ in range(ragged_axes):
        lengths.append([len(one) for one in rows])
        rows = [inner for one in rows for inner in one]
    rows = rows if rows else []
    values = convert_to_tensor(rows, dtype=dtype) if len(rows) or dtype else convert_to_tensor([], float32)
    if inner_shape is not None:
        values = ops_array.reshape(values, [len(rows), *inner_shape])
    for one in reversed(lengths):
        values = RaggedTensor.from_row_lengths(values, convert_to_tensor(one, dtype=splits_dtype))
    return values


def range_of(starts, limits, deltas, dtype, splits_dtype):
    """`tf.ragged.range`."""
    from .ragged import RaggedTensor
    given = [convert_to_tensor(one) for one in (starts, limits, deltas)]
    if dtype is None:
        order = ["int32", "int64", "float32", "float64"]
        dtype = max((one.dtype.name for one in given), key=order.index)
    count = max((one._shape[0] if one._shape[0] is not None else ops_array.shape(one)[0] for one in given if one._rank),
                key=lambda one: 0 if one == 1 else 1, default=1)
    starts, limits, deltas = [ops_array.broadcast_to(ops_array.reshape(ops_math.cast(one, dtype), [-1]), [count])
                              for one in given]
    if not deltas._symbolic and not bool(ops_math.reduce_all(deltas != 0)):
        raise InvalidArgumentError(None, None, "Requires delta != 0")
    if as_dtype(dtype).is_floating:
        lengths = ops_math.ceil((limits - starts) / deltas)
    else:
        lengths = -((starts - limits) // deltas)
    lengths = ops_math.cast(ops_math.maximum(lengths, ops_array.zeros_like(lengths)), splits_dtype)
    splits = rows_of.splits_of(lengths)
    rows = rows_of.row_ids(splits)
    places = ops_math.cast(rows_of.columns(splits, rows), dtype)
    values = ops_array.gather(starts, rows) + places * ops_array.gather(deltas, rows)
    return RaggedTensor(values, splits, internal=True)
