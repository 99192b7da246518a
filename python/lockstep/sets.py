"""Sets along the last axis of tensors: `tf.sets`. Results are sparse; their rows rise."""

import itertools

from .sparse import SparseTensor
from ._tensor import convert_to_tensor


def _sets_of(value):
    """({place: set}, the sizes of the axes in front, the dtype) of a dense or a sparse tensor."""
    if isinstance(value, SparseTensor):
        front, made = list(value.shape)[:-1], {}
        for place, one in zip(value.indices.numpy().tolist(), value.values.numpy().tolist()):
            made.setdefault(tuple(place[:-1]), set()).add(one)
        return made, front, value.dtype
    value = convert_to_tensor(value)
    plain, front = value.numpy(), list(value._shape)[:-1]
    return {place: set(plain[place].tolist()) for place in _places(front)}, front, value.dtype


def _places(front):
    return itertools.product(*map(range, front))


def _of_both(a, b, function):
    (left, front, dtype), (right, other, _) = _sets_of(a), _sets_of(b)
    if front != other:
        from .errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, f"Mismatched group shapes {front} vs {other}; sets need the same axes in front")
    rows = {place: sorted(function(left.get(place, set()), right.get(place, set()))) for place in _places(front)}
    indices = [[*place, i] for place, row in rows.items() for i in range(len(row))]
    values = [one for row in rows.values() for one in row]
    width = max(map(len, rows.values()), default=0)
    rank = len(front) + 1
    return SparseTensor(convert_to_tensor(indices, dtype="int64") if indices else _empty([0, rank]),
                        convert_to_tensor(values, dtype=dtype), [*front, width])


def _empty(shape):
    from .ops_array import zeros
    return zeros(shape, "int64")


def intersection(a, b, validate_indices=True):
    """What is in both."""
    return _of_both(a, b, lambda x, y: x & y)


def union(a, b, validate_indices=True):
    """What is in one of them."""
    return _of_both(a, b, lambda x, y: x | y)


def difference(a, b, aminusb=True, validate_indices=True):
    """What is in one and not in the other."""
    return _of_both(a, b, lambda x, y: x - y if aminusb else y - x)


def size(a, validate_indices=True):
    """How many different elements each set has, int32."""
    rows, front, _ = _sets_of(a)
    from .ops_array import reshape
    return reshape(convert_to_tensor([len(rows.get(place, ())) for place in _places(front)], dtype="int32"), front)
