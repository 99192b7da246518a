"""Arithmetic and reductions: `tf.math`."""

from . import nn as _nn
from .ops_array import argsort, searchsorted, top_k  # noqa: F401
from .ops_math import *  # noqa: F401,F403
from .ops_math import (abs, add, add_n, argmax, argmin, bincount, ceil, confusion_matrix,  # noqa: F401
                       count_nonzero, cumprod, cumsum, divide, floormod, multiply, polyval, pow,
                       reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod,
                       reduce_sum, reciprocal, round, sigmoid, subtract)
from .ops_math import divide_no_nan as divide_no_nan, floordiv as floordiv, truediv  # noqa: F401

multiply_no_nan = lambda x, y, name=None: _nn.multiply_no_nan(x, y)  # noqa: E731
softmax = _nn.softmax
log_softmax = _nn.log_softmax
softplus = _nn.softplus
softsign = _nn.softsign
log_sigmoid = _nn.log_sigmoid
l2_normalize = _nn.l2_normalize
in_top_k = _nn.in_top_k
zero_fraction = _nn.zero_fraction


def _rows(segment_ids, data):
    """Numbers of segments, shaped so that they broadcast over the data."""
    from . import ops_array
    from ._tensor import convert_to_tensor
    ids = convert_to_tensor(segment_ids)
    data = convert_to_tensor(data)
    return ids, data, ops_array.reshape(ids, list(ids._shape) + [1] * (data._rank - ids._rank))


def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """The mean of the rows of each segment; 0 for a segment without rows."""
    from . import ops_array, ops_math
    ids, data, _ = _rows(segment_ids, data)
    count = ops_math.unsorted_segment_sum(ops_array.ones_like(data), ids, num_segments)
    return ops_math.unsorted_segment_sum(data, ids, num_segments) / ops_math.maximum(
        count, ops_array.ones_like(count))


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sum of the rows of each segment, divided by the root of their number."""
    from . import ops_array, ops_math
    ids, data, _ = _rows(segment_ids, data)
    count = ops_math.unsorted_segment_sum(ops_array.ones_like(data), ids, num_segments)
    return ops_math.unsorted_segment_sum(data, ids, num_segments) / ops_math.sqrt(
        ops_math.maximum(count, ops_array.ones_like(count)))


def _segment_fold(reduce, empty):
    """A reduction over the rows of each segment; the data are laid out once for each segment."""
    def fold(data, segment_ids, num_segments, name=None):
        import numpy
        from . import ops_array, ops_math
        ids, data, _ = _rows(segment_ids, data)
        kind = data.dtype.as_numpy_dtype
        info = numpy.finfo(kind) if data.dtype.is_floating else numpy.iinfo(kind)
        fill = {"low": info.min, "high": info.max, "one": 1}[empty]
        rest = list(data._shape[ids._rank:])
        rows, flat = ops_array.reshape(data, [1, -1] + rest), ops_array.reshape(ids, [1, -1])
        segments = ops_array.expand_dims(ops_math.range(num_segments, dtype=ids.dtype), 1)
        met = ops_math.equal(flat, segments)
        for _ in rest:
            met = ops_array.expand_dims(met, -1)
        return reduce(ops_array.where(met, rows, ops_math.cast(fill, data.dtype)), axis=[1])
    fold.__doc__ = "Over the rows of each segment; the dtype's end (or 1) for a segment without rows."
    return fold


unsorted_segment_max = _segment_fold(reduce_max, "low")
unsorted_segment_min = _segment_fold(reduce_min, "high")
unsorted_segment_prod = _segment_fold(reduce_prod, "one")


def _sorted_fold(function):
    def fold(data, segment_ids, name=None):
        from . import ops_array, ops_math
        ids, data, _ = _rows(segment_ids, data)
        none = ops_math.cast([-1], ids.dtype)
        count = reduce_max(ops_array.concat([ids, none], 0)) + 1
        made = function(data, ids, count)
        segments = ops_array.expand_dims(ops_math.range(count, dtype=ids.dtype), 1)
        there = reduce_any(ops_math.equal(ops_array.expand_dims(ids, 0), segments), axis=[1])
        for _ in data._shape[1:]:
            there = ops_array.expand_dims(there, -1)
        return ops_array.where(there, made, ops_array.ones_like(made) if function is unsorted_segment_prod
                               else ops_array.zeros_like(made))
    fold.__doc__ = "Over the rows of each segment, whose numbers rise; 0 (1 for products) for one without rows."
    return fold


segment_max, segment_min, segment_prod = (_sorted_fold(unsorted_segment_max), _sorted_fold(unsorted_segment_min),
                                          _sorted_fold(unsorted_segment_prod))


def real(input, name=None):
    """`input`, as numbers here are real."""
    from ._tensor import convert_to_tensor
    return convert_to_tensor(input)


conj = real


def _no_nan(function, name, text):
    def safe(x, y, name=None):
        from . import ops_array, ops_math
        from ._tensor import convert_to_tensor
        x = convert_to_tensor(x)
        y = convert_to_tensor(y, dtype_hint=x.dtype)
        zero = ops_math.equal(x, ops_array.zeros_like(x))
        made = function(x, ops_array.where(zero, ops_array.ones_like(y), y))
        return ops_array.where(zero, ops_array.zeros_like(made), made)
    safe.__name__, safe.__doc__ = name, text
    return safe


xlogy = _no_nan(lambda x, y: x * log(y), "xlogy", "x * log(y), 0 where x is 0.")  # noqa: F405
xlog1py = _no_nan(lambda x, y: x * log1p(y), "xlog1py", "x * log(1 + y), 0 where x is 0.")  # noqa: F405
xdivy = _no_nan(lambda x, y: x / y, "xdivy", "x / y, 0 where x is 0.")


def reciprocal_no_nan(x, name=None):
    """1 / x, 0 where x is 0."""
    return divide_no_nan(1.0, x)


def invert_permutation(x, name=None):
    """y with y[x[i]] = i."""
    return argsort(x)


def is_non_decreasing(x, name=None):
    """Whether no element is smaller than the one before."""
    from . import ops_array
    flat = ops_array.reshape(x, [-1])
    return reduce_all(flat[1:] >= flat[:-1])


def is_strictly_increasing(x, name=None):
    """Whether each element is larger than the one before."""
    from . import ops_array
    flat = ops_array.reshape(x, [-1])
    return reduce_all(flat[1:] > flat[:-1])


def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """log of the running sums of exp."""
    from . import ops_array
    x = ops_array.identity(x)
    most = reduce_max(x, axis=axis, keepdims=True)
    return log(cumsum(exp(x - most), axis, exclusive, reverse)) + most  # noqa: F405


def lbeta(x, name=None):
    """log of the beta function along the last axis."""
    return reduce_sum(lgamma(x), -1) - lgamma(reduce_sum(x, -1))  # noqa: F405
