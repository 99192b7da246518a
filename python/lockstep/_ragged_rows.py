"""Rows of ragged tensors as ops on where they begin and end, which only a run may know."""

from . import _native as n
from . import _value_shapes, ops_array, ops_math
from ._tensor import convert_to_tensor, op


def is_ragged(value):
    return hasattr(value, "row_splits")


def numbers(count, dtype):
    """0, 1, ... up to `count`, a number or a scalar."""
    if isinstance(count, int):
        return op(n.range, *[convert_to_tensor(one, dtype) for one in (0, count, 1)])
    return _value_shapes.arange(0, count, 1, dtype)


def count_of(value):
    """How many rows a tensor or a ragged one has: a number, or a scalar where only a run knows it."""
    if is_ragged(value):
        return ops_array.sizes_of(value.row_splits)[0] - 1
    return ops_array.sizes_of(value, [0])[0]


def lengths_of(splits):
    return splits[1:] - splits[:-1]


def splits_of(lengths):
    """Where rows of these lengths begin, and where the last one ends."""
    return ops_array.concat([op(n.zeros, [1], lengths.dtype), ops_math.cumsum(lengths)], 0)


def row_ids(splits):
    """The row of each element."""
    places = numbers(splits[-1], splits.dtype)
    return ops_math.cast(op(n.searchsorted, splits[1:], places, True), splits.dtype)


def columns(splits, rows):
    """The place of each element in its row."""
    return numbers(splits[-1], splits.dtype) - ops_array.gather(splits, rows)


def taken(values, begins, sizes, step=1):
    """The ragged tensor whose row i is every `step`-th of `sizes[i]` values from `begins[i]` on."""
    from .ragged import RaggedTensor
    splits = splits_of(sizes)
    rows = row_ids(splits)
    places = ops_array.gather(begins, rows) + columns(splits, rows) * step
    return RaggedTensor(picked(values, places), splits, internal=True)


def picked(value, places):
    """The rows at these places, a vector, of a tensor or a ragged one."""
    if not is_ragged(value):
        return op(n.gather, value, places, 0, 0)
    begins, sizes = [ops_array.gather(one, places) for one in (value.row_splits[:-1], lengths_of(value.row_splits))]
    made = taken(value.values, begins, sizes)
    return made._of_length(value._uniform)


def joined(values):
    """Tensors, or ragged ones, one after another along axis 0."""
    from .ragged import RaggedTensor
    if not is_ragged(values[0]):
        return ops_array.concat(values, 0)
    kind = values[0].row_splits.dtype
    lengths = ops_array.concat([ops_math.cast(lengths_of(one.row_splits), kind) for one in values], 0)
    return RaggedTensor(joined([one.values for one in values]), splits_of(lengths), internal=True)


def in_turn(values):
    """Row 0 of each, then row 1 of each, ...: values with one number of rows."""
    count = len(values)
    if count == 1:
        return values[0]
    rows = count_of(values[0])
    kind = values[0].row_splits.dtype if is_ragged(values[0]) else "int64"
    rows = rows if isinstance(rows, int) else ops_math.cast(rows, kind)
    places = ops_array.expand_dims(numbers(rows, kind), 1) + numbers(count, kind) * rows
    return picked(joined(values), ops_array.reshape(places, [-1]))


def _bound(given, sizes, least, most, default):
    if given is None:
        return default
    given = convert_to_tensor(given, dtype=sizes.dtype) if isinstance(given, int) else ops_math.cast(given, sizes.dtype)
    return ops_math.maximum(ops_math.minimum(ops_array.where(given < 0, given + sizes, given), most), least)


def cut(value, key):
    """The slice `key` of each row. Raises: ValueError for a step of 0."""
    sizes, step = lengths_of(value.row_splits), 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    least, most = (0, sizes) if step > 0 else (-1, sizes - 1)
    least = ops_array.zeros_like(sizes) + least
    begin = _bound(key.start, sizes, least, most, least if step > 0 else most)
    end = _bound(key.stop, sizes, least, most, most if step > 0 else least)
    count = ops_math.maximum((end - begin + step - (1 if step > 0 else -1)) // step, ops_array.zeros_like(sizes))
    return taken(value.values, value.row_splits[:-1] + begin, count, step)


def coordinates(value):
    """The places of all flat values of a ragged tensor, one a row."""
    splits = value.row_splits
    rows = row_ids(splits)
    own = ops_array.stack([rows, columns(splits, rows)], 1)
    if not is_ragged(value.values):
        return own
    inner = ops_math.cast(coordinates(value.values), splits.dtype)
    return ops_array.concat([ops_array.gather(own, inner[:, 0]), inner[:, 1:]], 1)


def longest(value):
    """The length of the longest row, 0 without rows."""
    lengths = lengths_of(value.row_splits)
    return ops_math.reduce_max(ops_array.concat([op(n.zeros, [1], lengths.dtype), lengths], 0))
