"""Functions of tensors that symbolic inputs of layers take, too: `keras.ops`."""

import builtins as _builtins
import types as _types

from .. import bitwise as _bitwise, math as _tf_math, nn as _nn, ops_array as _array, ops_math as _math
from . import (_ops_counts as _counts, _ops_dtypes as _kinds, _ops_elements as _elements, _ops_image as _of_images,
               _ops_linalg as _of_matrices, _ops_loops as _loops, _ops_nn as _of_layers, _ops_numpy as _shapes,
               _ops_reductions as _reductions, _ops_signal as _signal, _ops_sparse as _sparse, _ops_special as _special, _ops_warps as _warps,
               _ops_windows as _windows, _policy, activations as _activations)
from .._composites import is_composite as _is_composite
from .._dtypes import as_dtype as _as_dtype
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
    return getattr(_tf_math, f"unsorted_segment_{kind}")(data, ids, count)


def _segment(kind):
    return lambda data, segment_ids, num_segments=None, sorted=False: _segments(kind, data, segment_ids, num_segments)


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


def _tile(x, repeats):
    repeats = [repeats] if isinstance(repeats, int) else list(repeats)
    x = convert_to_tensor(x)
    for _ in range(len(repeats) - x._rank):
        x = _array.expand_dims(x, 0)
    return _array.tile(x, [1] * (x._rank - len(repeats)) + repeats)


def _repeat(x, repeats, axis=None):
    return _array.repeat(_shapes.ravel(x) if axis is None else x, repeats, axis or 0)


def _get_item(x, key):
    return x[tuple(key) if isinstance(key, list) else key]


_FLOATING = {  # of whole numbers as float32
    "exp": _math.exp, "log": _math.log, "sqrt": _math.sqrt, "rsqrt": _math.rsqrt, "sin": _math.sin, "cos": _math.cos,
    "tan": _math.tan, "sinh": _math.sinh, "cosh": _math.cosh, "tanh": _math.tanh, "arcsin": _math.asin, "arccos": _math.acos,
    "arctan": _math.atan, "arcsinh": _math.asinh, "arccosh": _math.acosh, "arctanh": _math.atanh, "log1p": _math.log1p,
    "expm1": _math.expm1, "ceil": _math.ceil, "floor": _math.floor}
_PROMOTING = {  # of two of any dtypes
    "add": _math.add, "subtract": _math.subtract, "multiply": _math.multiply, "matmul": _math.matmul, "equal": _math.equal,
    "not_equal": _math.not_equal, "bitwise_and": _bitwise.bitwise_and, "bitwise_or": _bitwise.bitwise_or,
    "bitwise_xor": _bitwise.bitwise_xor, "left_shift": _bitwise.left_shift, "right_shift": _bitwise.right_shift,
    "bitwise_left_shift": _bitwise.left_shift, "bitwise_right_shift": _bitwise.right_shift}
_ORDERING = {"greater": _math.greater, "greater_equal": _math.greater_equal, "less": _math.less,
             "less_equal": _math.less_equal}
_FUNCTIONS = {
    "get_item": _get_item, "erf": _math.erf, "erfc": _math.erfc, "sign": _math.sign, "negative": _math.negative,
    "reciprocal": _math.reciprocal, "arctan2": _kinds.of_two_floats(_math.atan2), "cast": _math.cast,
    "saturate_cast": _math.saturate_cast, "einsum": _math.einsum, "bitwise_invert": _bitwise.invert,
    "reshape": _array.reshape, "expand_dims": _array.expand_dims, "squeeze": _array.squeeze, "stack": _array.stack,
    "zeros": _array.zeros, "ones": _array.ones, "zeros_like": _array.zeros_like, "ones_like": _array.ones_like,
    "empty_like": _array.zeros_like, "copy": _array.identity, "tile": _tile, "repeat": _repeat,
    "searchsorted": _array.searchsorted, "broadcast_to": _array.broadcast_to,
    "unstack": lambda x, num=None, axis=0: _array.unstack(x, num, axis),
    "slice": lambda inputs, start_indices, shape: _array.slice(inputs, list(start_indices), list(shape)),
    "slice_update": lambda inputs, start_indices, updates: _put(inputs, start_indices, updates),
    "scatter": lambda indices, values, shape: _array.scatter_nd(indices, values, shape),
    "scatter_update": lambda inputs, indices, updates: _array.tensor_scatter_nd_update(inputs, indices, updates),
    "shape": lambda x: tuple(x.shape), "top_k": _array.top_k,
    "eye": lambda N, M=None, k=0, dtype=None: _diagonal(N, M, k, dtype), "identity": lambda n, dtype=None: _diagonal(
        n, n, 0, dtype),
    "segment_sum": _segment("sum"), "segment_max": _segment("max"), "segment_min": _segment("min"),
    "segment_prod": _segment("prod"), "in_top_k": lambda targets, predictions, k: _nn.in_top_k(targets, predictions, k),
    "relu": _nn.relu, "relu6": _nn.relu6, "selu": _nn.selu, "silu": _nn.silu, "swish": _nn.silu, "softplus": _nn.softplus,
    "softsign": _nn.softsign, "log_sigmoid": _nn.log_sigmoid, "softmax": _activations.softmax,
    "sigmoid": _activations.sigmoid}
