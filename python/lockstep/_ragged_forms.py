"""Tensors and sparse tensors as ragged ones, and the other way round."""

import math

from . import _ragged_rows as rows_of, ops_array, ops_math
from ._dtypes import TensorShape, as_dtype, int64
from ._tensor import convert_to_tensor, integers
from .errors import InvalidArgumentError


def _flat_rows(tensor):
    """The first two axes as one."""
    return ops_array.reshape(tensor, [-1] + ops_array.sizes_of(tensor)[2:])


def _without(tensor, padding):
    """How long the rows of a tensor are without what is `padding` at their end."""
    kept = tensor != convert_to_tensor(padding, dtype=tensor.dtype)
    if kept._rank > 2:
        kept = ops_math.reduce_any(kept, axis=list(range(2, kept._rank)))
    numbers = rows_of.numbers(ops_array.sizes_of(tensor, [1])[0], int64) + 1
    ends = ops_math.cast(kept, int64) * numbers
    return ops_math.reduce_max(ops_array.pad(ends, [[0, 0], [1, 0]]), axis=1)


def _rows_up_to(tensor, lengths):
    size = ops_array.sizes_of(tensor, [1])[0]
    size = size if isinstance(size, int) else ops_math.cast(size, lengths.dtype)
    lengths = ops_math.maximum(ops_math.minimum(lengths, size), ops_array.zeros_like(lengths))
    begins = rows_of.numbers(ops_array.sizes_of(tensor, [0])[0], lengths.dtype) * size
    return rows_of.taken(_flat_rows(tensor), begins, lengths)


def _is_list_of_lengths(lengths):
    """Whether lengths are given for several axes: a list of vectors."""
    return isinstance(lengths, (list, tuple)) and len(lengths) > 0 and all(
        isinstance(one, (list, tuple)) or getattr(one, "shape", ()) != () for one in lengths)


def from_tensor(cls, tensor, lengths, padding, ragged_rank, kind):
    """`RaggedTensor.from_tensor`, with splits of a dtype."""
    tensor = convert_to_tensor(tensor)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank!r}.")
    if tensor._rank < 2:
        raise ValueError("The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged "
                         f"dimensions. Received argument `tensor` with rank {tensor._rank}.")
    if not 0 < ragged_rank < tensor._rank:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0 and less than {tensor._rank}; got {ragged_rank}.")
    if _is_list_of_lengths(lengths):
        first, *rest = lengths
        made = from_tensor(cls, tensor, first, None, 1, kind)
        return made.with_values(from_tensor(cls, made.values, rest, None, 1, kind)) if rest else made
    if ragged_rank > 1:
        size = tensor._shape[1] if tensor._shape[1] is not None else ops_array.shape(tensor, int64)[1]
        inner = from_tensor(cls, _flat_rows(tensor), lengths, padding, ragged_rank - 1, kind)
        return cls.from_uniform_row_length(inner, size, tensor._shape[0])
    if lengths is not None:
        return _rows_up_to(tensor, ops_math.cast(convert_to_tensor(lengths), kind))
    if padding is not None:
        return _rows_up_to(tensor, ops_math.cast(_without(tensor, padding), kind))
    rows, size = ops_array.sizes_of(tensor)[:2]
    made = cls.from_uniform_row_length(_flat_rows(tensor), size, rows)
    return made.with_row_splits_dtype(kind)


def from_sparse(cls, value, kind):
    """`RaggedTensor.from_sparse`. Raises: InvalidArgumentError for values that do not stand at the begin of their rows."""
    rank = value.indices._shape[1]
    if rank != 2:
        raise ValueError(f"Argument `st_input` must have rank 2. Received {rank}.")
    rows = ops_math.cast(value.indices[:, 0], kind)
    count = value.shape.as_list()[0]
    made = cls.from_value_rowids(value.values, rows, ops_math.cast(value.dense_shape[0], kind) if count is None else count,
                                 validate=False)
    places = rows_of.coordinates(made)
    if not places._symbolic and not bool(ops_math.reduce_all(ops_math.cast(value.indices, kind) == places)):
        raise InvalidArgumentError(None, None, "SparseTensor is not right-ragged")
    return made


