"""Functions for `keras.ops` that count, order and find numbers, and make vectors of them."""

import math

import numpy

from .. import _memory, ops_array as _a, ops_math as _m
from .._axes import axis_of, require_rank
from .._dtypes import float32, int32
from .._tensor import convert_to_tensor
from ..sparse import from_dense
from ._ops_dtypes import alike_floats as _alike_floats, flat as _flat, floats as _floats, numbers as _numbers

# ---- numbers that occur


def bincount(x, weights=None, minlength=0, sparse=False):
    """How often each number from 0 occurs, in each row of a matrix; with weights the sums of theirs. As a sparse tensor with
    `sparse`."""
    made = _m.bincount(convert_to_tensor(x), weights, minlength, dtype=int32, axis=-1)
    return from_dense(made) if sparse else made


def histogram(x, bins=10, range=None):
    """(how many numbers lie in each of `bins` parts of one width, the ends of the parts), both in x's dtype.

    Raises: ValueError for other ranks than 1, and ranges that are none."""
    x = convert_to_tensor(x)
    if x._rank != 1:
        raise ValueError(f"Input tensor must be 1-dimensional. Received: input.shape={tuple(x._shape)}")
    if bins < 0:
        raise ValueError(f"Argument `bins` should be a non-negative integer. Received: bins={bins}")
    if range:
        if not isinstance(range, (tuple, list)) or len(range) != 2:
            raise ValueError(f"Argument `range` must be a tuple of two elements. Received: range={range}")
        if range[1] < range[0]:
            raise ValueError(f"The second element of `range` must be greater than the first. Received: range={range}")
    dtype = x.dtype
    low, high = (range[0], range[1]) if range else (_m.reduce_min(x), _m.reduce_max(x))
    wide = float32 if dtype.is_integer else dtype
    ends = _m.cast(_m.linspace(_m.cast(low, wide), _m.cast(high, wide), bins + 1), dtype)
    inside = _m.logical_and(_m.greater_equal(x, ends[0]), _m.less_equal(x, ends[-1]))
    places = _m.minimum(_a.searchsorted(ends, x, side="right") - 1, bins - 1)
    found = _a.where(inside, places, _a.zeros_like(places) - 1)
    met = _m.equal(_a.expand_dims(found, 1), _m.range(bins))
    return _m.reduce_sum(_m.cast(met, dtype), 0), ends


def digitize(x, bins):
    x = _floats(x)
    found = _a.searchsorted(convert_to_tensor(bins, dtype=x.dtype), _flat(x), side="right")
    return found if x._rank == 1 else _a.reshape(found, x._shape)


def unique(x, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None, size=None,
           fill_value=None):
    """The different numbers, or slices along `axis`: in their order, or with `sorted=False` as they come first; with `size` so
    many of them, `fill_value` behind them. Also, as asked: where each is first, which one each of x is, how often it occurs.

    In a graph `size` must be given for a result of known shape."""
    from .._host_calls import numpy_function
    x = convert_to_tensor(x)
    if x.dtype.is_bool:
        raise TypeError("unique takes numbers; got truth values; cast them first")

    def find(values):
        found = numpy.unique(values, return_index=True, return_inverse=True, return_counts=True, axis=axis)
        found, first, inverse, counts = found[0], found[1], found[2].reshape(-1), found[3]
        if not sorted:
            order = numpy.argsort(first, kind="stable")
            found, first, counts = numpy.take(found, order, axis or 0), first[order], counts[order]
            inverse = numpy.argsort(order)[inverse]
        if size is not None:
            found, first, counts = (_sized(one, size, place, value) for one, place, value in (
                (found, axis or 0, fill_value), (first, 0, 0), (counts, 0, 0)))
        return [numpy.asarray(found).astype(numpy.asarray(values).dtype)] + [one.astype("int32") for one in (first, inverse, counts)]
    made = numpy_function(find, [x], [x.dtype, int32, int32, int32])
    if size is not None:
        shape = [size] if axis is None else [size if i == axis_of(axis, x._rank) else one for i, one in enumerate(x._shape)]
        made[0].set_shape(shape)
    asked = [one for one, wanted in zip(made, (True, return_index, return_inverse, return_counts)) if wanted]
    return asked[0] if len(asked) == 1 else tuple(asked)


def _sized(values, size, axis, fill):
    """So many along an axis, with a value behind what there is."""
    short = size - values.shape[axis]
    if short <= 0:
        return numpy.take(values, range(size), axis)
    widths = [(0, short if i == axis else 0) for i in range(values.ndim)]
    return numpy.pad(values, widths, constant_values=0 if fill is None else fill)


