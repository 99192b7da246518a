"""Metrics of version 1, whose sums are local variables: `tf.compat.v1.metrics`. Each gives (value, update op)."""

from ... import ops_array, ops_math
from ..._run_shapes import with_shape
from ..._tensor import convert_to_tensor
from ..._variable import Variable
from ._graphs import GraphKeys, get_default_graph, in_graph, name_scope


def _sum(name, shape=(), dtype="float32"):
    """A variable for sums, which is no global one. Raises: RuntimeError outside of graphs."""
    if not in_graph():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled; use tf.keras.metrics")
    made = Variable(ops_array.zeros(list(shape), dtype), trainable=False, name=name, dtype=dtype)
    graph = get_default_graph()
    graph.keep_out_of_globals(made)
    graph.add_to_collections([GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], made)
    return made


def _noted(value, update, metrics_collections, updates_collections):
    graph = get_default_graph()
    graph.add_to_collections(metrics_collections or [], value)
    graph.add_to_collections(updates_collections or [], update)
    return value, update


def _weights(weights, like):
    if weights is None:
        return ops_array.ones_like(like)
    weights = ops_math.cast(convert_to_tensor(weights), "float32")
    while weights._rank and weights._rank < like._rank:
        weights = ops_array.expand_dims(weights, -1)
    return weights * ops_array.ones_like(like)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The weighted mean of all values so far."""
    values = ops_math.cast(convert_to_tensor(values), "float32")
    weights = _weights(weights, values)
    with name_scope(name or "mean"):
        total, count = _sum("total"), _sum("count")
        before = ops_math.divide_no_nan(total.value(), count.value())  # a run that asks for both gets that of before
        above = total.assign_add(ops_math.reduce_sum(values * weights))
        below = count.assign_add(ops_math.reduce_sum(weights))
        return _noted(before, ops_math.divide_no_nan(convert_to_tensor(above), convert_to_tensor(below)),
                      metrics_collections, updates_collections)


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The share of predictions that equal their labels. Raises: ValueError for other shapes."""
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    labels, predictions = with_shape(labels, predictions._shape), with_shape(predictions, labels._shape)
    if not labels.shape.is_compatible_with(predictions.shape):
        raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    if labels._dtype != predictions._dtype:
        labels = ops_math.cast(labels, predictions.dtype)
    return mean(ops_math.equal(predictions, labels), weights, metrics_collections, updates_collections, name or "accuracy")


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of squared differences."""
    labels, predictions = _floats(labels, predictions)
    return mean(ops_math.squared_difference(labels, predictions), weights, metrics_collections, updates_collections,
                name or "mean_squared_error")


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of absolute differences."""
    labels, predictions = _floats(labels, predictions)
    return mean(ops_math.abs(labels - predictions), weights, metrics_collections, updates_collections,
                name or "mean_absolute_error")


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None,
                        name=None):
    """The mean of absolute differences, each divided by a normalizer; 0 where that is 0."""
    labels, predictions, normalizer = _floats(labels, predictions, normalizer)
    return mean(ops_math.divide_no_nan(ops_math.abs(labels - predictions), normalizer), weights, metrics_collections,
                updates_collections, name or "mean_relative_error")


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None,
                            name=None):
    """The root of the mean of squared differences."""
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return _noted(ops_math.sqrt(value), ops_math.sqrt(update), metrics_collections, updates_collections)


def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The weighted mean of each element."""
    values = ops_math.cast(convert_to_tensor(values), "float32")
    weights = _weights(weights, values)
    with name_scope(name or "mean"):
        total, count = _sum("total_tensor", values._shape), _sum("count_tensor", values._shape)
        above, below = total.assign_add(values * weights), count.assign_add(weights)
        return _noted(ops_math.divide_no_nan(total.value(), count.value()),
                      ops_math.divide_no_nan(convert_to_tensor(above), convert_to_tensor(below)),
                      metrics_collections, updates_collections)


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The share of values below a threshold."""
    return mean(convert_to_tensor(values) < threshold, weights, metrics_collections, updates_collections,
                name or "percentage_below_threshold")


def _floats(*values):
    return [ops_math.cast(convert_to_tensor(one), "float32") for one in values]


def _counter(which, labels, predictions, weights, collections, name):
    """A count of the elements where (label, prediction) is `which`."""
    labels, predictions = [ops_math.cast(convert_to_tensor(one), "bool") for one in (labels, predictions)]
    both = [one if wanted else ops_math.logical_not(one) for one, wanted in zip((labels, predictions), which)]
    hits = ops_math.cast(ops_math.logical_and(*both), "float32")
    with name_scope(name):
        count = _sum("count")
        update = count.assign_add(ops_math.reduce_sum(hits * _weights(weights, hits)))
        return _noted(count.value(), convert_to_tensor(update), *collections)


def true_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are true and predicted."""
    return _counter((True, True), labels, predictions, weights, (metrics_collections, updates_collections),
                    name or "true_positives")


def true_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are neither true nor predicted."""
    return _counter((False, False), labels, predictions, weights, (metrics_collections, updates_collections),
                    name or "true_negatives")


