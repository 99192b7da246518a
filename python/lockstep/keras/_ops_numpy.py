"""NumPy's functions of shapes, places and products for `keras.ops`: its names, arguments and rules, on tensors."""

import builtins

from .. import bitwise, ops_array as _a, ops_math as _m
from .._axes import axis_of, require_rank
from .._dtypes import as_dtype, float32, int32
from .._tensor import convert_to_tensor
from ._ops_dtypes import (alike as _alike, alike_floats as _alike_floats, countable as _countable, flat as _flat,
                          floats as _floats, numbers as _numbers)


def bitwise_not(x):
    return bitwise.invert(x)


def where(condition, x1=None, x2=None):
    condition = _m.cast(condition, "bool")
    return nonzero(condition) if x1 is None else _a.where(condition, *_alike(x1, x2))


# ---- shapes and places


def meshgrid(*x, indexing="xy"):
    return _a.meshgrid(*x, indexing=indexing)


def array(x, dtype=None):
    return convert_to_tensor(x, dtype=dtype)


def ravel(x):
    return _flat(x)


def ndim(x):
    return convert_to_tensor(x)._rank


def size(x):
    return _a.size(x)


def moveaxis(x, source, destination):
    x = convert_to_tensor(x)
    source, destination = ([axis_of(one, x._rank) for one in (side if isinstance(side, (list, tuple)) else [side])]
                           for side in (source, destination))
    order = [one for one in builtins.range(x._rank) if one not in source]
    for to, one in sorted(zip(destination, source)):
        order.insert(to, one)
    return _a.transpose(x, order)


def swapaxes(x, axis1, axis2):
    x = convert_to_tensor(x)
    order = list(builtins.range(x._rank))
    axis1, axis2 = axis_of(axis1, x._rank), axis_of(axis2, x._rank)
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _a.transpose(x, order)


def transpose(x, axes=None):
    return _a.transpose(x, axes)


def flip(x, axis=None):
    x = convert_to_tensor(x)
    return _a.reverse(x, list(builtins.range(x._rank)) if axis is None else
                      list(axis) if isinstance(axis, (list, tuple)) else [axis])


def fliplr(x):
    return flip(x, 1)


def flipud(x):
    return flip(x, 0)


def rot90(x, k=1, axes=(0, 1)):
    for _ in builtins.range(k % 4):
        x = flip(swapaxes(x, *axes), axes[0])
    return convert_to_tensor(x)


def roll(x, shift, axis=None):
    x = convert_to_tensor(x)
    return _a.reshape(_a.roll(_flat(x), shift, 0), x._shape) if axis is None else _a.roll(x, shift, axis)


def append(x1, x2, axis=None):
    x1, x2 = _alike(x1, x2)
    return _a.concat([_flat(x1), _flat(x2)], 0) if axis is None else _a.concat([x1, x2], axis)


def concatenate(xs, axis=0):
    return _a.concat([convert_to_tensor(one) for one in xs], axis)


def _at_least(x, rank):
    x = convert_to_tensor(x)
    while x._rank < rank:
        x = _a.expand_dims(x, 2 if x._rank == 2 else 0)
    return x


def hstack(xs):
    if not len(xs):
        raise ValueError("hstack needs at least one tensor; got none")
    xs = [_at_least(one, 1) for one in xs]
    return _a.concat(xs, 0 if xs[0]._rank == 1 else 1)


def vstack(xs):
    return _a.concat([_at_least(one, 2) for one in xs], 0)


def dstack(xs):
    return _a.concat([_at_least(one, 3) for one in xs], 2)


def split(x, indices_or_sections, axis=0):
    """So many equal parts, or those between the places. Raises: ValueError for parts that are not equal."""
    x = convert_to_tensor(x)
    length = x._shape[axis]
    if isinstance(indices_or_sections, int):
        if length % indices_or_sections:
            raise ValueError(f"array split does not result in an equal division: {length} in {indices_or_sections} parts")
        return _a.split(x, indices_or_sections, axis)
    ends = [0, *(int(one) for one in indices_or_sections), length]
    return _a.split(x, [last - first for first, last in zip(ends, ends[1:])], axis)


def hsplit(x, indices_or_sections):
    x = convert_to_tensor(x)
    return split(x, indices_or_sections, 0 if x._rank == 1 else 1)


def vsplit(x, indices_or_sections):
    return split(x, indices_or_sections, 0)


def dsplit(x, indices_or_sections):
    return split(x, indices_or_sections, 2)


