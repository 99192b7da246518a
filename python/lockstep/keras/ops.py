"""Functions of tensors that symbolic inputs of layers take, too: `keras.ops`."""

import builtins as _builtins

from .. import bitwise as _bitwise, linalg as _linalg, nn as _nn, ops_array as _array, ops_math as _math
from . import _ops_numpy as _numpy
from ._operation import apply_op as _apply, in_order as _in_order
from ._symbols import KerasTensor as _KerasTensor


def _tensors(value):
    """NumPy's arrays as tensors; everything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(_tensors(one) for one in value) if _builtins.any(hasattr(one, "__array__") for one in value) else value
    arrays = hasattr(value, "__array__") and hasattr(value, "dtype") and not isinstance(value, _KerasTensor)
    return convert_to_tensor(value) if arrays else value


def _lift(function, name):
    def lifted(*args, **kwargs):
        args, kwargs = _in_order(name, args, kwargs)
        return _apply(function, *[_tensors(one) for one in args], name=name, **{
            key: _tensors(one) for key, one in kwargs.items()})
    lifted.__name__ = lifted.__qualname__ = name
    lifted.__doc__ = function.__doc__
    return lifted


def _segments(kind, data, ids, count):
    ids = convert_to_tensor(ids)
    if count is None:
        count = int(_math.reduce_max(ids)) + 1
    from .. import math
    return getattr(math, f"unsorted_segment_{kind}")(data, ids, count)


def _put(inputs, starts, updates):
    """`inputs` with `updates` from a place on. Raises: InvalidArgumentError where they do not fit in."""
    sides = [[int(first), whole - int(first) - own] for first, whole, own in zip(starts, inputs._shape, updates._shape)]
    if _builtins.any(side < 0 for pair in sides for side in pair):
        from ..errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, f"updates of shape {tuple(updates._shape)} must fit into inputs of shape "
                                   f"{tuple(inputs._shape)} from {tuple(starts)} on")
    there = _array.pad(_array.ones_like(updates), sides)
    return _array.where(_math.not_equal(there, _array.zeros_like(there)), _array.pad(updates, sides), inputs)


def _diagonal(n, m, k, dtype):
    import numpy
    return convert_to_tensor(numpy.eye(n, m, k), dtype or "float32") if k else _array.eye(n, m, dtype=dtype or "float32")


def _binary(target, output, from_logits):
    """The cross entropy of each element."""
    target = _math.cast(target, output.dtype)
    if from_logits:
        return _nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    output = _math.clip_by_value(output, 1e-7, 1.0 - 1e-7)
    return -(target * _math.log(output) + (1.0 - target) * _math.log(1.0 - output))


def _loss(kind, target, output, from_logits):
    from . import losses
    return losses._CLASSES[kind](from_logits=from_logits, reduction=None)(target, output)


def _one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    return _array.one_hot(x, num_classes, axis=axis, dtype=dtype or "float32")


def _tile(x, repeats):
    repeats = [repeats] if isinstance(repeats, int) else list(repeats)
    x = convert_to_tensor(x)
    for _ in range(len(repeats) - x._rank):
        x = _array.expand_dims(x, 0)
    return _array.tile(x, [1] * (x._rank - len(repeats)) + repeats)


def _repeat(x, repeats, axis=None):
    return _array.repeat(_numpy.ravel(x) if axis is None else x, repeats, axis or 0)


def _leaky(x, negative_slope=0.2):
    return _nn.leaky_relu(x, negative_slope)


def _gelu(x, approximate=True):
    return _nn.gelu(x, approximate)


def _hard_sigmoid(x):
    return _math.clip_by_value(x / 6.0 + 0.5, 0.0, 1.0)


def _normalize(x, axis=-1, order=2, epsilon=None):
    return x / _math.maximum(_linalg.norm(x, order, axis, keepdims=True), epsilon or 1e-7)


def _moments(x, axes, keepdims=False, synchronized=False):
    return _nn.moments(x, axes, keepdims=keepdims)


def _conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """A convolution over steps, images or volumes, as the rank tells."""
    rank = len(inputs.shape)
    if rank not in (3, 4, 5):
        raise ValueError(f"conv takes inputs with 3, 4 or 5 axes; got shape {tuple(inputs.shape)}")
    function = {3: _nn.conv1d, 4: _nn.conv2d, 5: _nn.conv3d}[rank]
    if rank == 5 and isinstance(strides, int):
        strides = [1] + [strides] * 3 + [1]
    return function(inputs, kernel, strides, padding.upper(), dilations=dilation_rate)


def _max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The largest element of each window of images."""
    return _nn.max_pool2d(inputs, pool_size, pool_size if strides is None else strides, padding.upper())


