"""NumPy's functions for `keras.ops`: its names, arguments and rules, on tensors."""

import builtins
import math

from .. import bitwise, linalg, ops_array as _a, ops_math as _m
from .._dtypes import as_dtype, float32, int32
from .._tensor import convert_to_tensor


def _axis(axis):
    return list(axis) if isinstance(axis, tuple) else axis


def _flat(x):
    return _a.reshape(convert_to_tensor(x), [-1])


def _floats(x):
    x = convert_to_tensor(x)
    return x if x.dtype.is_floating else _m.cast(x, float32)


def _alike(x1, x2):
    """Both as tensors of one dtype, the wider one's."""
    import numpy
    x1 = convert_to_tensor(x1, dtype_hint=getattr(x2, "dtype", None))
    x2 = convert_to_tensor(x2, dtype_hint=x1.dtype)
    if x1.dtype == x2.dtype:
        return x1, x2
    if x1.dtype.is_floating != x2.dtype.is_floating:
        dtype = x1.dtype if x1.dtype.is_floating else x2.dtype
    else:
        dtype = as_dtype(numpy.promote_types(x1.dtype.as_numpy_dtype, x2.dtype.as_numpy_dtype))
    return _m.cast(x1, dtype), _m.cast(x2, dtype)


# ---- reductions


def all(x, axis=None, keepdims=False):
    return _m.reduce_all(_m.cast(x, "bool"), _axis(axis), keepdims)


def any(x, axis=None, keepdims=False):
    return _m.reduce_any(_m.cast(x, "bool"), _axis(axis), keepdims)


def amax(x, axis=None, keepdims=False):
    return _m.reduce_max(x, _axis(axis), keepdims)


def amin(x, axis=None, keepdims=False):
    return _m.reduce_min(x, _axis(axis), keepdims)


def sum(x, axis=None, keepdims=False):
    return _m.reduce_sum(x, _axis(axis), keepdims)


def prod(x, axis=None, keepdims=False, dtype=None):
    return _m.reduce_prod(x if dtype is None else _m.cast(x, dtype), _axis(axis), keepdims)


def mean(x, axis=None, keepdims=False):
    return _m.reduce_mean(_floats(x), _axis(axis), keepdims)


def var(x, axis=None, keepdims=False):
    return _m.reduce_variance(_floats(x), _axis(axis), keepdims)


def std(x, axis=None, keepdims=False):
    return _m.reduce_std(_floats(x), _axis(axis), keepdims)


def logsumexp(x, axis=None, keepdims=False):
    return _m.reduce_logsumexp(x, _axis(axis), keepdims)


def ptp(x, axis=None, keepdims=False):
    return amax(x, axis, keepdims) - amin(x, axis, keepdims)


def count_nonzero(x, axis=None):
    return _m.reduce_sum(_m.cast(_m.cast(x, "bool"), int32), _axis(axis))


def cumsum(x, axis=None, dtype=None):
    return _running(_m.cumsum, x, axis, dtype)


def cumprod(x, axis=None, dtype=None):
    return _running(_m.cumprod, x, axis, dtype)


def _running(function, x, axis, dtype):
    x = convert_to_tensor(x) if dtype is None else _m.cast(x, dtype)
    return function(_flat(x) if axis is None else x, 0 if axis is None else axis)


def average(x, axis=None, weights=None):
    """The mean, by `weights` of x's shape or along `axis`. Raises: ValueError for other weights."""
    x = _floats(x)
    if weights is None:
        return mean(x, axis)
    weights = _m.cast(convert_to_tensor(weights), x.dtype)
    if weights._rank != x._rank:
        if axis is None or weights._rank != 1:
            raise ValueError(f"weights must have x's shape, or be a vector along an axis; got {weights.shape} "
                             f"for {x.shape} and axis={axis}")
        weights = _a.reshape(weights, [-1 if i == axis % x._rank else 1 for i in builtins.range(x._rank)])
    weights = weights * _a.ones_like(x)
    return _m.reduce_sum(x * weights, _axis(axis)) / _m.reduce_sum(weights, _axis(axis))


def argmax(x, axis=None, keepdims=False):
    return _argument(_m.argmax, x, axis, keepdims)


def argmin(x, axis=None, keepdims=False):
    return _argument(_m.argmin, x, axis, keepdims)


def _argument(function, x, axis, keepdims):
    x = convert_to_tensor(x)
    rank = x._rank
    made = function(_flat(x) if axis is None else x, 0 if axis is None else axis, int32)
    if keepdims:
        made = _a.reshape(made, [1] * rank) if axis is None else _a.expand_dims(made, axis)
    return made


def median(x, axis=None, keepdims=False):
    return quantile(x, 0.5, axis, "linear", keepdims)