_FUNCTIONS.update((_name, _kinds.of_floats(_function)) for _name, _function in _FLOATING.items())
_FUNCTIONS.update((_name, _kinds.of_two(_function)) for _name, _function in _PROMOTING.items())
_FUNCTIONS.update((_name, _kinds.of_two_numbers(_function)) for _name, _function in _ORDERING.items())


def _functions_of(*modules):
    """The public functions of modules, by name."""
    return {name: function for module in modules for name, function in vars(module).items()
            if not name.startswith("_") and getattr(function, "__module__", "") == module.__name__}


_FUNCTIONS.update(_functions_of(_shapes, _elements, _reductions, _counts, _of_layers, _windows, _of_matrices, _signal, _special, _loops))
for _name, _function in _FUNCTIONS.items():
    globals()[_name] = _lift(_sparse.form_of(_name, _function), _name)


def _names_of(name, functions):
    """What `keras.ops` has under a name of its own."""
    made = _types.ModuleType(f"{__name__}.{name}")
    vars(made).update(functions)
    return made


def _converted(x, dtype=None, sparse=None, ragged=None):
    from .._tensor import convert_to_tensor as convert
    if _is_composite(x):
        x = _sparse.dense(x) if sparse is False else x
        x = x.to_tensor() if ragged is False and hasattr(x, "to_tensor") else x
        return x if dtype is None else _policy.cast(x, _as_dtype(dtype))
    return convert(x, dtype=dtype)


def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    """A tensor of an array or a number; a sparse or ragged tensor stays one, unless `sparse` or `ragged` is False."""
    return _apply(_converted, x, dtype, sparse, ragged, name="convert_to_tensor")


def convert_to_numpy(x):
    return convert_to_tensor(x, sparse=False, ragged=False).numpy()


def arange(start, stop=None, step=1, dtype=None):
    return _math.range(start, stop, step, dtype)


def stop_gradient(variable):
    return _apply(_sparse.form_of("stop_gradient", _array.stop_gradient), variable)


def is_tensor(x):
    from .._composites import is_tensor as known
    return known(x)


def dtype(x):
    """The name of the dtype."""
    return convert_to_tensor(x).dtype.name if not hasattr(x, "dtype") else getattr(x.dtype, "name", str(x.dtype))


def cond(pred, true_fn, false_fn):
    """What the function of the branch gives."""
    from .._control_flow import cond as branch
    return (true_fn() if pred else false_fn()) if isinstance(pred, bool) else branch(pred, true_fn, false_fn)


_OF_NN = ("log_sigmoid relu relu6 selu sigmoid silu softmax softplus softsign swish").split()
_OF_NUMPY = ("add arange arctan2 array bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
             "broadcast_to copy einsum empty_like equal expand_dims eye get_item greater greater_equal identity left_shift less "
             "less_equal matmul multiply negative not_equal ones ones_like reciprocal repeat reshape right_shift "
             "searchsorted sign slogdet squeeze stack subtract tile zeros zeros_like").split() + list(_FLOATING)


def _mine(names):
    return {name: globals()[name] for name in names}


image = _names_of("image", {name: _lift(function, name) for name, function in _functions_of(_of_images, _warps).items()})
nn = _names_of("nn", _mine([*_functions_of(_of_layers, _windows), *_OF_NN]))
numpy = _names_of("numpy", _mine([*_functions_of(_shapes, _elements, _reductions, _counts, _special), *_OF_NUMPY]))
linalg = _names_of("linalg", _mine(_functions_of(_of_matrices)))
