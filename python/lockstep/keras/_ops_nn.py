"""Activations, normalisations, losses and attention for `keras.ops`."""

from .. import _logits, linalg as _linalg, nn, ops_array as _a, ops_math as _m
from .._axes import axis_of
from ..sparse import from_dense
from .._tensor import convert_to_tensor
from . import backend
from .activations import along_axes
from ._ops_dtypes import alike_floats as _alike_floats, axes_of as _axis, floats as _floats

# ---- activations


def leaky_relu(x, negative_slope=0.2):
    return nn.leaky_relu(_floats(x), negative_slope)


def elu(x, alpha=1.0):
    made = nn.elu(x)
    return made if alpha == 1.0 else _a.where(_m.greater(made, 0.0), made, alpha * made)


def celu(x, alpha=1.0):
    x = convert_to_tensor(x)
    zero = _a.zeros_like(x)
    return _m.maximum(x, zero) + alpha * _m.expm1(_m.minimum(x, zero) / alpha)


def log_softmax(x, axis=-1):
    if axis is None or isinstance(axis, (list, tuple)):
        return along_axes(nn.log_softmax, x, axis)
    return nn.log_softmax(x, axis)


def gelu(x, approximate=True):
    return nn.gelu(x, approximate)


def glu(x, axis=-1):
    """The first half along `axis` times the sigmoid of the other. Raises: ValueError for an odd size."""
    x = convert_to_tensor(x)
    axis = axis_of(axis, x._rank)
    if x._shape[axis] is not None and x._shape[axis] % 2:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={tuple(x._shape)} with axis={axis}")
    first, second = _a.split(x, 2, axis)
    return first * _m.sigmoid(second)


def hard_sigmoid(x):
    return _m.clip_by_value(convert_to_tensor(x) / 6.0 + 0.5, 0.0, 1.0)


def hard_silu(x):
    return x * hard_sigmoid(x)


def hard_swish(x):
    return hard_silu(x)


def hard_tanh(x):
    return _m.clip_by_value(x, -1.0, 1.0)


def hard_shrink(x, threshold=0.5):
    x = convert_to_tensor(x)
    return _a.where(_m.greater(_m.abs(x), threshold), x, _a.zeros_like(x))


def soft_shrink(x, threshold=0.5):
    x = convert_to_tensor(x)
    nothing = _a.zeros_like(x)
    return _a.where(_m.greater(x, threshold), x - threshold, _a.where(_m.less(x, -threshold), x + threshold, nothing))


def tanh_shrink(x):
    return x - _m.tanh(x)


def sparse_plus(x):
    x = convert_to_tensor(x)
    middle = _a.where(_m.less(x, 1.0), _m.square(x + 1.0) / 4.0, x)
    return _a.where(_m.less_equal(x, -1.0), _a.zeros_like(x), middle)


def sparse_sigmoid(x):
    return _m.clip_by_value((convert_to_tensor(x) + 1.0) / 2.0, 0.0, 1.0)


def sparsemax(x, axis=-1):
    """The nearest point of the simplex: parts that add up to 1, many of them 0."""
    from .. import _native
    x = convert_to_tensor(x)
    last = x._rank - 1
    order = [one for one in range(x._rank) if one != axis_of(axis, x._rank)] + [axis_of(axis, x._rank)]
    if order[-1] == last:
        return _native.activate("sparsemax", x)
    made = _native.activate("sparsemax", _a.transpose(x, order))
    return _a.transpose(made, [order.index(one) for one in range(x._rank)])


def squareplus(x, b=4):
    x = convert_to_tensor(x)
    return (x + _m.sqrt(_m.square(x) + float(b))) / 2.0


def threshold(x, threshold, default_value):
    """x above the threshold, else `default_value`."""
    x = convert_to_tensor(x)
    return _a.where(_m.greater(x, _m.cast(threshold, x.dtype)), x, _a.zeros_like(x) + _m.cast(default_value, x.dtype))


# ---- normalisations


def normalize(x, axis=-1, order=2, epsilon=None):
    x = _floats(x)
    return x / _m.maximum(_linalg.norm(x, order, axis, keepdims=True), epsilon or backend.epsilon())


def moments(x, axes, keepdims=False, synchronized=False):
    """(mean, variance). Raises: NotImplementedError for the synchronised ones of all replicas."""
    if synchronized:
        raise NotImplementedError("moments of all replicas are those of BatchNormalization(synchronized=True)")
    return nn.moments(x, _axis(axes), keepdims=keepdims)


def _wide(x):
    """Whole numbers and half precision as float32."""
    x = _floats(x)
    return _m.cast(x, "float32") if x.dtype.name in ("float16", "bfloat16") else x


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    """scale * (x - mean) / sqrt(variance + epsilon) + offset. Shapes: vectors along `axis`."""
    given = convert_to_tensor(x)
    x = _wide(given)
    shape = [-1 if i == axis_of(axis, x._rank) else 1 for i in range(x._rank)]

    def along(value):
        return _a.reshape(_m.cast(convert_to_tensor(value), x.dtype), shape)
    factor = _m.rsqrt(along(variance) + epsilon)
    factor = factor if scale is None else factor * along(scale)
    made = (x - along(mean)) * factor
    made = made if offset is None else made + along(offset)
    return _m.cast(made, given.dtype if given.dtype.is_floating else x.dtype)


def _parts(x, axis):
    """(axes, the shape that what lies along them broadcasts in)"""
    axes = [axis_of(one, x._rank) for one in (axis if isinstance(axis, (list, tuple)) else [axis])]
    return axes, [x._shape[one] if one in axes else 1 for one in range(x._rank)]


