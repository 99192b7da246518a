"""NumPy's reductions for `keras.ops`, also those that leave NaN out."""

import builtins

from .. import ops_array as _a, ops_math as _m
from .._axes import axis_of
from .._dtypes import int32
from .._tensor import convert_to_tensor
from ._ops_dtypes import axes_of as _axis, countable as _countable, flat as _flat, floats as _floats, numbers as _numbers

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def all(x, axis=None, keepdims=False):
    return _m.reduce_all(_m.cast(x, "bool"), _axis(axis), keepdims)


def any(x, axis=None, keepdims=False):
    return _m.reduce_any(_m.cast(x, "bool"), _axis(axis), keepdims)


def _extreme(x, axis, keepdims, initial, reduce, beside, of_bools):
    x = convert_to_tensor(x)
    if x.dtype.is_bool:
        return of_bools(x, _axis(axis), keepdims)
    made = reduce(x, _axis(axis), keepdims)
    return made if initial is None else beside(made, _m.cast(initial, made.dtype))


def max(x, axis=None, keepdims=False, initial=None):
    return _extreme(x, axis, keepdims, initial, _m.reduce_max, _m.maximum, _m.reduce_any)


def min(x, axis=None, keepdims=False, initial=None):
    return _extreme(x, axis, keepdims, initial, _m.reduce_min, _m.minimum, _m.reduce_all)


def amax(x, axis=None, keepdims=False):
    return max(x, axis, keepdims)


def amin(x, axis=None, keepdims=False):
    return min(x, axis, keepdims)


def sum(x, axis=None, keepdims=False):
    return _m.reduce_sum(_countable(x), _axis(axis), keepdims)


def prod(x, axis=None, keepdims=False, dtype=None):
    return _m.reduce_prod(_countable(x) if dtype is None else _m.cast(x, dtype), _axis(axis), keepdims)


def mean(x, axis=None, keepdims=False):
    return _m.reduce_mean(_floats(x), _axis(axis), keepdims)


def var(x, axis=None, keepdims=False):
    return _m.reduce_variance(_floats(x), _axis(axis), keepdims)


def std(x, axis=None, keepdims=False):
    return _m.reduce_std(_floats(x), _axis(axis), keepdims)


def logsumexp(x, axis=None, keepdims=False):
    return _m.reduce_logsumexp(_floats(x), _axis(axis), keepdims)


def ptp(x, axis=None, keepdims=False):
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def count_nonzero(x, axis=None):
    return _m.reduce_sum(_m.cast(_m.cast(x, "bool"), int32), _axis(axis))


def cumsum(x, axis=None, dtype=None):
    return _running(_m.cumsum, x, axis, dtype)


def cumprod(x, axis=None, dtype=None):
    return _running(_m.cumprod, x, axis, dtype)


def _running(function, x, axis, dtype):
    x = _numbers(x) if dtype is None else _m.cast(x, dtype)
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
        weights = _a.reshape(weights, [-1 if i == axis_of(axis, x._rank) else 1 for i in builtins.range(x._rank)])
    weights = weights * _a.ones_like(x)
    return _m.reduce_sum(x * weights, _axis(axis)) / _m.reduce_sum(weights, _axis(axis))


def argmax(x, axis=None, keepdims=False):
    return _argument(_m.argmax, x, axis, keepdims)


def argmin(x, axis=None, keepdims=False):
    return _argument(_m.argmin, x, axis, keepdims)


def _argument(function, x, axis, keepdims):
    x = _numbers(x)
    rank = x._rank
    made = function(_flat(x) if axis is None else x, 0 if axis is None else axis, int32)
    if keepdims:
        made = _a.reshape(made, [1] * rank) if axis is None else _a.expand_dims(made, axis)
    return made


def median(x, axis=None, keepdims=False):
    return quantile(x, 0.5, axis, "linear", keepdims)


def quantile(x, q, axis=None, method="linear", keepdims=False):
    """Raises: ValueError for a method that is not linear, lower, higher, midpoint or nearest."""
    x = _floats(x)
    made = nanquantile(x, q, axis, method, keepdims)
    broken = any(_m.is_nan(x), axis, keepdims)
    return _a.where(broken, _nan(made), made)


def percentile(x, q, axis=None, method="linear", keepdims=False):
    return quantile(x, _hundredths(q), axis, method, keepdims)


# ---- without what is no number


def _nan(like):
    return _a.zeros_like(like) + float("nan")


def _filled(x, value):
    """`x` with a value for NaN, and where that was; None: nowhere."""
    x = convert_to_tensor(x)
    if not x.dtype.is_floating:
        return x, None
    missing = _m.is_nan(x)
    return _a.where(missing, _a.zeros_like(x) + value, x), missing


