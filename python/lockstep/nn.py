"""Activations, windows, losses and normalisation: `tf.nn`."""

from . import _native as n
from . import _logits, _op_names, _refused, ops_array, ops_math
from ._axes import axis_of as _axis_of
from ._layouts import takes_channels_first as _takes_channels_first
from ._takes_ragged import takes_ragged as _takes_ragged
from ._run_shapes import with_shape as _with_shape
from ._tensor import convert_to_tensor, integers, is_tensor, op
from .ops_array import top_k  # noqa: F401

sigmoid = ops_math.sigmoid
tanh = ops_math.tanh


@_takes_ragged
def relu(features, name=None):
    """max(x, 0)."""
    return op(n.relu, features)


@_takes_ragged
def relu6(features, name=None):
    """min(max(x, 0), 6)."""
    return op(n.relu6, features)


@_takes_ragged
def selu(features, name=None):
    """1.0507 * elu(x, 1.6733)."""
    return op(n.selu, features)


@_takes_ragged
def softplus(features, name=None):
    """log(1 + e^x)."""
    return op(n.softplus, features)


@_takes_ragged
def softsign(features, name=None):
    """x / (1 + |x|)."""
    return op(n.softsign, features)


@_takes_ragged
def silu(features, beta=1.0):
    """x * sigmoid(beta * x)."""
    if beta == 1.0:
        return op(n.silu, features)
    x = convert_to_tensor(features)
    return x * op(n.sigmoid, x * beta)


swish = silu


@_takes_ragged
def log_sigmoid(x, name=None):
    """log(sigmoid(x))."""
    return op(n.log_sigmoid, x)


@_takes_ragged
def leaky_relu(features, alpha=0.2, name=None):
    """x above 0, else alpha * x."""
    return op(n.leaky_relu, convert_to_tensor(features), float(alpha))


@_takes_ragged
def elu(features, name=None):
    """x from 0 on, else e^x - 1."""
    return op(n.elu, convert_to_tensor(features), 1.0)


@_takes_ragged
def gelu(features, approximate=False, name=None):
    """x times the normal probability of a value below x."""
    return op(n.gelu, convert_to_tensor(features), bool(approximate))


def crelu(features, axis=-1, name=None):
    """relu of x and of -x, one after the other."""
    x = convert_to_tensor(features)
    return relu(ops_array.concat([x, -x], axis))


@_takes_ragged
def softmax(logits, axis=None, name=None, dim=None):
    """exp(x) / sum(exp(x)) along `axis` (the last one)."""
    axis = dim if axis is None else axis
    logits, axis = convert_to_tensor(logits), -1 if axis is None else int(axis)
    made = op(n.softmax, logits, axis)
    return _logits.note_traced("Softmax", made, logits) if _logits.is_last(axis, logits) else made


def log_softmax(logits, axis=None, name=None):
    """log(softmax(x)) without its overflow."""
    return op(n.log_softmax, convert_to_tensor(logits), -1 if axis is None else int(axis))


def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """-sum(labels * log_softmax(logits)) along `axis`. Shapes: both the same, or such that they broadcast; the result has
    that without the axis."""
    logits = convert_to_tensor(logits)
    labels = _with_shape(convert_to_tensor(labels, dtype_hint=logits.dtype), logits._shape)
    labels = ops_math.cast(labels, logits.dtype)
    rank = logits._rank
    axis = _axis_of(int(integers(axis, "an axis")), rank)
    if axis != rank - 1:
        order = [one for one in range(rank) if one != axis] + [axis]
        labels, logits = ops_array.transpose(labels, order), ops_array.transpose(logits, order)
    if labels._shape != logits._shape and None not in labels._shape + logits._shape:
        shape = ops_array.broadcast_static_shape(labels.shape, logits.shape)
        labels, logits = ops_array.broadcast_to(labels, shape), ops_array.broadcast_to(logits, shape)
    return op(n.softmax_cross_entropy, labels, logits)


softmax_cross_entropy_with_logits_v2 = softmax_cross_entropy_with_logits


def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """The same for labels that are class numbers. Shapes: labels [...], logits [..., c].

    Raises: InvalidArgumentError for a label that is no class."""
    logits = convert_to_tensor(logits)
    return op(n.sparse_softmax_cross_entropy, _with_shape(convert_to_tensor(labels), logits._shape[:-1]), logits)