def unravel_index(indices, shape):
    """The places along each axis of numbers of elements."""
    left, made = convert_to_tensor(indices), []
    for size in reversed([int(one) for one in shape]):
        made.append(_m.floormod(left, size))
        left = _m.floordiv(left, size)
    return tuple(reversed(made))


def argpartition(x, kth, axis=-1):
    """Places in an order in which the `kth` has what it has sorted, smaller ones before and larger ones behind it."""
    return argsort(x, axis)


def sort(x, axis=-1):
    x = convert_to_tensor(x)
    made = _a.sort(_numbers(_flat(x) if axis is None else x), -1 if axis is None else axis)
    return made if made.dtype == x.dtype else _m.cast(made, x.dtype)


def argsort(x, axis=-1):
    x = _numbers(x)
    return _m.cast(_a.argsort(_flat(x) if axis is None else x, axis=-1 if axis is None else axis, stable=True), int32)


# ---- pairs


def cdist(x, y):
    """The lengths between vectors. Shapes: [..., n, d] and [..., m, d] to [..., n, m]."""
    x, y = _alike_floats(x, y)
    apart = _a.expand_dims(x, -2) - _a.expand_dims(y, -3)
    return _m.sqrt(_m.reduce_sum(_m.square(apart), -1))


def corrcoef(x):
    """How the rows of a matrix go together, from -1 to 1."""
    x = convert_to_tensor(x)
    x = x if x.dtype.is_floating else _m.cast(x, "float64" if x.dtype.name == "int64" else "float32")
    x = x - _m.reduce_mean(x, -1, True)
    together = _m.matmul(x, x, transpose_b=True)
    sizes = _m.sqrt(_m.reduce_sum(_m.square(x), -1))
    return _m.clip_by_value(together / (_a.expand_dims(sizes, 1) * sizes), -1.0, 1.0)


def correlate(x1, x2, mode="valid"):
    """The sums of products of two vectors at each place of the second one. Raises: ValueError for a mode other than "full",
    "same" and "valid"."""
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"Invalid mode: '{mode}'. Mode must be one of: 'full', 'same', 'valid'.")
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    wide = "float64" if "int64" in (x1.dtype.name, x2.dtype.name) else "float32"
    x1, x2 = (one if one.dtype.is_floating else _m.cast(one, wide) for one in (x1, x2))
    x1, x2 = _alike_floats(x1, x2)
    count, width = x1._shape[0], x2._shape[0]
    around = width - 1
    rows = _a.pad(x1, [[around, around]])
    places = numpy.arange(count + around)[:, None] + numpy.arange(width)
    made = _m.reduce_sum(_a.gather(rows, places.astype("int32")) * x2, 1)
    if mode == "full":
        return made
    kept = max(count, width) if mode == "same" else max(count - width + 1, 0)
    first = (count + around - kept) // 2 if mode == "same" else min(around, count + around - kept)
    return made[first:first + kept]


# ---- vectors


def _window(x, function):
    """Values along a window of `x` places, of places from 0 to 1."""
    count = int(convert_to_tensor(x))
    _memory.require(count, 8, "window")
    if count == 1:
        return _a.ones([1], float32)
    return convert_to_tensor(function(numpy.arange(count) / max(count - 1, 1)).astype("float32"))


def bartlett(x):
    return _window(x, lambda place: 1.0 - numpy.abs(2.0 * place - 1.0))


def blackman(x):
    return _window(x, lambda place: 0.42 - 0.5 * numpy.cos(2.0 * math.pi * place) + 0.08 * numpy.cos(4.0 * math.pi * place))


def hamming(x):
    return _window(x, lambda place: 0.54 - 0.46 * numpy.cos(2.0 * math.pi * place))


def hanning(x):
    return _window(x, lambda place: 0.5 - 0.5 * numpy.cos(2.0 * math.pi * place))


def kaiser(x, beta):
    beta = float(convert_to_tensor(beta))
    return _window(x, lambda place: numpy.i0(beta * numpy.sqrt(numpy.maximum(
        1.0 - (2.0 * place - 1.0) ** 2, 0.0))) / numpy.i0(beta))


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers each of which is the one before times the same."""
    from ._ops_numpy import linspace
    start, stop = _alike_floats(start, stop)
    made = _m.exp(linspace(_m.log(_m.abs(start)), _m.log(_m.abs(stop)), num, endpoint, axis=axis))
    signs = _m.sign(start)
    made = made * (_a.expand_dims(signs, axis) if signs._rank else signs)
    return made if dtype is None else _m.cast(made, dtype)


def vander(x, N=None, increasing=False):
    x = require_rank(convert_to_tensor(x), 1, "x")
    powers = list(range(x._shape[0] if N is None else N))
    return _m.pow(_a.expand_dims(x, 1), convert_to_tensor(powers if increasing else powers[::-1], dtype=x.dtype))