def _known(x, axis, keepdims):
    """How many numbers there are, in x's dtype."""
    return _m.reduce_sum(_m.cast(_m.logical_not(_m.is_nan(x)), x.dtype), _axis(axis), keepdims)


def nansum(x, axis=None, keepdims=False):
    return sum(_filled(x, 0.0)[0], axis, keepdims)


def nanprod(x, axis=None, keepdims=False):
    return prod(_filled(x, 1.0)[0], axis, keepdims)


def nancumsum(x, axis=None, dtype=None):
    return cumsum(_filled(x, 0.0)[0], axis, dtype)


def nancumprod(x, axis=None, dtype=None):
    return cumprod(_filled(x, 1.0)[0], axis, dtype)


def _nan_extreme(x, axis, keepdims, reduce, empty):
    x, missing = _filled(x, empty)
    made = reduce(x, axis, keepdims)
    return made if missing is None else _a.where(all(missing, axis, keepdims), _nan(made), made)


def nanmax(x, axis=None, keepdims=False):
    return _nan_extreme(x, axis, keepdims, max, float("-inf"))


def nanmin(x, axis=None, keepdims=False):
    return _nan_extreme(x, axis, keepdims, min, float("inf"))


def _nan_argument(x, axis, keepdims, function, empty):
    """-1 where there is no number."""
    x, missing = _filled(x, empty)
    made = function(x, axis, keepdims)
    return made if missing is None else _a.where(all(missing, axis, keepdims), _a.zeros_like(made) - 1, made)


def nanargmax(x, axis=None, keepdims=False):
    return _nan_argument(x, axis, keepdims, argmax, float("-inf"))


def nanargmin(x, axis=None, keepdims=False):
    return _nan_argument(x, axis, keepdims, argmin, float("inf"))


def nanmean(x, axis=None, keepdims=False):
    x = _floats(x)
    return nansum(x, axis, keepdims) / _known(x, axis, keepdims)


def nanvar(x, axis=None, keepdims=False):
    x = _floats(x)
    return nanmean(_m.square(x - nanmean(x, axis, True)), axis, keepdims)


def nanstd(x, axis=None, keepdims=False):
    return _m.sqrt(nanvar(x, axis, keepdims))


def nanmedian(x, axis=None, keepdims=False):
    return nanquantile(x, 0.5, axis, "linear", keepdims)


def nanpercentile(x, q, axis=None, method="linear", keepdims=False):
    return nanquantile(x, _hundredths(q), axis, method, keepdims)


def _hundredths(q):
    return _floats(q) / 100.0


def nanquantile(x, q, axis=None, method="linear", keepdims=False):
    """Shapes: q's axes, then those that are left. Raises: ValueError for a method that is not linear, lower, higher, midpoint
    or nearest."""
    if method not in _METHODS:
        raise ValueError(f"method must be linear, lower, higher, midpoint or nearest; got {method!r}")
    x, q = _floats(x), convert_to_tensor(q)
    if x.dtype.name in ("float16", "bfloat16"):
        return _m.cast(nanquantile(_m.cast(x, "float32"), q, axis, method, keepdims), x.dtype)
    rank = x._rank
    axes = list(builtins.range(rank)) if axis is None else [
        axis_of(one, rank) for one in (axis if isinstance(axis, (list, tuple)) else [axis])]
    rest = [one for one in builtins.range(rank) if one not in axes]
    sizes = _a.sizes_of(x, list(builtins.range(rank)))
    rows = _a.reshape(_a.transpose(x, rest + axes), [sizes[one] for one in rest] + [-1])
    rows, missing = _filled(rows, float("inf"))
    rows = _a.sort(rows, -1)
    last = _m.cast(_m.reduce_sum(_m.cast(_m.logical_not(missing), int32), -1, True) - 1, x.dtype)
    made = _between(rows, _m.cast(_flat(q), x.dtype), last, method)
    made = _a.where(_m.less(last, 0.0), _nan(made), made)
    left = [1 if one in axes else sizes[one] for one in builtins.range(rank)] if keepdims else [sizes[one] for one in rest]
    made = _a.transpose(made, [len(rest)] + list(builtins.range(len(rest))))
    return _a.reshape(made, list(q._shape) + left)


def _between(rows, q, last, method):
    """What lies at parts `q` [k] of the way from place 0 of each sorted row to place `last` [..., 1]: [..., k]."""
    place = _m.maximum(q * last, _a.zeros_like(q * last))
    low, high = _m.floor(place), _m.ceil(place)
    ends = {"lower": (low, low), "higher": (high, high), "nearest": (_m.round(place),) * 2}.get(method, (low, high))
    first, second = (_a.gather(rows, _m.cast(one, int32), axis=-1, batch_dims=rows._rank - 1) for one in ends)
    share = {"linear": place - low, "midpoint": 0.5}.get(method, 0.0)
    return first + _a.where(_m.equal(first, second), _a.zeros_like(first), second - first) * share
