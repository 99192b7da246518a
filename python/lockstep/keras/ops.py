"""Functions of tensors that symbolic inputs of layers take, too: `keras.ops`."""

from .. import linalg as _linalg, nn as _nn, ops_array as _array, ops_math as _math
from ._operation import apply_op as _apply


def _lift(function, name):
    def lifted(*args, **kwargs):
        return _apply(function, *args, name=name, **kwargs)
    lifted.__name__ = lifted.__qualname__ = name
    lifted.__doc__ = function.__doc__
    return lifted


_FUNCTIONS = {
    "add": _math.add, "subtract": _math.subtract, "multiply": _math.multiply, "divide": _math.divide,
    "matmul": _math.matmul, "exp": _math.exp, "log": _math.log, "sqrt": _math.sqrt,
    "square": _math.square, "abs": _math.abs, "absolute": _math.abs, "sin": _math.sin,
    "cos": _math.cos, "tanh": _math.tanh, "maximum": _math.maximum, "minimum": _math.minimum,
    "power": _math.pow, "sum": _math.reduce_sum, "mean": _math.reduce_mean, "max": _math.reduce_max,
    "min": _math.reduce_min, "prod": _math.reduce_prod, "argmax": _math.argmax,
    "argmin": _math.argmin, "cast": _math.cast, "clip": _math.clip_by_value, "einsum": _math.einsum,
    "reshape": _array.reshape, "transpose": _array.transpose, "concatenate": _array.concat,
    "stack": _array.stack, "expand_dims": _array.expand_dims, "squeeze": _array.squeeze,
    "zeros": _array.zeros, "ones": _array.ones, "zeros_like": _array.zeros_like,
    "ones_like": _array.ones_like, "where": _array.where, "take": _array.gather,
    "one_hot": _array.one_hot, "split": _array.split, "pad": _array.pad, "tile": _array.tile,
    "shape": lambda x: x.shape, "relu": _nn.relu, "softmax": _nn.softmax, "sigmoid": _nn.sigmoid,
    "gelu": _nn.gelu, "norm": _linalg.norm, "logical_and": _math.logical_and,
    "equal": _math.equal, "greater": _math.greater, "less": _math.less}
for _name, _function in _FUNCTIONS.items():
    globals()[_name] = _lift(_function, _name)


def convert_to_tensor(x, dtype=None, sparse=None):
    from .._tensor import convert_to_tensor as convert
    return convert(x, dtype=dtype)


def convert_to_numpy(x):
    return convert_to_tensor(x).numpy()


def arange(start, stop=None, step=1, dtype=None):
    return _math.range(start, stop, step, dtype)


def stop_gradient(variable):
    return _apply(_array.stop_gradient, variable)