def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The cross entropy of each element on its own."""
    logits = convert_to_tensor(logits)
    return op(n.sigmoid_cross_entropy, _with_shape(convert_to_tensor(labels, dtype_hint=logits.dtype), logits._shape), logits)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None):
    """The same with positive labels weighted."""
    logits = convert_to_tensor(logits)
    labels = convert_to_tensor(labels, dtype_hint=logits.dtype)
    weight = 1 + (pos_weight - 1) * labels
    return (1 - labels) * logits + weight * (
        ops_math.log1p(ops_math.exp(-ops_math.abs(logits))) + relu(-logits))


def xw_plus_b(x, weights, biases, name=None):
    """x · weights + biases."""
    from .ops_math import matmul
    return bias_add(matmul(x, weights), biases)


def l2_loss(t, name=None):
    """Half the sum of all squares."""
    return op(n.l2_loss, convert_to_tensor(t))


def _pair(value, data_format="NHWC"):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(value) == 1:
        return [int(value[0])] * 2
    if len(value) == 4:
        return [int(value[1]), int(value[2])]
    return [int(one) for one in value]


def _padding(padding):
    """(kind, sides): VALID 0, SAME 1, explicit 2."""
    if isinstance(padding, str):
        kinds = {"VALID": 0, "SAME": 1}
        _refused.attribute("nn", "padding", padding.upper(), tuple(kinds))
        return kinds[padding.upper()], [0, 0, 0, 0]
    sides = [tuple(one) for one in padding]
    if len(sides) != 4 or any(len(one) != 2 for one in sides):
        raise ValueError(f"padding must be SAME, VALID or a pair for each of four axes; got {padding!r}")
    return 2, [sides[1][0], sides[1][1], sides[2][0], sides[2][1]]


def _last(data_format):
    _refused.attribute("nn", "data_format", data_format, (None, "NHWC", "NWC", "N...C", "channels_last"))


@_takes_channels_first
def conv2d(input, filters, strides, padding, data_format="NHWC", dilations=None, name=None):
    """Slides filters [h, w, in, out] over images [n, h, w, in]."""
    _last(data_format)
    kind, sides = _padding(padding)
    return op(n.conv2d, convert_to_tensor(input), convert_to_tensor(filters), _pair(strides), kind,
              _pair(dilations or 1), sides)


@_takes_channels_first
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):
    """A filter of its own for each channel."""
    _last(data_format)
    kind, sides = _padding(padding)
    return op(n.depthwise_conv2d, convert_to_tensor(input), convert_to_tensor(filter), _pair(strides),
              kind, _pair(dilations or 1), sides)


@_takes_channels_first
def conv2d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NHWC",
                     dilations=None, name=None):
    """The gradient of conv2d's input, as an op."""
    _last(data_format)
    kind, sides = _padding(padding)
    return op(n.conv2d_transpose, convert_to_tensor(input), convert_to_tensor(filters),
              [int(s) for s in integers(output_shape, "a shape")], _pair(strides), kind,
              _pair(dilations or 1), sides)


@_takes_channels_first
def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None):
    """Slides filters [w, in, out] over rows [n, w, in]."""
    _last(data_format)
    def one(value):
        return int(value[-1] if isinstance(value, (list, tuple)) else value)
    return op(n.conv1d, convert_to_tensor(input), convert_to_tensor(filters), one(stride),
              _padding(padding)[0], one(dilations or 1))


@_takes_channels_first
def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """The largest element of every window."""
    _last(data_format)
    kind, sides = _padding(padding)
    return op(n.max_pool, convert_to_tensor(input), _pair(ksize), _pair(strides), kind, sides)


@_takes_channels_first
def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """The mean of every window."""
    _last(data_format)
    kind, sides = _padding(padding)
    return op(n.avg_pool, convert_to_tensor(input), _pair(ksize), _pair(strides), kind, sides)


@_takes_channels_first
def bias_add(value, bias, data_format=None, name=None):
    """value + bias along the last axis."""
    _last(data_format)
    return op(n.bias_add, convert_to_tensor(value), convert_to_tensor(bias))


def _uniform_like(x, seed):
    """Numbers in [0, 1) in the shape that x has when the op is run."""
    def draw(values):
        return [n.random_uniform(list(values[0]._shape), 0.0, 1.0, x.dtype, seed)]
    return n.host_call(draw, [x], [x.dtype], [[-1 if size is None else size for size in x._shape]])[0]


