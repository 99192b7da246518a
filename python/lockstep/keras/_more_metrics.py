"""Metrics whose sums are tensors of ours: R2, F-scores, and one rate where another has a value."""

import warnings

from .. import ops_array, ops_math
from .._tensor import convert_to_tensor
from . import backend
from ._metric_parts import _align_ranks
from .metrics import Metric


class R2Score(Metric):
    """1 - sum((t - p)^2) / sum((t - mean(t))^2), by class, then for all; with `num_regressors` adjusted to so many predictors.
    Shapes: [n, classes]."""

    def __init__(self, class_aggregation="uniform_average", num_regressors=0, name="r2_score", dtype=None):
        super().__init__(name=name, dtype=dtype)
        known = (None, "uniform_average", "variance_weighted_average")
        if class_aggregation not in known:
            raise ValueError(f"Invalid value for argument `class_aggregation`. Expected one of {known}. Received: "
                             f"class_aggregation={class_aggregation}")
        if num_regressors < 0:
            raise ValueError("Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
                             f"num_regressors={num_regressors}")
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_weight(name="num_samples")
        self._sums = None

    def _is_own(self):
        return self.class_aggregation is not None  # figures of all classes are more than a native `fit` takes

    def _build(self, shapes):
        if any(len(one) != 2 for one in shapes):
            raise ValueError("R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                             f"y_pred.shape={shapes[1]} and y_true.shape={shapes[0]}.")
        self.squared_sum, self.sum, self.total_mse, self.count = self._sums = [
            self.add_weight(name=name, shape=[shapes[1][-1]]) for name in ("squared_sum", "sum", "residual", "count")]

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = _align_ranks(ops_math.cast(y_true, "float32"), ops_math.cast(y_pred, "float32"))
        if self._sums is None:
            self._build((tuple(y_true._shape), tuple(y_pred._shape)))
        ones = ops_array.ones_like(y_true)
        weights = ones if sample_weight is None else ops_math.cast(sample_weight, "float32")
        weights = (ops_array.expand_dims(weights, 1) if weights._rank == 1 else weights) * ones
        for variable, value in zip(self._sums, (y_true * (y_true * weights), y_true * weights,
                                                ops_math.square(y_true - y_pred) * weights, weights)):
            variable.assign_add(ops_math.reduce_sum(value, axis=0))
        self.num_samples.assign_add(ops_math.reduce_sum(ones))

    def result(self):
        if self._sums is None:
            return convert_to_tensor(0.0)
        squared, total, error, count = [one.value() for one in self._sums]
        spread = squared - total * (total / count)
        scores = 1.0 - error / spread
        scores = ops_array.where(ops_math.is_inf(scores), ops_array.zeros_like(scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = ops_math.reduce_mean(scores)
        elif self.class_aggregation is not None:
            scores = ops_math.reduce_sum(spread * scores) / ops_math.reduce_sum(spread)
        return self._adjusted(scores) if self.num_regressors else scores

    def _adjusted(self, scores):
        left = self.num_samples.value() - float(self.num_regressors) - 1.0
        if not left._symbolic and left <= 0:
            what = "Division by zero in Adjusted R2 score." if left == 0 else \
                "More independent predictors than datapoints in adjusted R2 score."
            warnings.warn(f"{what} Falling back to standard R2 score.", stacklevel=3)
        adjusted = 1.0 - (1.0 - scores) * (self.num_samples.value() - 1.0) / ops_math.maximum(left, 1.0)
        return ops_array.where(left > 0.0, adjusted, scores)

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype, "class_aggregation": self.class_aggregation,
                "num_regressors": self.num_regressors}


class FBetaScore(Metric):
    """(1 + beta^2) * precision * recall / (beta^2 * precision + recall), by class. Shapes: [n, classes]."""

    def __init__(self, average=None, beta=1.0, threshold=None, name="fbeta_score", dtype=None):
        super().__init__(name=name, dtype=dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(f"Invalid `average` argument value. Expected one of: {{None, 'micro', 'macro', "
                             f"'weighted'}}. Received: average={average}")
        if not isinstance(beta, float):
            raise ValueError(f"Invalid `beta` argument value. It should be a Python float. Received: beta={beta} of type "
                             f"'{type(beta)}'")
        if beta <= 0.0:
            raise ValueError(f"Invalid `beta` argument value. It should be > 0. Received: beta={beta}")
        if threshold is not None and not isinstance(threshold, float):
            raise ValueError("Invalid `threshold` argument value. It should be a Python float. Received: "
                             f"threshold={threshold} of type '{type(threshold)}'")
        if threshold is not None and not 0 < threshold <= 1:
            raise ValueError("Invalid `threshold` argument value. It should verify 0 < threshold <= 1. Received: "
                             f"threshold={threshold}")
        self.average, self.beta, self.threshold = average, beta, threshold
        self._sums = None

    def _is_own(self):
        return self.average is not None  # figures of all classes are more than a native `fit` takes

    def _add(self, shape):
        self._sums = [self.add_weight(name=name, shape=shape, initializer="zeros") for name in (
            "true_positives", "false_positives", "false_negatives", "intermediate_weights")]

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = ops_math.cast(y_true, "float32"), ops_math.cast(y_pred, "float32")
        if self._sums is None:
            self._add([] if self.average == "micro" else [y_pred._shape[-1]])
        if self.threshold is None:
            most = ops_math.reduce_max(y_pred, axis=-1, keepdims=True)
            y_pred = ops_math.cast((y_pred >= most) & (ops_math.abs(y_pred) > 1e-9), "float32")
        else:
            y_pred = ops_math.cast(y_pred > self.threshold, "float32")
        axis = None if self.average == "micro" else 0
        weights = 1.0 if sample_weight is None else ops_array.reshape(
            ops_math.cast(sample_weight, "float32"), [-1, 1])
        for variable, value in zip(self._sums, (y_pred * y_true, y_pred * (1 - y_true), (1 - y_pred) * y_true,
                                                y_true)):
            variable.assign_add(ops_math.reduce_sum(value * weights, axis=axis))

    def result(self):
        if self._sums is None:
            return convert_to_tensor(0.0)
        positive, wrong, missed, weights = [one.value() for one in self._sums]
        little = backend.epsilon()
        precision, recall = positive / (positive + wrong + little), positive / (positive + missed + little)
        square = self.beta ** 2
        score = precision * recall / (square * precision + recall + little) * (1 + square)
        if self.average == "weighted":
            return ops_math.reduce_sum(score * (weights / (ops_math.reduce_sum(weights) + little)))
        return score if self.average is None else ops_math.reduce_mean(score)

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype, "average": self.average, "beta": self.beta, "threshold": self.threshold}


class F1Score(FBetaScore):
    """FBetaScore with beta 1."""

    def __init__(self, average=None, threshold=None, name="f1_score", dtype=None):
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self):
        config = super().get_config()
        config.pop("beta")
        return config


class _AtRate(Metric):
    """Counts at many thresholds, and the best of one rate where another fulfils a condition."""

    def __init__(self, value, num_thresholds, class_id, name, dtype):
        super().__init__(name=name or self._name, dtype=dtype)
        if not 0 <= value <= 1:
            raise ValueError(f"Argument `{self._argument}` must be in the range [0, 1]. Received: "
                             f"{self._argument}={value}")
        if num_thresholds <= 0:
            raise ValueError("Argument `num_thresholds` must be an integer > 0. Received: num_thresholds="
                             f"{num_thresholds}")
        self.value, self.num_thresholds, self.class_id = value, num_thresholds, class_id
        setattr(self, self._argument, value)
        inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        self.thresholds = [0.5] if num_thresholds == 1 else [0.0] + inner + [1.0]
        self._sums = [self.add_weight(name=kind, shape=[len(self.thresholds)], initializer="zeros")
                      for kind in ("true_positives", "true_negatives", "false_positives", "false_negatives")]

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = ops_math.cast(y_true, "float32"), ops_math.cast(y_pred, "float32")
        if self.class_id is not None:
            y_true, y_pred = y_true[..., self.class_id], y_pred[..., self.class_id]
        y_true, y_pred = ops_array.reshape(y_true, [1, -1]), ops_array.reshape(y_pred, [1, -1])
        limits = ops_array.reshape(convert_to_tensor(self.thresholds, dtype="float32"), [-1, 1])
        above, truth = ops_math.cast(y_pred > limits, "float32"), ops_math.cast(y_true > 0.5, "float32")
        weights = 1.0 if sample_weight is None else ops_array.reshape(
            ops_math.cast(sample_weight, "float32"), [1, -1])
        for variable, value in zip(self._sums, (above * truth, (1 - above) * (1 - truth), above * (1 - truth),
                                                (1 - above) * truth)):
            variable.assign_add(ops_math.reduce_sum(value * weights, axis=1))

    def _best(self, kept, values):
        return ops_math.reduce_max(ops_array.where(kept >= self.value, values, ops_array.zeros_like(values)))

    def _rates(self):
        tp, tn, fp, fn = [one.value() for one in self._sums]
        divide = ops_math.divide_no_nan
        return divide(tp, tp + fp), divide(tp, tp + fn), divide(tn, tn + fp)

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype, "class_id": self.class_id, "num_thresholds": self.num_thresholds,
                self._argument: self.value}


