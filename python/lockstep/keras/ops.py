"""Functions of tensors that symbolic inputs of layers take, too: `keras.ops`."""

import builtins as _builtins

from .. import linalg as _linalg, nn as _nn, ops_array as _array, ops_math as _math
from ._operation import apply_op as _apply


def _tensors(value):
    """NumPy's arrays as tensors; everything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(_tensors(one) for one in value) if _builtins.any(hasattr(one, "__array__") for one in value) else value
    return convert_to_tensor(value) if hasattr(value, "__array__") and hasattr(value, "dtype") else value


def _lift(function, name):
    def lifted(*args, **kwargs):
        return _apply(function, *[_tensors(one) for one in args], name=name, **{
            key: _tensors(one) for key, one in kwargs.items()})
    lifted.__name__ = lifted.__qualname__ = name
    lifted.__doc__ = function.__doc__
    return lifted


def _filled(value, dtype):
    return convert_to_tensor(value, dtype) if dtype is not None else convert_to_tensor(value)


def _best(function, x, axis, keepdims):
    """The place of an element along an axis, or among all."""
    made = _math.cast(function(_array.reshape(x, [-1]) if axis is None else x, axis=0 if axis is None else axis), "int32")
    if not keepdims:
        return made
    return _array.reshape(made, [1] * x._rank) if axis is None else _array.expand_dims(made, axis)


def _running(function, x, axis, dtype):
    x = x if dtype is None else _math.cast(x, dtype)
    return function(_array.reshape(x, [-1]), axis=0) if axis is None else function(x, axis=axis)


def _pieces(x, places, axis):
    """Equal pieces, or those between places, as NumPy's."""
    if isinstance(places, int):
        return _array.split(x, places, axis)
    ends = [int(one) for one in places] + [x._shape[axis]]
    return _array.split(x, [end - start for start, end in zip([0] + ends, ends)], axis)


def _segments(kind, data, ids, count):
    ids = convert_to_tensor(ids)
    if count is None:
        count = int(_math.reduce_max(ids)) + 1
    from .. import math
    return getattr(math, f"unsorted_segment_{kind}")(data, ids, count)


def _moved(rank, source, destination):
    """The order of axes where some have gone to other places."""
    source, destination = ([one % rank for one in (places if isinstance(places, (list, tuple)) else [places])]
                           for places in (source, destination))
    order = [one for one in range(rank) if one not in source]
    for to, one in sorted(zip(destination, source)):
        order.insert(to, one)
    return order


def _swapped(rank, one, other):
    order = list(range(rank))
    order[one], order[other] = order[other], order[one]
    return order


def _along(x, indices, axis):
    if axis is None:
        return _array.gather(_array.reshape(x, [-1]), _array.reshape(indices, [-1]))
    axis = axis % x._rank
    order = [one for one in range(x._rank) if one != axis] + [axis]
    back = [order.index(one) for one in range(x._rank)]
    picked = _array.gather(_array.transpose(x, order), _array.transpose(indices, order), axis=-1, batch_dims=x._rank - 1)
    return _array.transpose(picked, back)


def _put(inputs, starts, updates):
    """`inputs` with `updates` from a place on. Raises: InvalidArgumentError where they do not fit in."""
    sides = [[int(first), whole - int(first) - own] for first, whole, own in zip(starts, inputs._shape, updates._shape)]
    if _builtins.any(side < 0 for pair in sides for side in pair):
        from ..errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, f"updates of shape {tuple(updates._shape)} must fit into inputs of shape "
                                   f"{tuple(inputs._shape)} from {tuple(starts)} on")
    there = _array.pad(_array.ones_like(updates), sides)
    return _array.where(_math.not_equal(there, _array.zeros_like(there)), _array.pad(updates, sides), inputs)