def quantile(x, q, axis=None, method="linear", keepdims=False):
    """Raises: ValueError for a method that is not linear, lower, higher, midpoint or nearest."""
    x, q = _floats(x), convert_to_tensor(q)
    rank = x._rank
    axes = list(builtins.range(rank)) if axis is None else [
        one % rank for one in (axis if isinstance(axis, (list, tuple)) else [axis])]
    rest = [one for one in builtins.range(rank) if one not in axes]
    shape = [x._shape[one] for one in rest]
    moved = _a.sort(_a.reshape(_a.transpose(x, rest + axes), shape + [-1]), -1)
    place = _m.cast(q, x.dtype) * float(moved._shape[-1] - 1)
    low, high = _m.floor(place), _m.ceil(place)
    if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise ValueError(f"method must be linear, lower, higher, midpoint or nearest; got {method!r}")
    ends = {"lower": (low, low), "higher": (high, high), "nearest": (_m.round(place),) * 2}.get(method, (low, high))
    first, last = (_a.gather(moved, _m.cast(one, int32), axis=-1) for one in ends)
    share = {"linear": place - low, "midpoint": 0.5}.get(method, 0.0)
    made = first + (last - first) * share
    if q._rank:
        made = _a.transpose(made, [len(rest)] + list(builtins.range(len(rest))))
    if keepdims:
        made = _a.reshape(made, list(q._shape) + [1 if one in axes else x._shape[one] for one in builtins.range(rank)])
    return made


# ---- element by element


def true_divide(x1, x2):
    x1, x2 = _alike(_floats(x1), _floats(x2))
    return x1 / x2


def floor_divide(x1, x2):
    x1, x2 = _alike(x1, x2)
    return x1 // x2


def mod(x1, x2):
    x1, x2 = _alike(x1, x2)
    return x1 % x2


def power(x1, x2):
    return _m.pow(*_alike(x1, x2))


def maximum(x1, x2):
    return _m.maximum(*_alike(x1, x2))


def minimum(x1, x2):
    return _m.minimum(*_alike(x1, x2))


def clip(x, x_min, x_max):
    return _m.clip_by_value(x, x_min, x_max)


def where(condition, x1=None, x2=None):
    condition = _m.cast(condition, "bool")
    return nonzero(condition) if x1 is None else _a.where(condition, *_alike(x1, x2))


def log2(x):
    return _m.log(_floats(x)) / math.log(2.0)


def log10(x):
    return _m.log(_floats(x)) / math.log(10.0)


def exp2(x):
    return _m.exp(_floats(x) * math.log(2.0))


def cbrt(x):
    x = _floats(x)
    return _m.sign(x) * _m.pow(_m.abs(x), 1.0 / 3.0)


def hypot(x1, x2):
    x1, x2 = _alike(_floats(x1), _floats(x2))
    return _m.sqrt(x1 * x1 + x2 * x2)


def logaddexp(x1, x2):
    x1, x2 = _alike(_floats(x1), _floats(x2))
    return _m.maximum(x1, x2) + _m.log1p(_m.exp(-_m.abs(x1 - x2)))


def heaviside(x1, x2):
    x1, x2 = _alike(_floats(x1), x2)
    return _a.where(_m.equal(x1, 0.0), x2 * _a.ones_like(x1), _m.cast(_m.greater(x1, 0.0), x1.dtype))


def sinc(x):
    x = _floats(x) * math.pi
    safe = _a.where(_m.equal(x, 0.0), _a.ones_like(x), x)
    return _a.where(_m.equal(x, 0.0), _a.ones_like(x), _m.sin(safe) / safe)


def deg2rad(x):
    return _floats(x) * (math.pi / 180.0)


def rad2deg(x):
    return _floats(x) * (180.0 / math.pi)


def trunc(x):
    x = convert_to_tensor(x)
    return _a.where(_m.less(x, 0.0), _m.ceil(x), _m.floor(x)) if x.dtype.is_floating else x


def round(x, decimals=0):
    x = convert_to_tensor(x)
    if decimals == 0 or not x.dtype.is_floating:
        return _m.round(x)
    return _m.round(x * 10.0 ** decimals) / 10.0 ** decimals


def isclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    x1, x2 = _alike(_floats(x1), x2)
    made = _m.logical_or(_m.equal(x1, x2), _m.logical_and(
        _m.less_equal(_m.abs(x1 - x2), atol + rtol * _m.abs(x2)), _m.is_finite(x2)))
    return _m.logical_or(made, _m.logical_and(_m.is_nan(x1), _m.is_nan(x2))) if equal_nan else made


def allclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    return _m.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


def isposinf(x):
    return _m.logical_and(_m.is_inf(x), _m.greater(convert_to_tensor(x), 0.0))


def isneginf(x):
    return _m.logical_and(_m.is_inf(x), _m.less(convert_to_tensor(x), 0.0))


def isin(x1, x2, assume_unique=False, invert=False):
    x1, x2 = _alike(x1, x2)
    made = _m.reduce_any(_m.equal(_a.expand_dims(x1, -1), _flat(x2)), -1)
    return _m.logical_not(made) if invert else made


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    import numpy
    x = _floats(x)
    limits = numpy.finfo(x.dtype.as_numpy_dtype)
    for found, value in ((_m.is_nan(x), nan), (isposinf(x), limits.max if posinf is None else posinf),
                         (isneginf(x), limits.min if neginf is None else neginf)):
        x = _a.where(found, _a.zeros_like(x) + float(value), x)
    return x


