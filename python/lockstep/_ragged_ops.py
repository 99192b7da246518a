"""Ops of tensors that take ragged ones, too: element by element over the flat values, or row by row."""

from . import _ragged_joins as joins, _ragged_rows as rows_of, ops_array, ops_math
from ._axes import axis_of
from ._dtypes import int64
from ._tensor import convert_to_tensor, integers
from .ragged import RaggedTensor, _of_rows, constant


def is_ragged(value):
    return isinstance(value, RaggedTensor)


def apply(function, args, kwargs):
    """`function` of arguments some of which are ragged."""
    return _SPECIAL.get(function.__name__, _by_element)(function, *args, **kwargs)


def _by_element(function, *args, **kwargs):
    first = next(one for one in [*args, *kwargs.values()] if isinstance(one, RaggedTensor))
    if sum(isinstance(one, RaggedTensor) or getattr(one, "_rank", 0) > 1 for one in args) == 2 and len(args) == 2:
        return first._with(args[1] if args[0] is first else args[0], function, args[0] is not first)

    def flat(value):
        if not isinstance(value, RaggedTensor):
            return value
        if value is not first:
            first._check_rows(value)
        return value.flat_values
    return first.with_flat_values(function(*map(flat, args), **{key: flat(one) for key, one in kwargs.items()}))


def _size(function, input, *args, **kwargs):
    return function(input.flat_values, *args, **kwargs)


def _rank(function, input, *args, **kwargs):
    return convert_to_tensor(input.shape.rank)


def _gather(function, params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    axis = batch_dims if axis is None else axis
    if batch_dims or axis:
        return _gather_in_rows(function, params, indices, axis, batch_dims)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gather(function, params, indices.values))
    if not isinstance(params, RaggedTensor):
        return function(params, indices)
    indices = convert_to_tensor(indices)
    made = rows_of.picked(params, ops_array.reshape(indices, [-1]))._of_length(None)
    if indices._rank == 1:
        return made
    if indices._rank == 0:
        return params[indices]
    for size in reversed(ops_array.sizes_of(indices)[1:]):
        made = RaggedTensor.from_uniform_row_length(made, size)
    return made


def _gather_in_rows(function, params, indices, axis, batch_dims):
    """`gather` along an axis of each row, or with indices for each row."""
    rows = params if isinstance(params, RaggedTensor) else ops_array.unstack(convert_to_tensor(params))
    if not batch_dims:
        return _of_rows([ops_array.gather(row, indices, axis=axis - 1) for row in rows], params)
    places = indices if isinstance(indices, RaggedTensor) else ops_array.unstack(convert_to_tensor(indices))
    return _of_rows([ops_array.gather(row, own, axis=axis - 1, batch_dims=batch_dims - 1)
                     for row, own in zip(rows, places)], params if isinstance(params, RaggedTensor) else indices)


def _gather_nd(function, params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    indices = convert_to_tensor(indices)
    if batch_dims:
        raise NotImplementedError("gather_nd of ragged tensors has no batch_dims; write tf.gather with batch_dims")
    if indices._rank > 2:
        return ops_array.stack([_gather_nd(function, params, one) for one in ops_array.unstack(indices)])
    if indices._rank == 1:
        return params[tuple(indices.numpy().tolist())]
    places = indices.numpy().tolist()
    found = [_at(params, place) for place in places]
    return _of_rows(found, params) if len(places[0]) < params.shape.rank else ops_array.stack(found)


def _at(value, place):
    for one in place:
        value = value[one]
    return value


def _rows_of(value):
    if isinstance(value, (list, tuple)):
        value = constant(value)
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value)


def _concat(function, values, axis, *args, **kwargs):
    return joins.concat([_rows_of(one) for one in values], int(integers(axis, "an axis")))


def _stack(function, values, axis=0, name=None):
    return joins.stack([_rows_of(one) if isinstance(one, (list, tuple)) else one for one in values], axis)