class PrecisionAtRecall(_AtRate):
    """The best precision where recall has at least a value."""
    _name, _argument = "precision_at_recall", "recall"

    def __init__(self, recall, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(recall, num_thresholds, class_id, name, dtype)

    def result(self):
        precision, recall, _ = self._rates()
        return self._best(recall, precision)


class RecallAtPrecision(_AtRate):
    """The best recall where precision has at least a value."""
    _name, _argument = "recall_at_precision", "precision"

    def __init__(self, precision, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(precision, num_thresholds, class_id, name, dtype)

    def result(self):
        precision, recall, _ = self._rates()
        return self._best(precision, recall)


class SensitivityAtSpecificity(_AtRate):
    """The best sensitivity where specificity has at least a value."""
    _name, _argument = "sensitivity_at_specificity", "specificity"

    def __init__(self, specificity, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(specificity, num_thresholds, class_id, name, dtype)

    def result(self):
        _, sensitivity, specificity = self._rates()
        return self._best(specificity, sensitivity)


class SpecificityAtSensitivity(_AtRate):
    """The best specificity where sensitivity has at least a value."""
    _name, _argument = "specificity_at_sensitivity", "sensitivity"

    def __init__(self, sensitivity, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)

    def result(self):
        _, sensitivity, specificity = self._rates()
        return self._best(sensitivity, specificity)


class _Confusion(Metric):
    """Counts of (true class, predicted class)."""

    def __init__(self, num_classes, name=None, dtype=None, ignore_class=None, sparse_y_true=True, sparse_y_pred=True,
                 axis=-1):
        super().__init__(name=name, dtype=dtype or "int64")
        self.num_classes, self.ignore_class = num_classes, ignore_class
        self.sparse_y_true, self.sparse_y_pred, self.axis = sparse_y_true, sparse_y_pred, axis
        self.total_cm = self.add_weight(name="total_confusion_matrix", shape=(num_classes, num_classes), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds examples. Raises: ValueError for a class that is none."""
        y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        y_true = y_true if self.sparse_y_true else ops_math.argmax(y_true, axis=self.axis)
        y_pred = y_pred if self.sparse_y_pred else ops_math.argmax(y_pred, axis=self.axis)
        y_true, y_pred = (ops_array.reshape(ops_math.cast(one, "int32"), [-1]) for one in (y_true, y_pred))
        weights = ops_array.ones_like(ops_math.cast(y_true, "float32"))
        if sample_weight is not None:
            weights = weights * ops_array.reshape(ops_math.cast(sample_weight, "float32"), [-1])
        if self.ignore_class is not None:
            kept = y_true != self.ignore_class
            weights = weights * ops_math.cast(kept, "float32")
            y_true = ops_array.where(kept, y_true, ops_array.zeros_like(y_true))
            y_pred = ops_array.where(kept, y_pred, ops_array.zeros_like(y_pred))
        rows = ops_array.one_hot(y_true, self.num_classes) * ops_array.expand_dims(weights, 1)
        columns = ops_array.one_hot(y_pred, self.num_classes)
        self.total_cm.assign_add(ops_math.matmul(rows, columns, transpose_a=True))

    def _shares(self):
        """(intersection over union, whether a class was seen) of each class"""
        counts = self.total_cm.value()
        true = ops_math.reduce_sum(counts, axis=1)
        guessed = ops_math.reduce_sum(counts, axis=0)
        right = ops_math.reduce_sum(counts * ops_array.eye(self.num_classes), axis=1)
        union = true + guessed - right
        return ops_math.divide_no_nan(right, union), union > 0


class IoU(_Confusion):
    """The mean of intersection over union of some classes."""

    def __init__(self, num_classes, target_class_ids, name=None, dtype=None, ignore_class=None, sparse_y_true=True,
                 sparse_y_pred=True, axis=-1):
        super().__init__(num_classes, name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)
        if max(target_class_ids) >= num_classes:
            raise ValueError(f"Target class id {max(target_class_ids)} is out of range, which is [0, {num_classes}).")
        self.target_class_ids = list(target_class_ids)

    def result(self):
        shares, seen = self._shares()
        shares = ops_array.gather(shares, self.target_class_ids)
        seen = ops_array.gather(ops_math.cast(seen, "float32"), self.target_class_ids)
        return ops_math.divide_no_nan(ops_math.reduce_sum(shares * seen), ops_math.reduce_sum(seen))

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype, "num_classes": self.num_classes,
                "target_class_ids": self.target_class_ids, "ignore_class": self.ignore_class,
                "sparse_y_true": self.sparse_y_true, "sparse_y_pred": self.sparse_y_pred, "axis": self.axis}


class BinaryIoU(IoU):
    """IoU of two classes that a threshold tells apart."""

    def __init__(self, target_class_ids=(0, 1), threshold=0.5, name=None, dtype=None):
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = ops_math.cast(y_pred, "float32")
        super().update_state(y_true, ops_math.cast(y_pred >= self.threshold, "int32"), sample_weight)

    def get_config(self):
        return {"target_class_ids": self.target_class_ids, "threshold": self.threshold, "name": self.name, "dtype": self.dtype}


class OneHotIoU(IoU):
    """IoU of classes given as one-hot rows."""

    def __init__(self, num_classes, target_class_ids, name=None, dtype=None, ignore_class=None, sparse_y_pred=False, axis=-1):
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self):
        return {"num_classes": self.num_classes, "target_class_ids": self.target_class_ids, "name": self.name,
                "dtype": self.dtype, "ignore_class": self.ignore_class, "sparse_y_pred": self.sparse_y_pred, "axis": self.axis}


class OneHotMeanIoU(OneHotIoU):
    """The mean of intersection over union of all classes, given as one-hot rows."""

    def __init__(self, num_classes, name=None, dtype=None, ignore_class=None, sparse_y_pred=False, axis=-1):
        super().__init__(num_classes, range(num_classes), name, dtype, ignore_class, sparse_y_pred, axis)

    def get_config(self):
        config = super().get_config()
        config.pop("target_class_ids")
        return config
