"""Ops of tensors that take ragged ones, too: element by element over the flat values, or row by row."""

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
    from ._tensor import convert_to_tensor
    return convert_to_tensor(input.shape.rank)


def _gather(function, params, indices, *args, **kwargs):
    from ._tensor import convert_to_tensor
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gather(function, params, indices.values, *args, **kwargs)) if isinstance(
            params, RaggedTensor) else indices.with_flat_values(function(params, indices.flat_values, *args, **kwargs))
    return _of_rows([params[int(i)] for i in convert_to_tensor(indices).numpy()], params)


def _rows_of(value):
    if isinstance(value, (list, tuple)):
        value = constant(value)
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value)


def _concat(function, values, axis, *args, **kwargs):
    parts = [_rows_of(one) for one in values]
    axis += parts[0].shape.rank if axis < 0 else 0
    if axis == 0:
        return _of_rows([row for one in parts for row in one], parts[0])
    return _of_rows([function(list(row), axis - 1) if not isinstance(row[0], RaggedTensor) else
                     _concat(function, row, axis - 1) for row in zip(*parts)], parts[0])


def _tile(function, input, multiples, *args, **kwargs):
    from ._tensor import convert_to_tensor
    first, *rest = convert_to_tensor(multiples).numpy().tolist()
    return _of_rows([function(row, rest) for row in input] * first, input)


def _expand_dims(function, input, axis, *args, **kwargs):
    rank = input.shape.rank
    axis += rank + 1 if axis < 0 else 0
    if axis == 0:
        return RaggedTensor.from_row_lengths(input, [len(input)])
    if axis == 1:
        return RaggedTensor.from_row_lengths(input, [1] * len(input))
    if isinstance(input.values, RaggedTensor):
        return input.with_values(_expand_dims(function, input.values, axis - 1))
    return input.with_values(function(input.values, axis - 1))


_SPECIAL = {"size": _size, "rank": _rank, "gather": _gather, "concat": _concat, "tile": _tile, "expand_dims": _expand_dims}