def _tile(function, input, multiples, *args, **kwargs):
    first, *rest = convert_to_tensor(multiples).numpy().tolist()
    return _of_rows([function(row, rest) for row in input] * first, input)


def _expand_dims(function, input, axis, *args, **kwargs):
    rank = input.shape.rank
    axis += rank + 1 if axis < 0 else 0
    if axis == 0:
        return input._as_only_row()
    if axis == 1:
        return input._in_rows_of_one()
    return input.with_values(ops_array.expand_dims(input.values, axis - 1))


def _squeeze(function, input, axis=None, name=None, squeeze_dims=None):
    axis = integers(squeeze_dims if axis is None else axis, "axes")
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    rank = input.shape.rank
    axes = sorted({axis_of(int(one), rank) for one in (axis if isinstance(axis, (list, tuple)) else [axis])}, reverse=True)
    for one in axes:
        input = _without_axis(input, one)
    return input


def _without_axis(value, axis):
    if not isinstance(value, RaggedTensor):
        return ops_array.squeeze(value, [axis])
    if axis > 1:
        return value.with_values(_without_axis(value.values, axis - 1))
    if axis == 1 and value._uniform != 1 and bool(ops_math.reduce_any(value.row_lengths() != 1)) or (
            axis == 0 and len(value) != 1):
        from .errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, f"the expected all the value is 1: axis {axis} of {value.shape} has another "
                                               "size than 1")
    return value.values


def _where(function, condition, x=None, y=None, name=None):
    if x is None:
        return ops_math.cast(ops_array.gather(rows_of.coordinates(condition), ops_array.where(condition.flat_values)[:, 0]),
                             int64)
    return _by_element(function, condition, x, y)


def _reverse(function, tensor, axis, name=None):
    axis = integers(axis, "an axis")
    rank = tensor.shape.rank
    return joins.turned(tensor, [axis_of(int(one), rank) for one in (axis if isinstance(axis, (list, tuple)) else [axis])])


def _split(function, value, num_or_size_splits, axis=0, num=None, name=None):
    if axis != 0:
        raise NotImplementedError("ragged tensors are split along axis 0; slice the rows otherwise")
    return joins.split(value, num_or_size_splits)


def _softmax(function, logits, axis=None, name=None, dim=None):
    """Along the last axis, which is ragged, or element by element of what is not."""
    axis = (dim if axis is None else axis)
    if isinstance(logits.values, RaggedTensor):
        return logits.with_values(_softmax(function, logits.values, axis))
    if logits.values._rank > 1:
        return logits.with_values(function(logits.values, axis))
    rows = logits.value_rowids()
    most = ops_array.gather(ops_math.reduce_max(logits, axis=1), rows)
    raised = ops_math.exp(logits.values - most)
    sums = ops_math.reduce_sum(logits.with_values(raised), axis=1)
    return logits.with_values(raised / ops_array.gather(sums, rows))


def _segment_sum(function, data, segment_ids, num_segments, name=None):
    from ._ragged_reduce import segments
    return segments(data, convert_to_tensor(segment_ids), int(integers(num_segments, "num_segments")), "sum")


def _join(function, inputs, separator="", name=None):
    first = next(one for one in inputs if isinstance(one, RaggedTensor))

    def flat(one):
        if isinstance(one, RaggedTensor):
            first._check_rows(one)
            return one.flat_values
        return one
    return first.with_flat_values(function([flat(one) for one in inputs], separator))


_SPECIAL = {"size": _size, "rank": _rank, "gather": _gather, "concat": _concat, "tile": _tile, "expand_dims": _expand_dims,
            "gather_nd": _gather_nd, "stack": _stack, "squeeze": _squeeze, "where": _where, "reverse": _reverse,
            "split": _split, "softmax": _softmax, "join": _join, "unsorted_segment_sum": _segment_sum}