def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, **kwargs):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with what is along `axis`, in x's dtype; epsilon: 1e-7."""
    given = convert_to_tensor(x)
    x = _wide(given)
    axes, shape = _parts(x, axis)
    mean, variance = nn.moments(x, axes, keepdims=True)
    made = (x - mean) * _m.rsqrt(variance + (backend.epsilon() if epsilon is None else epsilon))
    made = made if gamma is None else made * _a.reshape(_m.cast(gamma, x.dtype), shape)
    made = made if beta is None else made + _a.reshape(_m.cast(beta, x.dtype), shape)
    return _m.cast(made, given.dtype)


def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    """scale * x / sqrt(mean of x^2 + epsilon), with what is along `axis`, in x's dtype; epsilon: 1e-7."""
    given = convert_to_tensor(x)
    x = _wide(given)
    axes, shape = _parts(x, axis)
    mean = _m.reduce_mean(_m.square(x), axes, True)
    made = x * _m.rsqrt(mean + (backend.epsilon() if epsilon is None else epsilon))
    made = made if scale is None else made * _a.reshape(_m.cast(scale, x.dtype), shape)
    return _m.cast(made, given.dtype)


# ---- losses and figures


def binary_crossentropy(target, output, from_logits=False):
    """The cross entropy of each element."""
    output, from_logits = _logits_of(convert_to_tensor(output), from_logits)
    target = _m.cast(target, output.dtype)
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    output = _m.clip_by_value(output, backend.epsilon(), 1.0 - backend.epsilon())
    return -(target * _m.log(output) + (1.0 - target) * _m.log(1.0 - output))


def _logits_of(output, from_logits):
    """(output, from_logits) with the logits of a sigmoid in place of what it has made."""
    logits = _logits.behind(output, "Sigmoid")
    return (output, from_logits) if logits is None else (logits, True)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy of each row."""
    return _of_rows("CategoricalCrossentropy", target, output, from_logits, axis, target)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy of each row with the number of its class."""
    return _of_rows("SparseCategoricalCrossentropy", target, output, from_logits, axis, None)


def _of_rows(kind, target, output, from_logits, axis, rows):
    from . import losses
    output = convert_to_tensor(output)
    axis %= output._rank
    if axis != output._rank - 1:
        order = [one for one in range(output._rank) if one != axis] + [axis]
        output = _a.transpose(output, order)
        target = target if rows is None else _a.transpose(convert_to_tensor(target), order)
    made = losses._CLASSES[kind](from_logits=from_logits, reduction=None)(target, output)
    return _m.cast(made, output.dtype)


def psnr(x1, x2, max_val):
    """How many decibels the largest value lies above the difference of two. Raises: ValueError for other shapes."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if tuple(x1._shape) != tuple(x2._shape):
        raise ValueError(f"Input shapes {tuple(x1._shape)} and {tuple(x2._shape)} must match for PSNR calculation. ")
    x1, x2 = _alike_floats(x1, x2)
    mean = _m.reduce_mean(_m.square(x1 - x2))
    return (20.0 * _m.log(_m.cast(max_val, mean.dtype)) - 10.0 * _m.log(mean)) / 2.302585092994046


# ---- categories


def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    if sparse:
        from ._ops_sparse import one_hot as sparse_one_hot
        return sparse_one_hot(x, num_classes, axis, dtype)
    x = convert_to_tensor(x)
    return _a.one_hot(x if x.dtype.is_integer else _m.cast(x, "int32"), num_classes, axis=axis, dtype=dtype or "float32")


def multi_hot(inputs, num_classes=None, axis=-1, dtype=None, sparse=False, **kwargs):
    """Which classes are among numbers, those of each example; classes that there are not are left out."""
    inputs = convert_to_tensor(inputs)
    rows = one_hot(inputs, kwargs.get("num_tokens", num_classes), axis, dtype)
    made = _m.reduce_max(rows, axis=1 if inputs._rank > 1 else 0)
    return from_dense(made) if sparse else made


# ---- attention


def dot_product_attention(query, key, value, bias=None, mask=None, scale=None, is_causal=False, flash_attention=None,
                          attn_logits_soft_cap=None):
    """softmax(scale * query key^T + bias) value. Shapes: query [n, t, heads, d], key and value [n, s, heads, d]; mask and
    bias broadcast to [n, heads, t, s]. Raises: ValueError for other ranks."""
    query, key, value = (convert_to_tensor(one) for one in (query, key, value))
    if any(one._rank != 4 for one in (query, key, value)):
        shapes = ", ".join(f"{name}.shape={tuple(one._shape)}" for name, one in (
            ("query", query), ("key", key), ("value", value)))
        raise ValueError(f"`dot_product_attention` only supports 4D inputs. Received: {shapes}.")
    dtype = query.dtype
    scores = _m.einsum("btnh,bsnh->bnts", query, key) * ((1.0 / query._shape[-1] ** 0.5) if scale is None else scale)
    scores = _wide(scores)
    if bias is not None:
        scores = scores + _m.cast(bias, scores.dtype)
    if attn_logits_soft_cap is not None:
        scores = _m.tanh(scores / attn_logits_soft_cap) * attn_logits_soft_cap
    for seen in _seen(mask, is_causal, query._shape[1], key._shape[1]):
        scores = _a.where(seen, scores, _a.zeros_like(scores) - 2.3819763e38)
    return _m.einsum("bnts,bsnh->btnh", _m.cast(nn.softmax(scores), dtype), value)


def _seen(mask, is_causal, queries, keys):
    """The masks of which keys the queries see."""
    if mask is not None:
        yield _m.cast(mask, "bool")
    if is_causal:
        yield _m.greater_equal(_a.expand_dims(_m.range(queries), 1), _m.range(keys))