def _middle(x, axis, keepdims):
    flat = _array.reshape(x, [-1]) if axis is None else x
    place = -1 if axis is None else axis
    count = flat._shape[place]
    ordered = _array.sort(flat, axis=place)
    low, high = (_array.gather(ordered, one, axis=place) for one in ((count - 1) // 2, count // 2))
    made = (low + high) / 2
    if not keepdims:
        return made
    return _array.reshape(made, [1] * x._rank) if axis is None else _array.expand_dims(made, axis)


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


_FUNCTIONS = {
    "add": _math.add, "subtract": _math.subtract, "multiply": _math.multiply, "divide": _math.divide,
    "matmul": _math.matmul, "exp": _math.exp, "log": _math.log, "sqrt": _math.sqrt,
    "square": _math.square, "abs": _math.abs, "absolute": _math.abs, "sin": _math.sin,
    "cos": _math.cos, "tanh": _math.tanh, "maximum": _math.maximum, "minimum": _math.minimum,
    "power": _math.pow, "sum": _math.reduce_sum, "mean": _math.reduce_mean, "max": _math.reduce_max,
    "min": _math.reduce_min, "prod": _math.reduce_prod, "argmax": lambda x, axis=None, keepdims=False: _best(_math.argmax, x, axis, keepdims),
    "argmin": lambda x, axis=None, keepdims=False: _best(_math.argmin, x, axis, keepdims), "cast": _math.cast, "clip": _math.clip_by_value, "einsum": _math.einsum,
    "reshape": _array.reshape, "transpose": _array.transpose, "concatenate": _array.concat,
    "stack": _array.stack, "expand_dims": _array.expand_dims, "squeeze": _array.squeeze,
    "zeros": _array.zeros, "ones": _array.ones, "zeros_like": _array.zeros_like,
    "ones_like": _array.ones_like, "where": _array.where, "take": lambda x, indices, axis=None: _array.gather(_array.reshape(x, [-1]) if axis is None else x, indices, axis=axis or 0),
    "one_hot": _array.one_hot, "split": lambda x, indices_or_sections, axis=0: _pieces(x, indices_or_sections, axis), "pad": _array.pad, "tile": _array.tile,
    "shape": lambda x: x.shape, "relu": _nn.relu, "softmax": _nn.softmax, "sigmoid": _nn.sigmoid,
    "gelu": _nn.gelu, "norm": _linalg.norm, "logical_and": _math.logical_and,
    "equal": _math.equal, "greater": _math.greater, "less": _math.less, "not_equal": _math.not_equal,
    "greater_equal": _math.greater_equal, "less_equal": _math.less_equal, "logical_or": _math.logical_or,
    "logical_not": _math.logical_not, "negative": _math.negative, "floor": _math.floor, "ceil": _math.ceil,
    "round": _math.round, "sign": _math.sign, "rsqrt": _math.rsqrt, "log1p": _math.log1p, "expm1": _math.expm1, "erf": _math.erf,
    "isnan": _math.is_nan, "isinf": _math.is_inf, "isfinite": _math.is_finite, "logsumexp": _math.reduce_logsumexp,
    "any": _math.reduce_any, "all": _math.reduce_all, "var": _math.reduce_variance, "std": _math.reduce_std,
    "cumsum": lambda x, axis=None, dtype=None: _running(_math.cumsum, x, axis, dtype),
    "cumprod": lambda x, axis=None, dtype=None: _running(_math.cumprod, x, axis, dtype), "true_divide": _math.divide, "floor_divide": _math.floordiv,
    "mod": _math.floormod, "top_k": _array.top_k, "unstack": lambda x, num=None, axis=0: _array.unstack(x, num, axis),
    "flip": lambda x, axis=None: _array.reverse(x, list(range(x._rank)) if axis is None else [axis]),
    "roll": lambda x, shift, axis=None: _array.roll(x, shift, axis) if axis is not None else _array.reshape(
        _array.roll(_array.reshape(x, [-1]), shift, 0), x._shape), "repeat": _array.repeat,
    "sort": _array.sort, "argsort": _array.argsort, "full": lambda shape, value, dtype=None: _array.fill(shape, _filled(
        value, dtype)), "elu": _nn.elu, "selu": _nn.selu, "softplus": _nn.softplus, "softsign": _nn.softsign, "silu": _nn.silu,
    "relu6": _nn.relu6, "leaky_relu": _nn.leaky_relu, "log_softmax": _nn.log_softmax,
    "count_nonzero": lambda x, axis=None: _math.reduce_sum(_math.cast(_math.not_equal(x, _array.zeros_like(x)), "int32"), axis=axis),
    "segment_sum": lambda data, segment_ids, num_segments=None, sorted=False: _segments("sum", data, segment_ids, num_segments),
    "segment_max": lambda data, segment_ids, num_segments=None, sorted=False: _segments("max", data, segment_ids, num_segments),
    "in_top_k": lambda targets, predictions, k: _nn.in_top_k(targets, predictions, k),
    "tensordot": lambda x1, x2, axes=2: _math.tensordot(x1, x2, axes), "dot": lambda x1, x2: _math.tensordot(x1, x2, [[-1], [
        _builtins.max(0, x2._rank - 2)]]) if x1._rank and x2._rank else x1 * x2,
    "outer": lambda x1, x2: _math.tensordot(_array.reshape(x1, [-1]), _array.reshape(x2, [-1]), 0),
    "moveaxis": lambda x, source, destination: _array.transpose(x, _moved(x._rank, source, destination)),
    "swapaxes": lambda x, axis1, axis2: _array.transpose(x, _swapped(x._rank, axis1, axis2)),
    "take_along_axis": lambda x, indices, axis=None: _along(x, indices, axis),
    "scatter": lambda indices, values, shape: _array.scatter_nd(indices, values, shape),
    "scatter_update": lambda inputs, indices, updates: _array.tensor_scatter_nd_update(inputs, indices, updates),
    "slice": lambda inputs, start_indices, shape: _array.slice(inputs, list(start_indices), list(shape)),
    "slice_update": lambda inputs, start_indices, updates: _put(inputs, start_indices, updates),
    "median": lambda x, axis=None, keepdims=False: _middle(x, axis, keepdims),
    "linspace": _math.linspace, "eye": lambda n, m=None, k=0, dtype=None: _diagonal(n, m, k, dtype),
    "binary_crossentropy": lambda target, output, from_logits=False: _binary(target, output, from_logits),
    "categorical_crossentropy": lambda target, output, from_logits=False: _loss(
        "CategoricalCrossentropy", target, output, from_logits),
    "sparse_categorical_crossentropy": lambda target, output, from_logits=False: _loss(
        "SparseCategoricalCrossentropy", target, output, from_logits)}
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


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """A convolution over steps, images or volumes, as the rank tells."""
    inputs, kernel = _tensors(inputs), _tensors(kernel)
    rank = len(inputs.shape)
    if rank not in (3, 4, 5):
        raise ValueError(f"conv takes inputs with 3, 4 or 5 axes; got shape {tuple(inputs.shape)}")
    function = {3: _nn.conv1d, 4: _nn.conv2d, 5: _nn.conv3d}[rank]
    if rank == 5 and isinstance(strides, int):
        strides = [1] + [strides] * 3 + [1]
    return _apply(function, inputs, kernel, strides, padding.upper(), dilations=dilation_rate, name="conv")


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The largest element of each window of images."""
    return _apply(_nn.max_pool2d, _tensors(inputs), pool_size, pool_size if strides is None else strides, padding.upper(),
                  name="max_pool")


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The mean of each window of images."""
    return _apply(_nn.avg_pool2d, _tensors(inputs), pool_size, pool_size if strides is None else strides, padding.upper(),
                  name="average_pool")