def array_split(x, indices_or_sections, axis=0):
    x = convert_to_tensor(x)
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    short, more = divmod(x._shape[axis], indices_or_sections)
    return _a.split(x, [short + (i < more) for i in builtins.range(indices_or_sections)], axis)


def select(condlist, choicelist, default=0):
    """At each place what the first list gives whose condition holds. Raises: ValueError for lists of other lengths."""
    if not condlist or len(condlist) != len(choicelist):
        raise ValueError("condlist and choicelist must be of one length, 1 or more; got "
                         f"{len(condlist)} and {len(choicelist)}")
    made = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        made = where(condition, choice, made)
    return made


def view(x, dtype=None):
    """The same bytes as another dtype, along the last axis. Raises: ValueError where they make no whole number of elements."""
    x = convert_to_tensor(x)
    if dtype is None or as_dtype(dtype) == x.dtype:
        return _a.identity(x)
    own, wanted = x.dtype.size, as_dtype(dtype).size
    shape = list(x._shape)
    if own == wanted:
        return _a.bitcast(x, dtype)
    if own > wanted:
        return _a.reshape(_a.bitcast(x, dtype), shape[:-1] + [shape[-1] * (own // wanted)])
    if shape[-1] * own % wanted:
        raise ValueError(f"Cannot view array of shape {tuple(shape)} and dtype {x.dtype!r} as dtype {as_dtype(dtype)!r} because "
                         "the total number of bytes is not divisible by the size of the new dtype")
    return _a.bitcast(_a.reshape(x, shape[:-1] + [shape[-1] * own // wanted, wanted // own]), dtype)


def take(x, indices, axis=None):
    x = convert_to_tensor(x)
    axis, x = (0, _flat(x)) if axis is None else (axis, x)
    indices = convert_to_tensor(indices, dtype_hint=int32)
    count = x._shape[axis]
    if count is not None and count >= 0:
        indices = _a.where(_m.less(indices, 0), indices + count, indices)  # from the end
    return _a.gather(x, indices, axis=axis)


def take_along_axis(x, indices, axis=None):
    x, indices = convert_to_tensor(x), convert_to_tensor(indices, dtype_hint=int32)
    if axis is None:
        return _a.gather(_flat(x), _flat(indices))
    last = axis_of(axis, x._rank)
    order = [one for one in builtins.range(x._rank) if one != last] + [last]
    back = [order.index(one) for one in builtins.range(x._rank)]
    rows, places = _a.transpose(x, order), _a.transpose(indices, order)
    count = x._shape[last]
    places = _a.where(_m.less(places, 0), places + count, places)
    shape = list(places._shape[:-1])
    rows = _a.broadcast_to(rows, shape + [count])
    made = _a.gather(rows, places, axis=x._rank - 1, batch_dims=x._rank - 1)
    return _a.transpose(made, back)


def pad(x, pad_width, mode="constant", constant_values=None):
    x = convert_to_tensor(x)
    if isinstance(pad_width, int):
        pad_width = ((pad_width, pad_width),)
    elif pad_width and isinstance(pad_width[0], int):
        pad_width = (tuple(pad_width),)
    widths = [list(one) for one in pad_width]
    widths = widths * x._rank if len(widths) == 1 else widths
    return _a.pad(x, widths, mode.upper(), 0 if constant_values is None else constant_values)


def nonzero(x):
    places = _a.where(_m.cast(x, "bool"))
    return tuple(_a.unstack(_m.cast(places, int32), axis=1))


def full(shape, fill_value, dtype=None):
    return _a.fill(shape if isinstance(shape, (list, tuple)) else [shape], convert_to_tensor(fill_value, dtype=dtype))


def full_like(x, fill_value, dtype=None):
    x = convert_to_tensor(x)
    return _a.broadcast_to(_m.cast(fill_value, dtype or x.dtype), _a.shape(x))


def empty(shape, dtype=None):
    return _a.zeros(shape, dtype or float32)


def tri(N, M=None, k=0, dtype=None):
    return tril(_a.ones([N, N if M is None else M], dtype or float32), k)


def _side(x, k, lower):
    x = require_rank(convert_to_tensor(x), 2, "x")
    rows, columns = x._shape[-2], x._shape[-1]
    distance = _a.expand_dims(_m.range(rows), 1) + k - _m.range(columns)
    keeps = _m.greater_equal(distance, 0) if lower else _m.less_equal(distance, 0)
    return _a.where(keeps, x, _a.zeros_like(x))


def tril(x, k=0):
    return _side(x, k, True)


def triu(x, k=0):
    return _side(x, k, False)


def diagonal(x, offset=0, axis1=0, axis2=1):
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = x._shape[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    first = max(-offset, 0) * columns + max(offset, 0)
    flat = _a.reshape(x, list(x._shape[:-2]) + [rows * columns])
    return _a.gather(flat, [first + i * (columns + 1) for i in builtins.range(count)], axis=-1)


def diag(x, k=0):
    x = convert_to_tensor(x)
    return diagflat(x, k) if x._rank == 1 else diagonal(x, k)


def diagflat(x, k=0):
    x = _flat(x)
    places = [[i + max(-k, 0), i + max(k, 0)] for i in builtins.range(x._shape[0])]
    return _a.scatter_nd(places, x, [x._shape[0] + builtins.abs(k)] * 2)


def trace(x, offset=0, axis1=0, axis2=1):
    return _m.reduce_sum(_countable(diagonal(x, offset, axis1, axis2)), -1)


def diff(a, n=1, axis=-1):
    a = convert_to_tensor(a)
    axis = axis_of(axis, a._rank)
    for _ in builtins.range(n):
        count = a._shape[axis]
        a = take(a, list(builtins.range(1, count)), axis) - take(a, list(builtins.range(count - 1)), axis)
    return a


# ---- products


def tensordot(x1, x2, axes=2):
    """In the wider dtype of both; whole numbers of few bits are summed as int32 before."""
    x1, x2 = _alike(x1, x2)
    made = _m.tensordot(_countable(x1), _countable(x2), axes)
    return made if made.dtype == x1.dtype else _m.cast(made, x1.dtype)


def cross(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vectors at right angles to two: of 3 places, or of 2, whose third one is 0; the third one alone of two such."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x1, x2 = _alike(x1, x2)
    first, second = (_a.unstack(moveaxis(one, at, -1), axis=-1) for one, at in ((x1, axisa), (x2, axisb)))
    flat = len(first) == len(second) == 2
    (a, b, *c), (d, e, *f) = first, second
    third = a * e - b * d
    if flat:
        return third
    c, f = (one[0] if one else _a.zeros_like(like) for one, like in ((c, a), (f, d)))
    return moveaxis(_a.stack([b * f - c * e, c * d - a * f, third], -1), -1, axisc)


def dot(x1, x2):
    x1, x2 = _alike(x1, x2)
    if not x1._rank or not x2._rank:
        return x1 * x2
    return tensordot(x1, x2, [[x1._rank - 1], [max(0, x2._rank - 2)]])


def vdot(x1, x2):
    return dot(_flat(x1), _flat(x2))


def inner(x1, x2):
    x1, x2 = _alike(x1, x2)
    if not x1._rank or not x2._rank:
        return x1 * x2
    return tensordot(x1, x2, [[x1._rank - 1], [x2._rank - 1]])


def outer(x1, x2):
    x1, x2 = (_numbers(one) for one in _alike(x1, x2))
    return _a.expand_dims(_flat(x1), 1) * _flat(x2)


def kron(x1, x2):
    """Each element of the first times the whole second, of any ranks."""
    x1, x2 = _alike(x1, x2)
    rank = max(x1._rank, x2._rank)
    x1, x2 = (_a.reshape(one, [1] * (rank - one._rank) + list(one._shape)) for one in (x1, x2))
    sizes = [a * b for a, b in zip(x1._shape, x2._shape)]
    for axis in builtins.range(rank):
        x1, x2 = _a.expand_dims(x1, 2 * axis + 1), _a.expand_dims(x2, 2 * axis)
    return _a.reshape(x1 * x2, sizes)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = moveaxis(_floats(y), axis, -1)
    steps = dx if x is None else diff(_m.cast(x, y.dtype))
    count = y._shape[-1]
    halves = (take(y, list(builtins.range(1, count)), -1) + take(y, list(builtins.range(count - 1)), -1)) * 0.5
    return _m.reduce_sum(halves * steps, -1)


def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    made = _m.pow(float(base), linspace(start, stop, num, endpoint, axis=axis))
    return made if dtype is None else _m.cast(made, dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    start, stop = _alike_floats(start, stop)
    step = (stop - start) / builtins.float(max(1, num - 1 if endpoint else num))
    made = _m.linspace(start, stop if endpoint else stop - step, num, axis=axis) if num != 1 else _a.expand_dims(start, 0)
    made = made if dtype is None else _m.cast(made, dtype)
    return (made, step) if retstep else made