def _average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The mean of each window of images."""
    return _nn.avg_pool2d(inputs, pool_size, pool_size if strides is None else strides, padding.upper())


def _get_item(x, key):
    return x[tuple(key) if isinstance(key, list) else key]


_FUNCTIONS = {
    "conv": _conv, "max_pool": _max_pool, "average_pool": _average_pool, "get_item": _get_item,
    "add": _math.add, "subtract": _math.subtract, "multiply": _math.multiply, "divide": _math.divide, "matmul": _math.matmul,
    "exp": _math.exp, "log": _math.log, "sqrt": _math.sqrt, "rsqrt": _math.rsqrt, "square": _math.square, "abs": _math.abs,
    "absolute": _math.abs, "fabs": _math.abs, "sin": _math.sin, "cos": _math.cos, "tan": _math.tan, "sinh": _math.sinh,
    "cosh": _math.cosh, "tanh": _math.tanh, "arcsin": _math.asin, "arccos": _math.acos, "arctan": _math.atan,
    "arctan2": _math.atan2, "arcsinh": _math.asinh, "arccosh": _math.acosh, "arctanh": _math.atanh, "log1p": _math.log1p,
    "expm1": _math.expm1, "erf": _math.erf, "erfc": _math.erfc, "sign": _math.sign, "ceil": _math.ceil,
    "floor": _math.floor, "negative": _math.negative, "reciprocal": _math.reciprocal, "divide_no_nan": _math.divide_no_nan,
    "isnan": _math.is_nan, "isinf": _math.is_inf, "isfinite": _math.is_finite, "max": _numpy.amax, "min": _numpy.amin,
    "cast": _math.cast, "saturate_cast": _math.saturate_cast, "einsum": _math.einsum, "cross": _linalg.cross,
    "tensordot": lambda x1, x2, axes=2: _math.tensordot(x1, x2, axes),
    "equal": _math.equal, "not_equal": _math.not_equal, "greater": _math.greater,
    "greater_equal": _math.greater_equal, "less": _math.less, "less_equal": _math.less_equal,
    "bitwise_and": _bitwise.bitwise_and, "bitwise_or": _bitwise.bitwise_or, "bitwise_xor": _bitwise.bitwise_xor,
    "bitwise_invert": _bitwise.invert, "left_shift": _bitwise.left_shift, "right_shift": _bitwise.right_shift,
    "bitwise_left_shift": _bitwise.left_shift, "bitwise_right_shift": _bitwise.right_shift,
    "reshape": _array.reshape, "expand_dims": _array.expand_dims, "squeeze": _array.squeeze, "stack": _array.stack,
    "zeros": _array.zeros, "ones": _array.ones, "zeros_like": _array.zeros_like, "ones_like": _array.ones_like,
    "empty_like": _array.zeros_like, "copy": _array.identity, "tile": _tile, "repeat": _repeat,
    "sort": _array.sort, "argsort": _array.argsort, "searchsorted": _array.searchsorted, "broadcast_to": _array.broadcast_to,
    "unstack": lambda x, num=None, axis=0: _array.unstack(x, num, axis),
    "slice": lambda inputs, start_indices, shape: _array.slice(inputs, list(start_indices), list(shape)),
    "slice_update": lambda inputs, start_indices, updates: _put(inputs, start_indices, updates),
    "scatter": lambda indices, values, shape: _array.scatter_nd(indices, values, shape),
    "scatter_update": lambda inputs, indices, updates: _array.tensor_scatter_nd_update(inputs, indices, updates),
    "shape": lambda x: tuple(x.shape), "top_k": _array.top_k, "one_hot": _one_hot,
    "eye": lambda n, m=None, k=0, dtype=None: _diagonal(n, m, k, dtype), "identity": lambda n, dtype=None: _diagonal(
        n, n, 0, dtype),
    "segment_sum": lambda data, segment_ids, num_segments=None, sorted=False: _segments("sum", data, segment_ids, num_segments),
    "segment_max": lambda data, segment_ids, num_segments=None, sorted=False: _segments("max", data, segment_ids, num_segments),
    "in_top_k": lambda targets, predictions, k: _nn.in_top_k(targets, predictions, k),
    "relu": _nn.relu, "relu6": _nn.relu6, "leaky_relu": _leaky, "elu": _nn.elu, "selu": _nn.selu, "silu": _nn.silu,
    "swish": _nn.silu, "softplus": _nn.softplus, "softsign": _nn.softsign, "log_sigmoid": _nn.log_sigmoid,
    "softmax": _nn.softmax, "log_softmax": _nn.log_softmax, "sigmoid": _nn.sigmoid, "hard_sigmoid": _hard_sigmoid,
    "hard_silu": lambda x: x * _hard_sigmoid(x), "hard_swish": lambda x: x * _hard_sigmoid(x),
    "hard_tanh": lambda x: _math.clip_by_value(x, -1.0, 1.0), "gelu": _gelu, "tanh_shrink": lambda x: x - _math.tanh(x),
    "moments": _moments, "normalize": _normalize, "norm": _linalg.norm, "cholesky": _linalg.cholesky, "det": _linalg.det,
    "inv": _linalg.inv, "solve": _linalg.solve, "qr": _linalg.qr, "logdet": _linalg.logdet, "slogdet": _linalg.slogdet,
    "matrix_rank": _linalg.matrix_rank, "pinv": _linalg.pinv,
    "binary_crossentropy": lambda target, output, from_logits=False: _binary(target, output, from_logits),
    "categorical_crossentropy": lambda target, output, from_logits=False: _loss(
        "CategoricalCrossentropy", target, output, from_logits),
    "sparse_categorical_crossentropy": lambda target, output, from_logits=False: _loss(
        "SparseCategoricalCrossentropy", target, output, from_logits)}
_FUNCTIONS.update((_name, _function) for _name, _function in vars(_numpy).items()
                  if not _name.startswith("_") and getattr(_function, "__module__", "") == _numpy.__name__)
for _name, _function in _FUNCTIONS.items():
    globals()[_name] = _lift(_function, _name)


def convert_to_tensor(x, dtype=None, sparse=None):
    from .._tensor import convert_to_tensor as convert
    return convert(x, dtype=dtype)


def convert_to_numpy(x):
    return convert_to_tensor(x).numpy()


def arange(start, stop=None, step=1, dtype=None):
    return _math.range(start, stop, step, dtype)


def meshgrid(*x, indexing="xy"):
    return _array.meshgrid(*[_tensors(one) for one in x], indexing=indexing)


def stop_gradient(variable):
    return _apply(_array.stop_gradient, variable)


def is_tensor(x):
    from .._tensor import is_tensor as known
    return known(x)


def dtype(x):
    """The name of the dtype."""
    return convert_to_tensor(x).dtype.name if not hasattr(x, "dtype") else getattr(x.dtype, "name", str(x.dtype))


def cond(pred, true_fn, false_fn):
    """What the function of the branch gives."""
    from .._control_flow import cond as branch
    return (true_fn() if pred else false_fn()) if isinstance(pred, bool) else branch(pred, true_fn, false_fn)


def while_loop(cond, body, loop_vars, maximum_iterations=None):
    """The loop's variables at its end, in the structure of `loop_vars`."""
    from .._control_flow import while_loop as loop
    single = not isinstance(loop_vars, (list, tuple))
    given = (loop_vars,) if single else tuple(loop_vars)
    made = loop(cond, lambda *now: _as_tuple(body(*now)), tuple(convert_to_tensor(one) for one in given),
                maximum_iterations=maximum_iterations)
    return made[0] if single else type(loop_vars)(made)


def _as_tuple(value):
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def fori_loop(lower, upper, body_fun, init_val):
    """body_fun(i, value) for each i from `lower` up to `upper`."""
    return while_loop(lambda i, _: i < upper, lambda i, value: (i + 1, body_fun(i, value)), (lower, init_val))[1]


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """(the last state, what `f(state, x)` gave besides for each x, stacked)."""
    from .. import nest
    count = length if xs is None else len(nest.flatten(xs)[0])
    state, rows = init, []
    for place in reversed(range(count)) if reverse else range(count):
        state, row = f(state, None if xs is None else nest.map_structure(lambda one: one[place], xs))
        rows.append(row)
    rows = rows[::-1] if reverse else rows
    if not rows or rows[0] is None:
        return state, None
    return state, nest.map_structure(lambda *parts: _array.stack([convert_to_tensor(one) for one in parts]), *rows)


def map(f, xs):
    """`f` of each row, stacked."""
    from .._control_flow import map_fn
    return map_fn(f, _tensors(xs))


def vectorized_map(function, elements):
    """`function` of each row, stacked."""
    from .._control_flow import vectorized_map as rows
    return rows(function, _tensors(elements))
