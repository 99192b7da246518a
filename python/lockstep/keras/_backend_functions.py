"""The functions of Keras's older backend (`K.mean`, `K.square`, ...), which losses and layers of older programs
are written with."""

from math import prod as _product

from .. import _control_flow, _tape, _tensor, math, nn, ops_array, ops_math, random
from .._dtypes import as_dtype
from .._tensor import convert_to_tensor
from .._variable import Variable
from . import backend, losses

abs, exp, log, sqrt, square, sin, cos, tanh, sigmoid = (
    ops_math.abs, ops_math.exp, ops_math.log, ops_math.sqrt, ops_math.square, ops_math.sin, ops_math.cos,
    ops_math.tanh, ops_math.sigmoid)
sign, round, maximum, minimum, equal, not_equal, greater, greater_equal, less, less_equal = (
    ops_math.sign, ops_math.round, ops_math.maximum, ops_math.minimum, ops_math.equal, ops_math.not_equal,
    ops_math.greater, ops_math.greater_equal, ops_math.less, ops_math.less_equal)
elu, softplus, softsign = nn.elu, nn.softplus, nn.softsign
stop_gradient, shape, gather, transpose = (ops_array.stop_gradient, ops_array.shape, ops_array.gather,
                                           ops_array.transpose)


def _reduction(name, text):
    function = getattr(ops_math, "reduce_" + name)

    def reduction(x, axis=None, keepdims=False):
        return function(_floating(x) if name == "mean" else x, axis, keepdims)
    reduction.__doc__ = text
    return reduction


def _floating(x):
    x = convert_to_tensor(x)
    return cast(x, backend.floatx()) if x.dtype.is_bool else x


mean = _reduction("mean", "The mean.")
sum = _reduction("sum", "The sum.")
prod = _reduction("prod", "The product.")
max = _reduction("max", "The largest.")
min = _reduction("min", "The smallest.")


def std(x, axis=None, keepdims=False):
    """The deviation from the mean."""
    return math.reduce_std(_floating(x), axis, keepdims)


def var(x, axis=None, keepdims=False):
    """The variance."""
    return math.reduce_variance(_floating(x), axis, keepdims)


def any(x, axis=None, keepdims=False):
    """Whether one is true."""
    return ops_math.reduce_any(cast(x, "bool"), axis, keepdims)


def all(x, axis=None, keepdims=False):
    """Whether all are true."""
    return ops_math.reduce_all(cast(x, "bool"), axis, keepdims)


def argmax(x, axis=-1):
    return ops_math.argmax(x, axis)


def argmin(x, axis=-1):
    return ops_math.argmin(x, axis)


def cumsum(x, axis=0):
    return math.cumsum(x, axis)


def cumprod(x, axis=0):
    return math.cumprod(x, axis)


def pow(x, a):
    return ops_math.pow(x, a)


def clip(x, min_value, max_value):
    """`x` held between two values; None: no bound."""
    low, high = (-float("inf") if min_value is None else min_value, float("inf") if max_value is None else max_value)
    return ops_math.clip_by_value(x, low, high)


def cast(x, dtype):
    return ops_math.cast(x, as_dtype(dtype))


def cast_to_floatx(x):
    """`x` as `floatx()`: tensors as tensors, the rest as arrays."""
    if isinstance(x, (_tensor.Tensor, Variable)):
        return cast(x, backend.floatx())
    import numpy
    return numpy.asarray(x, dtype=backend.floatx())


def dot(x, y):
    """Matrix products; of more axes the last of x and the last but one of y."""
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    if x._rank <= 2 and y._rank <= 2:
        return ops_math.matmul(x, y)
    return ops_math.tensordot(x, y, [[x._rank - 1], [y._rank - 2 if y._rank > 1 else 0]])


def flatten(x):
    return ops_array.reshape(x, [-1])


def batch_flatten(x):
    """Rows of everything behind axis 0."""
    x = convert_to_tensor(x)
    if None in x._shape[1:]:
        return ops_array.reshape(x, ops_array.sizes_of(x, [0]) + [-1])
    return ops_array.reshape(x, [-1, _product(x._shape[1:])])


def reshape(x, shape):
    return ops_array.reshape(x, shape)


def expand_dims(x, axis=-1):
    return ops_array.expand_dims(x, axis)


def squeeze(x, axis):
    return ops_array.squeeze(x, [axis])


def permute_dimensions(x, pattern):
    return ops_array.transpose(x, pattern)


def concatenate(tensors, axis=-1):
    return ops_array.concat(tensors, axis)


def stack(x, axis=0):
    return ops_array.stack(x, axis)


def tile(x, n):
    return ops_array.tile(x, [n] if isinstance(n, int) else n)


def repeat(x, n):
    """[rows, width] as [rows, n, width]."""
    return ops_array.tile(ops_array.expand_dims(x, 1), [1, n, 1])


def repeat_elements(x, rep, axis):
    return ops_array.repeat(x, rep, axis)


def reverse(x, axes):
    return ops_array.reverse(x, [axes] if isinstance(axes, int) else axes)


