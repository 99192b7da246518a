"""Metrics whose sums are tensors of ours: F-scores, and one rate where another has a value."""

from .. import ops_array, ops_math
from .._tensor import convert_to_tensor
from .metrics import Metric


class FBetaScore(Metric):
    """(1 + beta^2) * precision * recall / (beta^2 * precision + recall), by class. Shapes: [n, classes]."""

    def __init__(self, average=None, beta=1.0, threshold=None, name="fbeta_score", dtype=None):
        super().__init__(name=name, dtype=dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(f"Invalid `average` argument value. Expected one of: (None, 'micro', 'macro', "
                             f"'weighted'). Received: average={average}")
        self.average, self.beta, self.threshold = average, beta, threshold
        self._sums = None

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
        precision = ops_math.divide_no_nan(positive, positive + wrong)
        recall = ops_math.divide_no_nan(positive, positive + missed)
        square = self.beta ** 2
        score = ops_math.divide_no_nan((1 + square) * precision * recall, square * precision + recall)
        if self.average == "weighted":
            return ops_math.reduce_sum(score * ops_math.divide_no_nan(weights, ops_math.reduce_sum(weights)))
        return score if self.average is None else ops_math.reduce_mean(score)


class F1Score(FBetaScore):
    """FBetaScore with beta 1."""

    def __init__(self, average=None, threshold=None, name="f1_score", dtype=None):
        super().__init__(average, 1.0, threshold, name, dtype)


class _AtRate(Metric):
    """Counts at many thresholds, and the best of one rate where another fulfils a condition."""

    def __init__(self, value, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(name=name or self._name, dtype=dtype)
        if not 0 <= value <= 1:
            raise ValueError(f"Argument `{self._argument}` must be in the range [0, 1]. Received: "
                             f"{self._argument}={value}")
        if num_thresholds <= 0:
            raise ValueError("Argument `num_thresholds` must be an integer > 0. Received: num_thresholds="
                             f"{num_thresholds}")
        self.value, self.class_id = value, class_id
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


class PrecisionAtRecall(_AtRate):
    """The best precision where recall has at least a value."""
    _name, _argument = "precision_at_recall", "recall"

    def result(self):
        precision, recall, _ = self._rates()
        return self._best(recall, precision)


class RecallAtPrecision(_AtRate):
    """The best recall where precision has at least a value."""
    _name, _argument = "recall_at_precision", "precision"

    def result(self):
        precision, recall, _ = self._rates()
        return self._best(precision, recall)


class SensitivityAtSpecificity(_AtRate):
    """The best sensitivity where specificity has at least a value."""
    _name, _argument = "sensitivity_at_specificity", "specificity"

    def result(self):
        _, sensitivity, specificity = self._rates()
        return self._best(specificity, sensitivity)


class SpecificityAtSensitivity(_AtRate):
    """The best specificity where sensitivity has at least a value."""
    _name, _argument = "specificity_at_sensitivity", "sensitivity"

    def result(self):
        _, sensitivity, specificity = self._rates()
        return self._best(sensitivity, specificity)