@_takes_ragged
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Zeros with probability `rate`; the rest is divided by 1 - rate."""
    x = convert_to_tensor(x)
    if not is_tensor(rate) and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
                         f"rate={rate}")
    if not is_tensor(rate) and rate == 0:
        return x
    shape = list(x._shape) if noise_shape is None else list(noise_shape)
    if noise_shape is None and None in shape:
        uniform = _uniform_like(x, seed)  # of a graph: how many examples there are is known when it runs
    else:
        uniform = n.random_uniform(shape, 0.0, 1.0, x.dtype, seed)
    keep = ops_math.cast(op(n.greater_equal, uniform, rate), x.dtype)
    return x * (1 / (1 - rate)) * keep


class experimental:
    """Functions whose names may change: `tf.nn.experimental`."""

    @staticmethod
    def stateless_dropout(x, rate, seed, rng_alg="auto_select", noise_shape=None, name=None):
        """`x` with elements set to 0 by the numbers of a seed, the others scaled."""
        from . import random
        x = convert_to_tensor(x)
        shape = ops_array.shape(x) if noise_shape is None else noise_shape
        drawn = random.stateless_uniform(shape, seed, dtype=x.dtype, alg=rng_alg)
        return ops_array.where(drawn >= rate, x * (1.0 / (1.0 - rate)), ops_array.zeros_like(x))


def moments(x, axes, shift=None, keepdims=False, name=None):
    """(mean, variance) over axes."""
    return op(n.moments, convert_to_tensor(x), ops_math._axes(axes), bool(keepdims))


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    return op(n.batch_normalization, x, mean, variance, offset, scale, float(variance_epsilon))


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """x / sqrt(max(sum(x^2), epsilon))."""
    return op(n.l2_normalize, convert_to_tensor(x), ops_math._axes(dim if axis is None else axis),
              float(epsilon))


def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    """x / (bias + alpha * sum(x^2))^beta over neighbouring channels."""
    return op(n.local_response_normalization, convert_to_tensor(input), int(depth_radius), float(bias),
              float(alpha), float(beta))


lrn = local_response_normalization


def embedding_lookup(params, ids, max_norm=None, name=None):
    """Rows of `params`, a table or a list of its parts; of a variable in shards each server gives those that it has. Rows
    longer than `max_norm` are scaled down to it."""
    from . import _embeddings
    if hasattr(params, "sparse_read") and hasattr(params, "variables"):
        return _embeddings.within(params.sparse_read(ids), ids, max_norm)
    if hasattr(ids, "row_splits"):
        return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))
    return _embeddings.lookup(params, ids, max_norm)


def in_top_k(targets, predictions, k, name=None):
    """Whether fewer than k predictions of a row are larger than the target's."""
    predictions = convert_to_tensor(predictions)
    return op(n.in_top_k, _with_shape(convert_to_tensor(targets), predictions._shape[:1]), predictions, int(k))


def zero_fraction(value, name=None):
    """The share of zeros."""
    value = convert_to_tensor(value)
    return ops_math.reduce_mean(ops_math.cast(op(n.equal, value, n.zeros_like(value)), "float32"))


def multiply_no_nan(x, y):
    """x * y, 0 where y is 0."""
    product = op(n.multiply, x, y)
    y = convert_to_tensor(y)
    return ops_array.where(op(n.equal, y, n.zeros_like(y)), n.zeros_like(product), product)


def _require_replica(name):
    from . import distribute
    if distribute.has_strategy() and distribute.in_cross_replica_context():
        raise RuntimeError(f"You are calling `{name}` in cross replica context, while it was expected to be called in "
                           "replica context.")


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of the losses divided by the number of examples of all replicas.

    Raises: ValueError for a loss that is one number; TypeError for a size that is no integer; RuntimeError without a size
    in cross-replica context."""
    losses = convert_to_tensor(per_example_loss)
    if losses.shape.rank == 0:
        raise ValueError("Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received "
                         f"per_example_loss={losses if losses._symbolic else losses.numpy()} with rank 0")
    if global_batch_size is None:
        _require_replica("compute_average_loss")
        return n.compute_average_loss(losses, sample_weight, None)
    size = _batch_size(convert_to_tensor(global_batch_size))
    known = n.static_value(size)
    if known is not None and int(known) > 0:
        return n.compute_average_loss(losses, sample_weight, int(known))
    return ops_math.divide_no_nan(n.compute_average_loss(losses, sample_weight, 1), ops_math.cast(size, losses.dtype))


def _batch_size(size):
    from . import debugging
    debugging.assert_scalar(size, message="global_batch_size must be scalar.")
    debugging.assert_integer(size, message="global_batch_size must be an integer.")
    debugging.assert_non_negative(size, message="global_batch_size must be non-negative.")
    return size


def scale_regularization_loss(regularization_loss):
    """The sum divided by the number of replicas. Raises: RuntimeError in cross-replica context."""
    _require_replica("scale_regularization_loss")
    return n.scale_regularization_loss(convert_to_tensor(regularization_loss))


def scaled_dot_product_attention(query, key, value, is_causal=False, scale=None):
    """softmax(scale query key^T) value, without a tensor of all scores."""
    return op(n.dot_product_attention, convert_to_tensor(query), convert_to_tensor(key),
              convert_to_tensor(value), bool(is_causal), float(scale or 0))


_op_names.name_all(globals(), __name__)


from ._blocks import batch_to_space, depth_to_space, space_to_batch, space_to_depth  # noqa: E402,F401
from ._volumes import avg_pool3d, conv3d, conv3d_transpose, max_pool3d  # noqa: E402,F401
from ._windows import (atrous_conv2d, avg_pool, avg_pool1d, conv1d_transpose, conv_transpose, convolution,  # noqa: E402,F401
                       embedding_lookup_sparse, log_poisson_loss, max_pool, max_pool1d, max_pool_with_argmax, normalize_moments,
                       pool, safe_embedding_lookup_sparse, separable_conv2d, sufficient_statistics, weighted_moments)


def __getattr__(name):
    if name in ("nce_loss", "sampled_softmax_loss"):
        from . import _sampled_losses
        return getattr(_sampled_losses, name)
    if name in ("compute_accidental_hits", "all_candidate_sampler", "fixed_unigram_candidate_sampler",
                "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler", "uniform_candidate_sampler"):
        from . import _candidate_samplers
        return getattr(_candidate_samplers, name)
    raise AttributeError(f"module 'lockstep.nn' has no attribute {name!r}")
