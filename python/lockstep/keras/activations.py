"""Functions of a layer's output: `keras.activations`."""

from .. import _logits, _native
from .._axes import axis_of as _axis_of
from .._tensor import convert_to_tensor
from ._operation import apply_op
from ._ops_dtypes import floats as _floats

_TEXTS = {"celu": "", "elu": "", "exponential": "", "gelu": "", "glu": "", "hard_shrink": "",
          "hard_sigmoid": "", "hard_silu": "", "hard_tanh": "", "leaky_relu": "", "linear": "",
          "log_sigmoid": "", "log_softmax": "", "mish": "", "relu": "", "relu6": "", "selu": "",
          "sigmoid": "", "silu": "", "soft_shrink": "", "softmax": "", "softplus": "", "softsign": "",
          "sparse_plus": "", "sparse_sigmoid": "", "sparsemax": "", "squareplus": "", "tanh": "",
          "tanh_shrink": "", "threshold": ""}
_ALIASES = {"swish": "silu", "hard_swish": "hard_silu"}
_OF_NUMBERS = ("exponential", "leaky_relu", "tanh")  # of whole numbers, too


def _make(name):
    taken = _floats if name in _OF_NUMBERS else convert_to_tensor

    def activation(x):
        return apply_op(lambda x: _native.activate(name, taken(x)), x, name=name)
    activation.__name__ = activation.__qualname__ = name
    activation.__doc__ = f"Keras's {name}, element by element (softmax, log_softmax, sparsemax, glu: last axis)."
    activation._native_name = name
    return activation


_BY_NAME = {name: _make(name) for name in _TEXTS}
globals().update(_BY_NAME)
swish, hard_swish = _BY_NAME["silu"], _BY_NAME["hard_silu"]


def _with(name, x, setting, default):
    """The activation with something given besides the tensor."""
    if setting == default:
        return _NATIVE[name](x)
    from . import _ops_nn
    return apply_op(getattr(_ops_nn, name), x, setting, name=name)


def celu(x, alpha=1.0):
    """max(x, 0) + alpha * (e^(min(x, 0) / alpha) - 1)."""
    return _with("celu", x, alpha, 1.0)


def elu(x, alpha=1.0):
    """x above 0, else alpha * (e^x - 1)."""
    return _with("elu", x, alpha, 1.0)


def glu(x, axis=-1):
    """The first half along `axis` times the sigmoid of the second one."""
    return _with("glu", x, axis, -1)


def hard_shrink(x, threshold=0.5):
    """x farther from 0 than the threshold, else 0."""
    return _with("hard_shrink", x, threshold, 0.5)


def leaky_relu(x, negative_slope=0.2):
    """x above 0, else negative_slope * x."""
    return _with("leaky_relu", x, negative_slope, 0.2)


def log_softmax(x, axis=-1):
    """x - log(sum(e^x)) along `axis`, an axis or several; None: along all."""
    return _with("log_softmax", x, axis, -1)


def soft_shrink(x, threshold=0.5):
    """x nearer to 0 by the threshold, 0 where it would pass it."""
    return _with("soft_shrink", x, threshold, 0.5)


def sparsemax(x, axis=-1):
    """The nearest point of the simplex along `axis`: parts that add up to 1, many of them 0."""
    return _with("sparsemax", x, axis, -1)


def squareplus(x, b=4):
    """(x + sqrt(x^2 + b)) / 2."""
    return _with("squareplus", x, b, 4)


_NATIVE = dict(_BY_NAME)
for _function in (celu, elu, glu, hard_shrink, leaky_relu, log_softmax, soft_shrink, sparsemax, squareplus):
    _function._native_name = _function.__name__
    _BY_NAME[_function.__name__] = _function


def threshold(x, threshold, default_value):
    """x above the threshold, else `default_value`."""
    from . import _ops_nn
    return apply_op(_ops_nn.threshold, x, threshold, default_value, name="threshold")


_BY_NAME["threshold"] = threshold


def relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    """max(x, 0), or with a slope below the threshold and a largest value."""
    return apply_op(_relu, x, negative_slope, max_value, threshold, name="re_lu")


def _relu(x, negative_slope, max_value, threshold):
    if not negative_slope and max_value is None and not threshold:
        return _native.relu(x)
    from .. import ops_array, ops_math
    x = convert_to_tensor(x)
    below = negative_slope * (x - threshold) if negative_slope else ops_array.zeros_like(x)
    y = ops_array.where(x > threshold, x, below)
    return y if max_value is None else ops_math.minimum(y, float(max_value))


relu._native_name = "relu"
_BY_NAME["relu"] = relu


def along_axes(function, x, axes):
    """`function(x, -1)` with the axes in `axes` (None: all) as one axis; the shape of `x` stays."""
    from .. import ops_array
    x = convert_to_tensor(x)
    axes = list(range(x._rank)) if axes is None else [_axis_of(axis, x._rank) for axis in axes]
    order = [axis for axis in range(x._rank) if axis not in axes] + axes
    moved = ops_array.transpose(x, order)
    kept = ops_array.shape(moved)[:x._rank - len(axes)]
    made = function(ops_array.reshape(moved, ops_array.concat([kept, [-1]], 0)), -1)
    return ops_array.transpose(ops_array.reshape(made, ops_array.shape(moved)),
                               [order.index(axis) for axis in range(x._rank)])


def softmax(x, axis=-1):
    """exp(x) / sum(exp(x)) along `axis`, an axis or several; None: along all."""
    return apply_op(_softmax, x, axis, name="softmax")


def _softmax(x, axis):
    x = convert_to_tensor(x)
    if axis is None or isinstance(axis, (list, tuple)):
        return along_axes(_native.softmax, x, axis)
    made = _native.softmax(x, axis)
    return _logits.note("Softmax", made, x) if _logits.is_last(axis, x) else made


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return apply_op(_sigmoid, x, name="sigmoid")


def _sigmoid(x):
    x = convert_to_tensor(x)
    return _logits.note("Sigmoid", _native.activate("sigmoid", x), x)


for _function in (softmax, sigmoid):
    _function._native_name = _function.__name__
    _BY_NAME[_function.__name__] = _function
gelu_native = _BY_NAME["gelu"]


def gelu(x, approximate=False):
    """x times the normal probability of a value below x."""
    return apply_op(lambda x, approximate: _native.gelu(convert_to_tensor(x), approximate), x, approximate, name="gelu")


gelu._native_name = "gelu"
_BY_NAME["gelu"] = gelu


def serialize(activation):
    return getattr(activation, "__name__", str(activation))


def get(identifier):
    """The activation of a name or a function; linear for None. Raises: ValueError."""
    if identifier is None:
        return _BY_NAME["linear"]
    if isinstance(identifier, str):
        name = _ALIASES.get(identifier, identifier)
        if name not in _BY_NAME:
            raise ValueError(f"Could not interpret activation function identifier: {identifier}")
        return _BY_NAME[name]
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret activation function identifier: {identifier}")


def native_name(identifier):
    """The name of a native activation, None for functions of Python."""
    function = get(identifier)
    known = getattr(function, "_native_name", None)
    if known is not None:
        return known
    from .. import nn, ops_math
    for name in ("relu", "softmax", "sigmoid", "tanh", "selu", "softplus", "softsign", "elu", "silu",
                 "gelu", "relu6"):
        if getattr(nn, name, None) is function or getattr(ops_math, name, None) is function:
            return name
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None and wrapped is not function and \
            str(getattr(wrapped, "__module__", "")).startswith("lockstep."):
        if wrapped.__name__ in _BY_NAME and wrapped.__name__ not in ("leaky_relu", "log_softmax"):
            return wrapped.__name__
    return None


def deserialize(config, custom_objects=None):
    """The activation of a name, or of what `serialize` gave."""
    known = (custom_objects or {}).get(config) if isinstance(config, str) else None
    return get(config) if known is None else known