def logical_and(x1, x2):
    return _m.logical_and(_m.cast(x1, "bool"), _m.cast(x2, "bool"))


def logical_or(x1, x2):
    return _m.logical_or(_m.cast(x1, "bool"), _m.cast(x2, "bool"))


def logical_xor(x1, x2):
    return _m.logical_xor(_m.cast(x1, "bool"), _m.cast(x2, "bool"))


def logical_not(x):
    return _m.logical_not(_m.cast(x, "bool"))


def bitwise_not(x):
    return bitwise.invert(x)


# ---- shapes and places


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
    source, destination = ([one % x._rank for one in (side if isinstance(side, (list, tuple)) else [side])]
                           for side in (source, destination))
    order = [one for one in builtins.range(x._rank) if one not in source]
    for to, one in sorted(zip(destination, source)):
        order.insert(to, one)
    return _a.transpose(x, order)


def swapaxes(x, axis1, axis2):
    x = convert_to_tensor(x)
    order = list(builtins.range(x._rank))
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


def array_split(x, indices_or_sections, axis=0):
    x = convert_to_tensor(x)
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    short, more = divmod(x._shape[axis], indices_or_sections)
    return _a.split(x, [short + (i < more) for i in builtins.range(indices_or_sections)], axis)


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
    last = axis % x._rank
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
    return _a.zeros_like(x if dtype is None else _m.cast(x, dtype)) + convert_to_tensor(fill_value, dtype=dtype or x.dtype)


def empty(shape, dtype=None):
    return _a.zeros(shape, dtype or float32)


def tri(N, M=None, k=0, dtype=None):
    return tril(_a.ones([N, N if M is None else M], dtype or float32), k)


def _side(x, k, lower):
    x = convert_to_tensor(x)
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
    return _m.reduce_sum(diagonal(x, offset, axis1, axis2), -1)


def diff(a, n=1, axis=-1):
    a = convert_to_tensor(a)
    for _ in builtins.range(n):
        count = a._shape[axis]
        a = take(a, list(builtins.range(1, count)), axis) - take(a, list(builtins.range(count - 1)), axis)
    return a


# ---- products


def dot(x1, x2):
    x1, x2 = _alike(x1, x2)
    if not x1._rank or not x2._rank:
        return x1 * x2
    return _m.tensordot(x1, x2, [[x1._rank - 1], [max(0, x2._rank - 2)]])


def vdot(x1, x2):
    return dot(_flat(x1), _flat(x2))


def inner(x1, x2):
    x1, x2 = _alike(x1, x2)
    return x1 * x2 if not x1._rank or not x2._rank else _m.tensordot(x1, x2, [[x1._rank - 1], [x2._rank - 1]])


def outer(x1, x2):
    x1, x2 = _alike(x1, x2)
    return _a.expand_dims(_flat(x1), 1) * _flat(x2)


def kron(x1, x2):
    x1, x2 = _alike(x1, x2)
    made = _a.expand_dims(_a.expand_dims(x1, 1), 3) * _a.expand_dims(_a.expand_dims(x2, 0), 2)
    return _a.reshape(made, [x1._shape[0] * x2._shape[0], x1._shape[1] * x2._shape[1]])


def vander(x, N=None, increasing=False):
    x = convert_to_tensor(x)
    count = x._shape[0] if N is None else N
    powers = list(builtins.range(count))
    powers = powers if increasing else powers[::-1]
    return _m.pow(_a.expand_dims(x, 1), convert_to_tensor(powers, dtype=x.dtype))


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = moveaxis(_floats(y), axis, -1)
    steps = dx if x is None else diff(convert_to_tensor(x, dtype=y.dtype))
    count = y._shape[-1]
    halves = (take(y, list(builtins.range(1, count)), -1) + take(y, list(builtins.range(count - 1)), -1)) * 0.5
    return _m.reduce_sum(halves * steps, -1)


def digitize(x, bins):
    x = _floats(x)
    return _a.searchsorted(convert_to_tensor(bins, dtype=x.dtype), _flat(x), side="right") if x._rank == 1 else \
        _a.reshape(_a.searchsorted(convert_to_tensor(bins, dtype=x.dtype), _flat(x), side="right"), x._shape)


def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    return _m.pow(float(base), linspace(start, stop, num, endpoint, dtype=dtype, axis=axis))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    start, stop = _alike(_floats(start), _floats(stop))
    step = (stop - start) / builtins.float(max(1, num - 1 if endpoint else num))
    made = _m.linspace(start, stop if endpoint else stop - step, num, axis=axis) if num != 1 else _a.expand_dims(start, 0)
    made = made if dtype is None else _m.cast(made, dtype)
    return (made, step) if retstep else made
