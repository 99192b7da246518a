"""Metrics inside of replicas: each has a part of the sums, which it adds to and reads; outside, all parts are one sum.

The sum itself is kept beside the parts, in the canonical order over examples, so that it does not know of replicas."""

from .. import _native, math, ops_array
from .._tensor import convert_to_tensor
from .._variable import Variable, VariableAggregation, VariableSynchronization

_FLOAT = 1


def in_replica():
    """Whether one of several replicas runs this."""
    return _native.has_strategy() and not _native.in_cross_replica() and _native.replicas_in_sync() > 1


def has_parts(strategy):
    """Whether each replica has a copy of its own of what is made under this strategy, or None."""
    from ..distribute import CentralStorageStrategy
    return strategy is not None and strategy.num_replicas_in_sync > 1 and not isinstance(strategy, CentralStorageStrategy)


class State(Variable):
    """A metric's variable under a strategy of several replicas. In a replica it is that one's part: what it assigns replaces
    the part alone. Outside, it is the sum of all parts, and a value that is assigned is spread evenly."""

    @classmethod
    def of(cls, native):
        """The state that begins with a variable's value, in each of the replicas."""
        from .._function import init_scope
        made = cls._wrap(native)
        if "_part" not in made.__dict__:
            with init_scope():
                first = native.copies()[0]
                made._part = _native.Variable.make(first, native.name + "/part", False, VariableSynchronization.ON_READ.value,
                                                   VariableAggregation.SUM.value)
        return made

    @property
    def _v(self):
        return self._part if in_replica() else self._whole

    @_v.setter
    def _v(self, native):
        self._whole = native

    def _put(self, kind, value):
        whole = getattr(self._whole, kind)(value)
        if in_replica():
            return getattr(self._part, kind)(value)
        self._part.assign(self._whole.value())
        return whole

    def clear_part(self):
        """Zeros, in a replica's part or in all."""
        self._part.assign(ops_array.zeros_like(self._part.value()))

    def add_to_part(self, value):
        """Adds what a replica has, which the whole has already."""
        self._part.assign_add(value)


# ---- what batches add to the sums of Keras's own metrics, as the library's metrics do it

def _cast(x):
    return math.cast(x, "float32")


def _align_ranks(first, second):
    """Both, with a last axis of size 1 left out or added where only one has it."""
    for one, other, turned in ((first, second, False), (second, first, True)):
        if one._rank == other._rank + 1 and one._shape[-1] == 1:
            if other._rank == 1:
                other = ops_array.expand_dims(other, -1)
            else:
                one = ops_array.squeeze(one, -1)
            return (other, one) if turned else (one, other)
    return first, second


def _align(y_true, y_pred):
    return _align_ranks(math.cast(y_true, y_pred.dtype), y_pred)


def _mean_behind(x, first):
    return x if x._rank <= first else math.reduce_mean(x, list(range(first, x._rank)))


def mean_sums(values, weight):
    """[the sum of values times weights, the sum of weights]: one value and one weight an example."""
    values = _cast(values)
    if weight is None:
        values = _mean_behind(values, 1)
        return [math.reduce_sum(values), math.reduce_sum(ops_array.ones_like(values))]
    values, weight = _align_ranks(values, _cast(convert_to_tensor(weight)))
    values = _mean_behind(values, weight._rank)
    weight = _native.broadcast_like(weight, values)
    return [math.reduce_sum(_mean_behind(values * weight, 1)), math.reduce_sum(_mean_behind(weight, 1))]


def sum_sums(values, weight):
    """[the sum of values times weights]."""
    values = _cast(values)
    if weight is not None:
        values, weight = _align_ranks(values, _cast(convert_to_tensor(weight)))
        while weight._rank < values._rank:
            weight = ops_array.expand_dims(weight, -1)
        values = values * weight
    return [math.reduce_sum(values)]


def _by_shape(y_true, y_pred):
    from . import metrics
    classes = y_pred._shape[-1] if y_pred._rank else 1
    if classes == 1:
        return metrics.binary_accuracy(*_align(y_true, y_pred))
    is_sparse = y_true._rank < y_pred._rank or y_true._shape[-1] == 1
    return (metrics.sparse_categorical_accuracy if is_sparse else metrics.categorical_accuracy)(y_true, y_pred)


def _values_of(metric, y_true, y_pred):
    """What a metric that is the mean of a function has for each example."""
    from . import losses, metrics
    kind, options = metric._kind, metric._options
    if kind == "AccuracyByShape":
        return _by_shape(y_true, y_pred)
    if kind == "Accuracy":
        return _cast(math.equal(*_align(y_true, y_pred)))
    if kind == "BinaryAccuracy":
        return metrics.binary_accuracy(*_align(y_true, y_pred), **options)
    if kind.endswith("Accuracy"):
        from ._names import to_snake_case
        return getattr(metrics, to_snake_case(kind))(y_true, y_pred, **options)
    if kind == "RootMeanSquaredError":
        y_true, y_pred = _align(y_true, y_pred)
        return math.square(y_pred - y_true)
    loss = losses._CLASSES["LogCosh" if kind == "LogCoshError" else kind](**options)
    if kind != "SparseCategoricalCrossentropy":
        y_true, y_pred = _align(y_true, y_pred)
    values = loss.call(y_true, y_pred)
    return -values if kind == "CosineSimilarity" else values