def one_hot(indices, num_classes):
    return ops_array.one_hot(indices, num_classes, axis=-1)


def arange(start, stop=None, step=1, dtype="int32"):
    return ops_math.range(start, stop, step, dtype=dtype)


def _filled(make):
    def filled(shape, dtype=None, name=None):
        return make(shape, as_dtype(dtype or backend.floatx()))
    filled.__doc__ = make.__doc__
    return filled


zeros, ones = _filled(ops_array.zeros), _filled(ops_array.ones)


def zeros_like(x, dtype=None, name=None):
    return ops_array.zeros_like(x, dtype)


def ones_like(x, dtype=None, name=None):
    return ops_array.ones_like(x, dtype)


def constant(value, dtype=None, shape=None, name=None):
    return ops_array.constant(value, dtype or backend.floatx(), shape)


def variable(value, dtype=None, name=None, constraint=None):
    """A variable of `floatx()` with a first value."""
    return Variable(value, dtype=as_dtype(dtype or backend.floatx()), name=name, constraint=constraint)


def eye(size, dtype=None, name=None):
    return ops_array.eye(size, dtype=as_dtype(dtype or backend.floatx()))


def update(x, new_x):
    return x.assign(new_x)


def update_add(x, increment):
    return x.assign_add(increment)


def update_sub(x, decrement):
    return x.assign_sub(decrement)


def batch_get_value(tensors):
    """The values as arrays."""
    return [one.numpy() for one in tensors]


def batch_set_value(tuples):
    for one, value in tuples:
        one.assign(value)


def eval(x):
    return backend.get_value(x)


def int_shape(x):
    """The sizes as a tuple, None for those that are not known."""
    return tuple(x.shape)


def ndim(x):
    return len(x.shape)


def dtype(x):
    """The name of its dtype."""
    return as_dtype(x.dtype).name


def count_params(x):
    import numpy
    return int(numpy.prod(tuple(x.shape)))


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    """Rectified: `alpha` is the slope below `threshold`."""
    from . import activations
    return activations.relu(x, negative_slope=alpha, max_value=max_value, threshold=threshold)


def softmax(x, axis=-1):
    return nn.softmax(x, axis)


def hard_sigmoid(x):
    """0.2 x + 0.5, held between 0 and 1."""
    return ops_math.clip_by_value(convert_to_tensor(x) * 0.2 + 0.5, 0.0, 1.0)


def l2_normalize(x, axis=None):
    return nn.l2_normalize(x, axis)


def dropout(x, level, noise_shape=None, seed=None):
    return nn.dropout(x, level, noise_shape, seed)


def bias_add(x, bias, data_format=None):
    return nn.bias_add(x, bias)


def in_top_k(predictions, targets, k):
    return nn.in_top_k(targets, predictions, k)


def binary_crossentropy(target, output, from_logits=False):
    """The cross entropy of each element."""
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(target, output)
    output = clip(output, backend.epsilon(), 1.0 - backend.epsilon())
    made = target * log(output) + (1 - target) * log(1 - output)
    return -made


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy of each row."""
    return losses.categorical_crossentropy(target, _as_given(output), from_logits=from_logits, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1, ignore_class=None):
    """The cross entropy of each row with the number of its class."""
    if axis not in (-1, len(output.shape) - 1):
        raise NotImplementedError(f"classes are the last axis; got axis={axis}; transpose the output")
    return losses.sparse_categorical_crossentropy(target, _as_given(output), from_logits=from_logits,
                                                  ignore_class=ignore_class)


def _as_given(output):
    """Probabilities, not the logits behind them, of which the older functions know nothing."""
    return ops_array.identity(output)


def switch(condition, then_expression, else_expression):
    """`then_expression` where the condition holds, else the other; both may be functions for a scalar condition."""
    if callable(then_expression):
        return _control_flow.cond(cast(condition, "bool"), then_expression, else_expression)
    condition, chosen = cast(condition, "bool"), convert_to_tensor(then_expression)
    if 0 < condition._rank < chosen._rank:
        condition = ops_array.reshape(condition, list(condition._shape) + [1] * (chosen._rank - condition._rank))
    return ops_array.where(condition, chosen, else_expression)


def gradients(loss, variables):
    return _tape.gradients(loss, variables)


def map_fn(fn, elems, name=None, dtype=None):
    return _control_flow.map_fn(fn, elems, dtype=dtype)


def foldl(fn, elems, initializer=None, name=None):
    return _control_flow.foldl(fn, elems, initializer)


def foldr(fn, elems, initializer=None, name=None):
    return _control_flow.foldr(fn, elems, initializer)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return random.normal(shape, mean, stddev, as_dtype(dtype or backend.floatx()), seed)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return random.uniform(shape, minval, maxval, as_dtype(dtype or backend.floatx()), seed)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return random.truncated_normal(shape, mean, stddev, as_dtype(dtype or backend.floatx()), seed)


def temporal_padding(x, padding=(1, 1)):
    return ops_array.pad(x, [[0, 0], list(padding), [0, 0]])


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    return ops_array.pad(x, [[0, 0], *[list(one) for one in padding], [0, 0]])
