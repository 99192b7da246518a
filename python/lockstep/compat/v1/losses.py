"""Losses of version 1, which the graph collects: `tf.compat.v1.losses`."""

import contextlib

from ... import nn, ops_math
from ..._run_shapes import with_shape
from ..._tensor import convert_to_tensor

_LOSSES, _REGULARIZATION = "losses", "regularization_losses"


class Reduction:
    """How a loss of many elements becomes one number."""
    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"


_KNOWN = tuple(value for name, value in vars(Reduction).items() if name.isupper())


def _fit(labels, predictions):
    """Both as float32 of one shape. Raises: ValueError for None, and for shapes that do not fit."""
    for name, one in (("labels", labels), ("predictions", predictions)):
        if one is None:
            raise ValueError(f"Argument `{name}` must not be None.")
    labels, predictions = _floats(labels, predictions)
    labels, predictions = with_shape(labels, predictions._shape), with_shape(predictions, labels._shape)
    if not labels.shape.is_compatible_with(predictions.shape):
        raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    return labels, predictions


def add_loss(loss, loss_collection=_LOSSES):
    """Notes a loss with the graph."""
    from . import add_to_collection, in_graph
    if loss_collection and in_graph():
        add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=_LOSSES):
    """The losses noted so far, or those whose names begin with `scope`, a pattern."""
    from . import get_collection
    return list(get_collection(loss_collection, scope))


def get_regularization_losses(scope=None):
    """The penalties of weights noted so far, or those whose names begin with `scope`, a pattern."""
    from . import get_collection
    return list(get_collection(_REGULARIZATION, scope))


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """Their sum; 0 where there is none."""
    found = get_regularization_losses(scope)
    return ops_math.add_n(found) if found else convert_to_tensor(0.0)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    """The sum of all losses and penalties. Raises: ValueError where there is none."""
    found = get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else [])
    if not found:
        raise ValueError("`losses` argument is required when there are no losses in the collection.")
    return ops_math.add_n(found)


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """One number of the losses of all elements, each times its weight. Raises: ValueError for another reduction."""
    if reduction not in _KNOWN:
        raise ValueError(f"Invalid Reduction Key {reduction}; it is one of {', '.join(_KNOWN)}.")
    losses = convert_to_tensor(losses)
    weights = ops_math.cast(convert_to_tensor(weights), losses.dtype)
    if weights._rank and weights._rank == losses._rank - 1:
        from ...ops_array import expand_dims
        weights = expand_dims(weights, -1)
    from . import in_graph, name_scope
    with name_scope(scope) if scope and in_graph() else contextlib.nullcontext():
        made = _reduced(losses * weights, weights, losses, reduction)
    add_loss(made, loss_collection)
    return made


def _reduced(weighted, weights, losses, reduction):
    if reduction == Reduction.NONE:
        return weighted
    total = ops_math.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    from ...ops_array import ones_like, size
    spread = weights * ones_like(losses)
    if reduction == Reduction.MEAN:
        return ops_math.divide_no_nan(total, ops_math.reduce_sum(spread))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return ops_math.divide_no_nan(total, ops_math.cast(size(losses), losses.dtype))
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        counted = ops_math.cast(ops_math.not_equal(spread, 0.0), losses.dtype)
        return ops_math.divide_no_nan(total, ops_math.reduce_sum(counted))
    raise ValueError(f"Invalid Reduction Key {reduction}.")


def _floats(*values):
    return [ops_math.cast(convert_to_tensor(one), "float32") for one in values]


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                       reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Squared differences."""
    labels, predictions = _fit(labels, predictions)
    return compute_weighted_loss(ops_math.squared_difference(predictions, labels), weights, scope, loss_collection, reduction)


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                        reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Absolute differences."""
    labels, predictions = _fit(labels, predictions)
    return compute_weighted_loss(ops_math.abs(predictions - labels), weights, scope, loss_collection, reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=_LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Squares below `delta`, straight lines above."""
    labels, predictions = _fit(labels, predictions)
    error = ops_math.abs(predictions - labels)
    inner = ops_math.minimum(error, delta)
    return compute_weighted_loss(0.5 * inner * inner + delta * (error - inner), weights, scope, loss_collection, reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """max(0, 1 - y x) for labels 0 and 1."""
    labels, logits = _fit(labels, logits)
    return compute_weighted_loss(nn.relu(1.0 - (2.0 * labels - 1.0) * logits), weights, scope, loss_collection, reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=_LOSSES,
             reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of probabilities."""
    from ...math import log
    labels, predictions = _fit(labels, predictions)
    losses = -labels * log(predictions + epsilon) - (1.0 - labels) * log(1.0 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of independent classes."""
    labels, logits = _fit(multi_class_labels, logits)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    return compute_weighted_loss(nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), weights, scope,
                                 loss_collection, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of classes of which one holds."""
    labels, logits = _fit(onehot_labels, logits)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + label_smoothing / labels._shape[-1]
    return compute_weighted_loss(nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits), weights, scope,
                                 loss_collection, reduction)


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES,
                                 reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The same for numbers of classes."""
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    if labels._rank == logits._rank:
        from ...ops_array import squeeze
        labels = squeeze(labels, [-1])
    return compute_weighted_loss(nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), weights, scope,
                                 loss_collection, reduction)


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection=_LOSSES,
                    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS, dim=None):
    """1 - the product of unit vectors along an axis. Raises: ValueError without an axis."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    labels, predictions = _fit(labels, predictions)
    losses = 1.0 - ops_math.reduce_sum(labels * predictions, axis=axis, keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES):
    """How much the differences of pairs of an example's elements differ from the labels', squared, example by example."""
    labels, predictions = _fit(labels, predictions)
    differences = predictions - labels
    axes = list(range(1, differences._rank))
    count = 1.0
    for axis in axes:
        count *= differences._shape[axis]
    squares = ops_math.reduce_sum(ops_math.square(differences), axis=axes)
    total = ops_math.reduce_sum(differences, axis=axes)
    pairs = max(count - 1.0, 1.0)
    losses = 2.0 * squares / pairs - 2.0 * ops_math.square(total) / (pairs * count)
    return compute_weighted_loss(losses, weights, scope, loss_collection)
