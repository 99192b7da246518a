"""`tf.nn` with the arguments of version 1, where they differ."""

from ... import nn as _nn
from ...nn import *  # noqa: F401,F403


def __getattr__(name):
    return getattr(_nn, name)


def _one_of(name, first, second, names):
    """The one argument that is given, under its old or its new name. Raises: ValueError for both or none."""
    if (first is None) == (second is None):
        raise ValueError(f"[{name}] one of {names[0]} and {names[1]} is needed; got {first!r} and {second!r}")
    return second if first is None else first


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """`x` with elements kept with the probability `keep_prob`, which is 1 - rate, the others 0; scaled by its inverse."""
    _one_of("dropout", keep_prob, rate, ("keep_prob", "rate"))
    return _nn.dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed, name)


def in_top_k(predictions, targets, k, name=None):
    """Whether each target is among the k largest predictions of its row."""
    return _nn.in_top_k(targets, predictions, k)


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over the axes."""
    return _nn.moments(x, axes, shift, bool(keep_dims or keepdims))


def softmax(logits, axis=None, name=None, dim=None):
    return _nn.softmax(logits, axis if dim is None else dim)


def log_softmax(logits, axis=None, name=None, dim=None):
    return _nn.log_softmax(logits, axis if dim is None else dim)


def conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC", dilations=None,
           name=None, filters=None):
    """Slides filters over images."""
    return _nn.conv2d(input, _one_of("conv2d", filter, filters, ("filter", "filters")), strides, padding, data_format,
                      dilations, name=name)


def conv1d(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format="NWC", name=None,
           input=None, dilations=None):
    """Slides filters over rows."""
    return _nn.conv1d(_one_of("conv1d", value, input, ("value", "input")), filters, stride, padding, data_format or "NWC",
                      dilations, name=name)


def max_pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
    """The largest element of every window."""
    return _nn.max_pool2d(_one_of("max_pool", value, input, ("value", "input")), ksize, strides, padding, data_format,
                          name=name)


def avg_pool(value=None, ksize=None, strides=None, padding="VALID", data_format="NHWC", name=None, input=None):
    """The mean of every window."""
    return _nn.avg_pool2d(_one_of("avg_pool", value, input, ("value", "input")), ksize, strides, padding, data_format,
                          name=name)


def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """A filter of its own for each channel."""
    return _nn.depthwise_conv2d(input, filter, strides, padding, data_format, dilations if rate is None else rate)


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None,
                     dilations=None):
    """A filter of its own for each channel, then one that mixes channels."""
    return _nn.separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format,
                                dilations if rate is None else rate)


def convolution(input, filter=None, padding=None, strides=None, dilation_rate=None, name=None, data_format=None,
                filters=None, dilations=None):
    """A convolution over 1, 2 or 3 axes, by the rank of the filters."""
    return _nn.convolution(input, _one_of("convolution", filter, filters, ("filter", "filters")), strides, padding or "VALID",
                           data_format, dilations if dilation_rate is None else dilation_rate)


def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None,
         dilations=None):
    """Windows of 1, 2 or 3 axes. pooling_type: MAX or AVG."""
    return _nn.pool(input, window_shape, pooling_type, strides, padding, data_format,
                    dilations if dilation_rate is None else dilation_rate)


max_pool_v2 = _nn.max_pool


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over the axes, of elements that count `frequency_weights` times."""
    return _nn.weighted_moments(x, axes, frequency_weights, bool(keep_dims or keepdims))


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """(count, sum, sum of squares, shift) over the axes."""
    return _nn.sufficient_statistics(x, axes, shift, bool(keep_dims or keepdims))


def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """Rows of a table, or of its parts: "mod" gives part i each row that leaves i, "div" row after row."""
    if isinstance(params, (list, tuple)):
        from ..._embeddings import lookup
        return lookup(params, ids, max_norm, partition_strategy)
    return _nn.embedding_lookup(params, ids, max_norm)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    """The cross entropy where positive labels count `pos_weight` times."""
    return _nn.weighted_cross_entropy_with_logits(_one_of("weighted_cross_entropy_with_logits", labels, targets,
                                                          ("labels", "targets")), logits, pos_weight)


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """The cross entropy of rows of probabilities; no gradient flows to the labels."""
    from ...ops_array import stop_gradient
    return _nn.softmax_cross_entropy_with_logits(stop_gradient(labels), logits, dim if axis is None else axis)


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of rows with the numbers of their classes."""
    return _nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of each element with its probability."""
    return _nn.sigmoid_cross_entropy_with_logits(labels, logits)


def relu_layer(x, weights, biases, name=None):
    """relu(x weights + biases)."""
    return _nn.relu(_nn.xw_plus_b(x, weights, biases))


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, partition_strategy="mod", name="nce_loss"):
    """As `tf.nn.nce_loss`; a list of weights is divided by `partition_strategy`."""
    from ..._sampled_losses import nce_loss_of
    return nce_loss_of(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
                       partition_strategy)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy="mod", name="sampled_softmax_loss", seed=None):
    """As `tf.nn.sampled_softmax_loss`; a list of weights is divided by `partition_strategy`."""
    from ..._sampled_losses import sampled_softmax_loss_of
    return sampled_softmax_loss_of(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                   remove_accidental_hits, partition_strategy, seed)
