"""Ragged tensors joined, split, masked and turned round."""

from . import _ragged_rows as rows_of, ops_array, ops_math
from ._dtypes import int64
from ._tensor import convert_to_tensor, integers
from .errors import InvalidArgumentError
from .ragged import RaggedTensor


def _as_ragged(value):
    return value if rows_of.is_ragged(value) else RaggedTensor.from_tensor(value)


def _check_splits(values):
    for one in values[1:]:
        first, other = values[0].row_splits, one.row_splits
        if first is not other and not first._symbolic and not other._symbolic and (
                first.numpy().tolist() != other.numpy().tolist()):
            raise InvalidArgumentError(None, None, "Inputs must have identical ragged splits")


def _rank(value):
    return value.shape.rank if rows_of.is_ragged(value) else value._rank


def _rows_as(values, lengths):
    """What is joined as ragged rows of these lengths."""
    lengths = [one if isinstance(one, int) else ops_math.cast(one, int64) for one in lengths]
    return RaggedTensor(values, rows_of.splits_of(ops_array.stack(
        [ops_math.cast(one, values.row_splits.dtype if rows_of.is_ragged(values) else int64) for one in lengths])), internal=True)


def stack(values, axis):
    """`tf.ragged.stack` of tensors, some of which may be ragged."""
    rank = _rank(values[0])
    axis += rank + 1 if axis < 0 else 0
    if not 0 <= axis <= rank:
        raise ValueError(f"axis={axis} out of bounds: expected 0<=axis<={rank}")
    if rank == 0 or axis and not any(map(rows_of.is_ragged, values)):
        return ops_array.stack(values, axis)
    if rank == 1 and axis == 0:
        made = _rows_as(rows_of.joined(values), [rows_of.count_of(one) for one in values])
        return made.with_row_splits_dtype("int32")
    values = [_as_ragged(one) for one in values]
    if axis == 0:
        return _rows_as(rows_of.joined(values), [rows_of.count_of(one) for one in values])
    if axis == 1:
        made = RaggedTensor.from_uniform_row_length(rows_of.in_turn(values), len(values))
        return made._of_length(None)
    _check_splits(values)
    return values[0].with_values(stack([one.values for one in values], axis - 1))


def concat(values, axis):
    """`tf.concat` of tensors some of which are ragged."""
    values = [_as_ragged(one) for one in values]
    rank = values[0].shape.rank
    axis += rank if axis < 0 else 0
    if not 0 <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    if len(values) == 1:
        return values[0]
    if axis == 0:
        return rows_of.joined(values)
    if axis == 1:
        turned = rows_of.in_turn(values)
        count = rows_of.count_of(values[0])
        count = count + 1 if isinstance(count, int) else ops_math.cast(count, turned.row_splits.dtype) + 1
        places = rows_of.numbers(count, turned.row_splits.dtype) * len(values)
        return RaggedTensor(turned.values, ops_array.gather(turned.row_splits, places), internal=True)
    _check_splits(values)
    inner = [one.values for one in values]
    return values[0].with_values(concat(inner, axis - 1) if any(map(rows_of.is_ragged, inner)) else
                                 ops_array.concat(inner, axis - 1))


def masked(data, mask):
    """`tf.ragged.boolean_mask`. Raises: InvalidArgumentError for a mask whose rows have other lengths."""
    if not rows_of.is_ragged(mask) and mask._rank == 1:
        if not rows_of.is_ragged(data):
            return ops_array.boolean_mask(data, mask)
        return rows_of.picked(data, ops_array.where(mask)[:, 0])
    if not rows_of.is_ragged(mask):
        if mask._rank == 0:
            raise ValueError("mask cannot be scalar.")
        mask = RaggedTensor.from_tensor(mask, ragged_rank=mask._rank - 1)
    data = _as_ragged(data)
    _check_splits([data, mask])
    kept = masked(data.values, mask.values)
    if rows_of.is_ragged(mask.values):
        return data.with_values(kept)
    ends = ops_math.cumsum(ops_math.cast(mask.values, data.row_splits.dtype))
    ends = ops_array.concat([ops_array.zeros([1], ends.dtype), ends], 0)
    return RaggedTensor(kept, ops_array.gather(ends, data.row_splits), internal=True)


def partitioned(data, partitions, count):
    """`tf.ragged.stack_dynamic_partitions`."""
    partitions = convert_to_tensor(partitions)
    data = data if rows_of.is_ragged(data) else convert_to_tensor(data)
    size = int(integers(count, "num_partitions"))
    if not partitions._symbolic and partitions._size and not bool(
            ops_math.reduce_all((partitions >= 0) & (partitions < size))):
        raise InvalidArgumentError(None, None, f"partitions must be in [0, {size})")
    order = ops_array.argsort(partitions, stable=True)
    made = RaggedTensor.from_value_rowids(rows_of.picked(data, order), ops_array.gather(partitions, order), size,
                                          validate=False)
    return made


def turned(value, axes):
    """`tf.reverse` along axes that are not negative."""
    if not rows_of.is_ragged(value):
        return ops_array.reverse(value, axes) if axes else value
    inner = turned(value.values, [axis - 1 for axis in axes if axis > 1])
    value = value.with_values(inner)
    if 1 in axes:
        splits = value.row_splits
        rows = rows_of.row_ids(splits)
        ends = ops_array.gather(splits[:-1], rows) + ops_array.gather(splits[1:], rows) - 1
        value = value.with_values(rows_of.picked(inner, ends - rows_of.numbers(splits[-1], splits.dtype)))
    if 0 in axes:
        count = rows_of.count_of(value)
        numbers = rows_of.numbers(count, value.row_splits.dtype)
        value = rows_of.picked(value, ops_array.reverse(numbers, [0]))
    return value


def split(value, parts):
    """`tf.split` along axis 0: parts of one number of rows, or of these numbers."""
    parts = integers(parts, "sizes")
    count = len(value)
    if isinstance(parts, int):
        if count % parts:
            raise InvalidArgumentError(None, None, f"Cannot exactly split the RaggedTensor along dimension 0: {count} rows, "
                                       f"{parts} parts")
        parts = [count // parts] * parts
    if sum(parts) != count:
        raise InvalidArgumentError(None, None, f"the sizes {list(parts)} of the parts must have the sum {count}")
    made, begin = [], 0
    for size in parts:
        made.append(value[begin:begin + size])
        begin += size
    return made