def _counts(metric, y_true, y_pred, weight):
    """Right and wrong ones of both classes by thresholds: {name: float32[thresholds]}."""
    y_true, y_pred = _align(y_true, _cast(y_pred))
    positive = _cast(math.cast(y_true, "bool"))
    if weight is None:
        weight = ops_array.ones_like(positive)
    else:
        weight = _align_ranks(y_pred, _cast(convert_to_tensor(weight)))[1]
        while weight._rank < positive._rank:
            weight = ops_array.expand_dims(weight, -1)
        weight = _native.broadcast_like(weight, positive)
    positive, y_pred, weight = (ops_array.reshape(one, [-1, 1]) for one in (positive, y_pred, weight))
    if metric._kind == "AUC":
        count = metric._options["num_thresholds"]
        bucket = math.ceil(math.minimum(math.maximum(y_pred, 0.0), 1.0) * float(count - 1)) - 1.0
        above = _cast(math.maximum(bucket, 0.0) >= ops_array.reshape(math.cast(math.range(count), "float32"), [1, -1]))
    else:
        limits = metric._options.get("thresholds") or [0.5]
        above = _cast(y_pred > ops_array.reshape(convert_to_tensor([float(one) for one in limits]), [1, -1]))
    right, wrong = positive * weight, (1.0 - positive) * weight
    return {name: math.reduce_sum(value, 0) for name, value in (
        ("true_positives", above * right), ("false_positives", above * wrong),
        ("false_negatives", (1.0 - above) * right), ("true_negatives", (1.0 - above) * wrong))}


_COUNTED = {"TruePositives": ["true_positives"], "TrueNegatives": ["true_negatives"], "FalsePositives": ["false_positives"],
            "FalseNegatives": ["false_negatives"], "Precision": ["true_positives", "false_positives"],
            "Recall": ["true_positives", "false_negatives"],
            "AUC": ["true_positives", "false_positives", "true_negatives", "false_negatives"]}


def _confusion(metric, y_true, y_pred, weight):
    def hot(x):
        return ops_array.one_hot(ops_array.reshape(math.cast(x, "int64"), [-1]), metric._options["num_classes"])
    labels = hot(y_true)
    if weight is not None:  # which loses its fraction
        labels = labels * ops_array.reshape(_cast(math.cast(convert_to_tensor(weight), "int32")), [-1, 1])
    return [math.matmul(labels, hot(y_pred), transpose_a=True)]


def sums_of(metric, y_true, y_pred, weight):
    """What a batch adds to each of a metric's variables, in their order."""
    if metric._kind in _COUNTED:
        counts = _counts(metric, y_true, y_pred, weight)
        return [counts[name] for name in _COUNTED[metric._kind]]
    if metric._kind == "MeanIoU":
        return _confusion(metric, y_true, y_pred, weight)
    return mean_sums(_values_of(metric, y_true, y_pred), weight)


# ---- the figures

def _area(metric, tp, fp, tn, fn):
    def head(x):
        return x[:-1]

    def tail(x):
        return x[1:]
    divide, most = math.divide_no_nan, math.maximum
    if metric._options["curve"] == "PR":
        p, dtp = tp + fp, head(tp) - tail(tp)
        slope = divide(dtp, most(head(p) - tail(p), 0.0))
        intercept = tail(tp) - slope * tail(p)
        ratio = ops_array.where((head(p) > 0.0) & (tail(p) > 0.0), divide(head(p), most(tail(p), 0.0)), ops_array.ones_like(tail(p)))
        return math.reduce_sum(divide(slope * (dtp + intercept * math.log(ratio)), most(tail(tp) + tail(fn), 0.0)))
    x, y = divide(fp, fp + tn), divide(tp, tp + fn)
    return math.reduce_sum((head(x) - tail(x)) * ((head(y) + tail(y)) * 0.5))


def _iou(confusion):
    diagonal = ops_array.diag_part(confusion)
    every = math.reduce_sum(confusion, 0) + math.reduce_sum(confusion, 1) - diagonal
    divide = math.divide_no_nan
    return divide(math.reduce_sum(divide(diagonal, every)), math.reduce_sum(_cast(math.not_equal(every, 0.0))))


def figure_of(metric, sums):
    """A metric's figure, from the values of its variables."""
    kind = metric._kind
    if kind == "AUC":
        return _area(metric, *sums)
    if kind == "MeanIoU":
        return _iou(*sums)
    if kind in _COUNTED:
        made = sums[0] if len(sums) == 1 else math.divide_no_nan(sums[0], sums[0] + sums[1])
        return ops_array.squeeze(made, 0) if made._shape[0] == 1 else made
    made = sums[0] if kind == "Sum" else math.divide_no_nan(*sums)
    return math.sqrt(made) if kind == "RootMeanSquaredError" else made