def false_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are predicted and not true."""
    return _counter((False, True), labels, predictions, weights, (metrics_collections, updates_collections),
                    name or "false_positives")


def false_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are true and not predicted."""
    return _counter((True, False), labels, predictions, weights, (metrics_collections, updates_collections),
                    name or "false_negatives")


def _share(first, second, collections):
    """a / (a + b) of two counters"""
    return _noted(ops_math.divide_no_nan(first[0], first[0] + second[0]),
                  ops_math.divide_no_nan(first[1], first[1] + second[1]), *collections)


def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The share of true ones among the predicted."""
    with name_scope(name or "precision"):
        return _share(true_positives(labels, predictions, weights), false_positives(labels, predictions, weights),
                      (metrics_collections, updates_collections))


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The share of predicted ones among the true."""
    with name_scope(name or "recall"):
        return _share(true_positives(labels, predictions, weights), false_negatives(labels, predictions, weights),
                      (metrics_collections, updates_collections))


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of intersection over union of the classes that were seen; the update gives the counts."""
    labels, predictions = [ops_array.reshape(ops_math.cast(convert_to_tensor(one), "int32"), [-1])
                           for one in (labels, predictions)]
    rows = ops_array.one_hot(labels, num_classes)
    if weights is not None:
        rows = rows * ops_array.reshape(ops_math.cast(convert_to_tensor(weights), "float32"), [-1, 1])
    with name_scope(name or "mean_iou"):
        counts = _sum("total_confusion_matrix", [num_classes, num_classes])
        update = counts.assign_add(ops_math.matmul(rows, ops_array.one_hot(predictions, num_classes), transpose_a=True))
        now = counts.value()
        right = ops_math.reduce_sum(now * ops_array.eye(num_classes), axis=1)
        union = ops_math.reduce_sum(now, axis=0) + ops_math.reduce_sum(now, axis=1) - right
        seen = ops_math.reduce_sum(ops_math.cast(union > 0.0, "float32"))
        value = ops_math.divide_no_nan(ops_math.reduce_sum(ops_math.divide_no_nan(right, union)), seen)
        return _noted(value, convert_to_tensor(update), metrics_collections, updates_collections)


def recall_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None,
                name=None):
    """The share of labels [n, 1] that are among the k largest predictions [n, classes]."""
    if class_id is not None:
        raise NotImplementedError(f"recall_at_k of one class is not built; got class_id={class_id}")
    labels = convert_to_tensor(labels)
    if labels._rank != 2 or labels._shape[-1] != 1:
        raise NotImplementedError(f"recall_at_k takes one label for each example, shape [n, 1]; got {labels.shape}")
    best = ops_array.top_k(convert_to_tensor(predictions), k)[1]
    hit = ops_math.reduce_any(ops_math.equal(ops_math.cast(labels, best.dtype), best), axis=-1)
    value, update = mean(hit, weights, None, None, name or f"recall_at_{k}")
    return _noted(ops_math.cast(value, "float64"), ops_math.cast(update, "float64"), metrics_collections, updates_collections)


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None,
        curve="ROC", name=None, summation_method="trapezoidal", thresholds=None):
    """The area below the curve of rates at many thresholds."""
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR; got {curve!r}")
    if summation_method != "trapezoidal":
        raise NotImplementedError(f"auc is summed by trapezoids; got summation_method={summation_method!r}")
    inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)] if thresholds is None else sorted(thresholds)
    limits = ops_array.constant([[-1e-7]] + [[one] for one in inner] + [[1.0 + 1e-7]])
    labels = ops_array.reshape(ops_math.cast(convert_to_tensor(labels), "bool"), [1, -1])
    predictions = ops_array.reshape(_floats(predictions)[0], [1, -1])
    above, truth = ops_math.cast(predictions > limits, "float32"), ops_math.cast(labels, "float32")
    weights = 1.0 if weights is None else ops_array.reshape(_floats(weights)[0], [1, -1])
    with name_scope(name or "auc"):
        sums, updates = [], []
        for kind, hits in (("true_positives", above * truth), ("false_negatives", (1.0 - above) * truth),
                           ("true_negatives", (1.0 - above) * (1.0 - truth)), ("false_positives", above * (1.0 - truth))):
            one = _sum(kind, [limits._shape[0]])
            updates.append(convert_to_tensor(one.assign_add(ops_math.reduce_sum(hits * weights, axis=1))))
            sums.append(one.value())
        return _noted(_area(sums, curve), _area(updates, curve), metrics_collections, updates_collections)


def _area(sums, curve):
    tp, fn, tn, fp = sums
    small = 1e-6
    recalled = (tp + small) / (tp + fn + small)
    x, y = (fp / (fp + tn + small), recalled) if curve == "ROC" else (recalled, (tp + small) / (tp + fp + small))
    return ops_math.reduce_sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2.0)
