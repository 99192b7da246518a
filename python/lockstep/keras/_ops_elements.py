"""NumPy's functions of single elements for `keras.ops`."""

import math

from .. import _control_flow, ops_array as _a, ops_math as _m
from .._tensor import convert_to_tensor
from ._ops_dtypes import (alike as _alike, alike_floats as _alike_floats, flat as _flat, floats as _floats,
                          for_floats as _for_floats, numbers as _numbers, wide_floats as _wide)

_finite = _for_floats(_m.is_finite, True)
_missing = _for_floats(_m.is_nan, False)
_endless = _for_floats(_m.is_inf, False)


def isfinite(x):
    return _finite(x)


def isnan(x):
    return _missing(x)


def isinf(x):
    return _endless(x)


def isposinf(x):
    return _m.logical_and(_endless(x), _m.greater(_floats(x), 0.0))


def isneginf(x):
    return _m.logical_and(_endless(x), _m.less(_floats(x), 0.0))


def isreal(x):
    return _a.ones_like(convert_to_tensor(x), "bool")


def signbit(x):
    """Whether the sign is minus, that of -0.0, too."""
    x = convert_to_tensor(x)
    if not x.dtype.is_floating:
        return _m.less(_numbers(x), _a.zeros_like(_numbers(x)))
    zero = _a.zeros_like(x)
    return _m.logical_or(_m.less(x, zero), _m.logical_and(_m.equal(x, zero), _m.less(1.0 / x, zero)))


def real(x):
    """Raises: TypeError for truth values."""
    x = convert_to_tensor(x)
    if x.dtype.is_bool:
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {x.dtype!r}")
    return _a.identity(x)


def imag(x):
    return _a.zeros_like(convert_to_tensor(x))


def conj(x):
    return real(x)


def conjugate(x):
    return real(x)


def angle(x):
    """0, and pi for numbers below 0."""
    x = _floats(x)
    return _a.where(_m.less(x, 0.0), _a.zeros_like(x) + math.pi, _a.zeros_like(x))


def divide(x1, x2):
    x1, x2 = _alike_floats(x1, x2)
    return x1 / x2


def true_divide(x1, x2):
    return divide(x1, x2)


def divide_no_nan(x1, x2):
    return _m.divide_no_nan(*_alike_floats(x1, x2))


def floor_divide(x1, x2):
    x1, x2 = _alike(x1, x2)
    return x1 // x2


def mod(x1, x2):
    x1, x2 = _alike(x1, x2)
    return x1 % x2


def fmod(x1, x2):
    """The rest of a division, with the sign of `x1`."""
    x1, x2 = _alike(x1, x2)
    rest = _m.floormod(_m.abs(x1), _m.abs(x2))
    if x1.dtype.is_floating:
        rest = _a.where(_m.logical_and(_endless(x2), _finite(x1)), _m.abs(x1), rest)
    return _a.where(signbit(x1), -rest, rest)


def gcd(x1, x2):
    """Raises: TypeError for what are no whole numbers."""
    x1, x2 = _whole("Arguments to gcd must be integers.", x1, x2)
    return _divisor(x1, x2)


def lcm(x1, x2):
    """Raises: TypeError for what are no whole numbers."""
    names = [convert_to_tensor(one).dtype.name for one in (x1, x2)]
    x1, x2 = _whole(f"Arguments to lcm must be integers. Received: x1.dtype={names[0]}, x2.dtype={names[1]}", x1, x2)
    divisor = _divisor(x1, x2)
    return x1 // _m.maximum(divisor, _a.ones_like(divisor)) * x2


def _whole(text, x1, x2):
    x1, x2 = _alike(x1, x2)
    if not x1.dtype.is_integer:
        raise TypeError(text)
    x1, x2 = x1 + _a.zeros_like(x2), x2 + _a.zeros_like(x1)
    return (x1, x2) if x1.dtype.name.startswith("u") else (_m.abs(x1), _m.abs(x2))


def _divisor(x1, x2):
    def step(a, b):
        ends = _m.equal(b, _a.zeros_like(b))
        rest = _m.floormod(a, _a.where(ends, _a.ones_like(b), b))
        return _a.where(ends, a, b), _a.where(ends, b, rest)
    return _control_flow.while_loop(lambda a, b: _m.reduce_any(_m.not_equal(b, _a.zeros_like(b))), step, (x1, x2))[0]


def ldexp(x1, x2):
    """x1 * 2 ** x2. Raises: TypeError for exponents that are no whole numbers."""
    x2 = convert_to_tensor(x2)
    if not x2.dtype.is_integer:
        raise TypeError(f"ldexp exponent must be an integer type. Received: x2 dtype={x2.dtype!r}")
    x1 = _floats(x1)
    x2 = _m.cast(x2, x1.dtype)
    half = _m.floor(x2 / 2.0)  # each a number, where their product is none
    two = _a.zeros_like(half) + 2.0
    return x1 * _m.pow(two, half) * _m.pow(two, x2 - half)