def bounding_shape(value, axis, out_type):
    """The sizes of the smallest tensor that holds a ragged one."""
    kind = value.row_splits.dtype if out_type is None else as_dtype(out_type)
    if isinstance(axis, int) and axis == 0:
        return value.nrows(kind)
    if isinstance(axis, int) and axis == 1:
        return ops_math.cast(rows_of.longest(value), kind)
    values = value.values
    inner = bounding_shape(values, None, kind) if rows_of.is_ragged(values) else ops_array.shape(values, kind)
    own = ops_array.stack([value.nrows(kind), ops_math.cast(rows_of.longest(value), kind)])
    whole = ops_array.concat([own, inner[1:]], 0)
    return whole if axis is None else ops_array.gather(whole, axis)


def _sizes(value, shape):
    """The sizes that are asked for, None where the tensor's own ones hold."""
    if shape is None:
        return [None] * value.shape.rank
    shape = [None if one == -1 else one for one in integers(shape, "a shape")] if hasattr(shape, "numpy") else shape
    sizes = TensorShape(shape).as_list()
    if len(sizes) != value.shape.rank:
        raise InvalidArgumentError(None, None, f"rt_input.shape and shape={sizes} are incompatible: rt_input.rank = "
                                   f"{value.shape.rank} but shape.rank = {len(sizes)}")
    return sizes


def _of_rows(vector, rows):
    """The first `rows` numbers, 0 where there are fewer."""
    if rows is None:
        return vector
    return ops_array.concat([vector, ops_array.zeros([rows], vector.dtype)], 0)[:rows]


def to_tensor(value, default, shape):
    """`RaggedTensor.to_tensor`."""
    rows, width, *rest = _sizes(value, shape)
    inner = value.values
    if default is None:
        default = "" if value.dtype.name == "string" else 0
    default = convert_to_tensor(default, dtype=value.dtype)
    if rows_of.is_ragged(inner):
        inner = to_tensor(inner, default, [None, *rest])
    fill = ops_array.broadcast_to(default, [1] + ops_array.sizes_of(inner)[1:])
    splits = value.row_splits
    across = rows_of.numbers(width if width is not None else rows_of.longest(value), splits.dtype)
    begins, lengths = [ops_array.expand_dims(_of_rows(one, rows), 1) for one in (splits[:-1], rows_of.lengths_of(splits))]
    count = ops_math.cast(ops_array.shape(inner, int64)[0], splits.dtype)
    places = ops_array.where(across < lengths, begins + across, count)
    return ops_array.gather(ops_array.concat([inner, fill], 0), places)


def to_sparse(value):
    """`RaggedTensor.to_sparse`."""
    from .sparse import SparseTensor
    flat = value.flat_values
    places = ops_math.cast(rows_of.coordinates(value), int64)
    if flat._rank > 1:
        inner = list(flat._shape[1:])
        grid = ops_array.reshape(ops_array.stack(ops_array.meshgrid(*map(ops_math.range, inner), indexing="ij"), -1),
                                 [-1, len(inner)])
        count = math.prod(inner)
        places = ops_array.concat([ops_array.repeat(places, count, axis=0), ops_array.tile(
            ops_math.cast(grid, int64), [rows_of.count_of(flat), 1])], 1)
        flat = ops_array.reshape(flat, [-1])
    return SparseTensor(places, flat, bounding_shape(value, None, int64))


def merge(value, outer, inner):
    """`RaggedTensor.merge_dims` of axes that are not negative."""
    if outer == inner:
        return value
    depth = value.ragged_rank
    if outer > depth:
        flat = value.flat_values
        sizes, first = ops_array.sizes_of(flat), outer - depth
        last = inner - depth
        return value.with_flat_values(ops_array.reshape(flat, sizes[:first] + [-1] + sizes[last + 1:]))
    if inner > depth:
        flat = value.flat_values
        value = value.with_flat_values(type(value).from_uniform_row_length(
            _flat_rows(flat), ops_array.sizes_of(flat, [1])[0], rows_of.count_of(flat)))
        return merge(value, outer, inner)
    if outer > 1:
        return value.with_values(merge(value.values, outer - 1, inner - 1))
    if outer == 0:
        return value.values if inner == 1 else merge(value.values, 0, inner - 1)
    joined = type(value)(value.values.values, ops_array.gather(value.values.row_splits, value.row_splits), internal=True)
    return joined if inner == 2 else merge(joined, 1, inner - 1)
