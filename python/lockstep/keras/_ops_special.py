"""Special functions for `keras.ops`."""

import math

from .. import ops_array as _a, ops_math as _m
from .._tensor import convert_to_tensor
from ._ops_dtypes import alike_floats as _alike_floats, wide_floats as _wide

_MIDDLE = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
           0.246640727, 1.50140941)
_ENDS = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
         1.00167406, 2.83297682)
_ANGLES = 128


def _polynomial(factors, x):
    made = _a.zeros_like(x) + factors[0]
    for one in factors[1:]:
        made = made * x + one
    return made


def erfinv(x):
    """The number whose `erf` is x: endless at -1 and 1, none outside. Source: M. Giles, Approximating the erfinv function,
    GPU Computing Gems, and steps of Newton's for what is left."""
    x = convert_to_tensor(x)
    if x.dtype.name in ("float16", "bfloat16"):
        return _m.cast(erfinv(_m.cast(x, "float32")), x.dtype)
    inside = _m.less(_m.abs(x), 1.0)
    safe = _a.where(inside, x, _a.zeros_like(x))
    w = -_m.log((1.0 - safe) * (1.0 + safe))
    far = _m.sqrt(_m.maximum(w, _a.zeros_like(w) + 5.0)) - 3.0
    made = _a.stop_gradient(safe * _a.where(_m.less(w, 5.0), _polynomial(_MIDDLE, w - 2.5), _polynomial(_ENDS, far)))
    for last in (False, False, True) if x.dtype.name == "float64" else (True,):
        step = (_m.erf(made) - safe) * (math.sqrt(math.pi) / 2.0) * _m.exp(made * made)
        made = made - step if last else _a.stop_gradient(made - step)
    outside = _a.stop_gradient(_a.where(_m.equal(_m.abs(x), 1.0), x * float("inf"), _a.zeros_like(x) + float("nan")))
    return _a.where(inside, made, outside)


def i0(x):
    """The modified Bessel function of the first kind, of order 0: the mean of e^(x cos(angle)) over a circle."""
    x = _wide(x)
    if x.dtype.name in ("float16", "bfloat16"):
        return _m.cast(i0(_m.cast(x, "float32")), x.dtype)
    heights = convert_to_tensor([math.cos(math.pi * (i + 0.5) / _ANGLES) for i in range(_ANGLES)], dtype=x.dtype)
    size = _m.abs(x)
    return _m.reduce_mean(_m.exp(_a.expand_dims(size, -1) * (heights - 1.0)), -1) * _m.exp(size)


def nextafter(x1, x2):
    """The number after `x1` on the way to `x2`, as numbers of float64 lie, in the dtype of both."""
    import numpy
    from .._host_calls import numpy_function
    x1, x2 = _alike_floats(x1, x2)
    made = numpy_function(lambda a, b: numpy.nextafter(a, b), [_m.cast(x1, "float64"), _m.cast(x2, "float64")], "float64")
    made = _m.cast(made[0] if isinstance(made, (list, tuple)) else made, x1.dtype)
    shape = _a.zeros_like(x1) + _a.zeros_like(x2)
    made.set_shape(shape._shape)
    return made