def power(x1, x2):
    return _m.pow(*_alike(x1, x2))


def maximum(x1, x2):
    return _m.maximum(*_alike(x1, x2))


def minimum(x1, x2):
    return _m.minimum(*_alike(x1, x2))


def fmax(x1, x2):
    """The larger one; of a number and NaN the number."""
    return _of_numbers(_m.maximum, x1, x2)


def fmin(x1, x2):
    """The smaller one; of a number and NaN the number."""
    return _of_numbers(_m.minimum, x1, x2)


def _of_numbers(function, x1, x2):
    x1, x2 = _alike(x1, x2)
    if not x1.dtype.is_floating:
        return function(x1, x2)
    return function(_a.where(_m.is_nan(x1), x2, x1), _a.where(_m.is_nan(x2), x1, x2))


def clip(x, x_min, x_max):
    return _m.clip_by_value(x, x_min, x_max)


def log2(x):
    return _m.log(_floats(x)) / math.log(2.0)


def log10(x):
    return _m.log(_floats(x)) / math.log(10.0)


def exp2(x):
    return _m.exp(_floats(x) * math.log(2.0))


def cbrt(x):
    x = _wide(x)
    return _m.sign(x) * _m.pow(_m.abs(x), 1.0 / 3.0)


def hypot(x1, x2):
    """The length of a vector of two numbers."""
    x1, x2 = (_m.abs(one) for one in _alike_floats(x1, x2, _wide))
    large, small = _m.maximum(x1, x2), _m.minimum(x1, x2)
    part = _m.divide_no_nan(small, large)
    return large * _m.sqrt(1.0 + part * part)


def logaddexp(x1, x2):
    """log(e^x1 + e^x2)."""
    return _log_of_sum(x1, x2, _m.exp, _m.log1p)


def logaddexp2(x1, x2):
    """log2(2^x1 + 2^x2)."""
    return _log_of_sum(x1, x2, exp2, lambda x: _m.log1p(x) / math.log(2.0))


def _log_of_sum(x1, x2, power_of, log_of_more):
    x1, x2 = _alike_floats(x1, x2)
    distance = x1 - x2
    same = _m.is_nan(distance)  # both endless, or one is no number
    safe = _a.where(same, _a.zeros_like(distance), distance)
    return _a.where(same, x1 + x2, _m.maximum(x1, x2) + log_of_more(power_of(-_m.abs(safe))))


def heaviside(x1, x2):
    x1, x2 = _alike_floats(x1, x2, _wide)
    return _a.where(_m.equal(x1, 0.0), x2 * _a.ones_like(x1), _m.cast(_m.greater(x1, 0.0), x1.dtype))


def sinc(x):
    x = _floats(x) * math.pi
    safe = _a.where(_m.equal(x, 0.0), _a.ones_like(x), x)
    return _a.where(_m.equal(x, 0.0), _a.ones_like(x), _m.sin(safe) / safe)


def deg2rad(x):
    return _wide(x) * (math.pi / 180.0)


def rad2deg(x):
    return _wide(x) * (180.0 / math.pi)


def fabs(x):
    return _m.abs(_floats(x))


def absolute(x):
    x = convert_to_tensor(x)
    return x if x.dtype.is_bool else _m.abs(x)


def abs(x):
    return absolute(x)


def square(x):
    return _m.square(_numbers(x))


def trunc(x):
    x = convert_to_tensor(x)
    return _a.where(_m.less(x, 0.0), _m.ceil(x), _m.floor(x)) if x.dtype.is_floating else x


def round(x, decimals=0):
    x = convert_to_tensor(x)
    if decimals == 0 or not x.dtype.is_floating:
        return _m.round(x)
    return _m.round(x * 10.0 ** decimals) / 10.0 ** decimals


def isclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    x1, x2 = _alike_floats(x1, x2)
    made = _m.logical_or(_m.equal(x1, x2), _m.logical_and(
        _m.less_equal(_m.abs(x1 - x2), atol + rtol * _m.abs(x2)), _m.is_finite(x2)))
    return _m.logical_or(made, _m.logical_and(_m.is_nan(x1), _m.is_nan(x2))) if equal_nan else made


def allclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    return _m.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


def isin(x1, x2, assume_unique=False, invert=False):
    x1, x2 = _alike(x1, x2)
    made = _m.reduce_any(_m.equal(_a.expand_dims(x1, -1), _flat(x2)), -1)
    return _m.logical_not(made) if invert else made


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    import numpy
    x = convert_to_tensor(x)
    if not x.dtype.is_floating:
        return x
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
