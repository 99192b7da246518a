"""Whether a monitored figure is better when it is lower or when it is higher."""

import warnings

from . import _compiled_metrics

_UP = {"Accuracy", "AccuracyByShape", "AUC", "BinaryAccuracy", "CategoricalAccuracy", "ConcordanceCorrelation", "CosineSimilarity",
       "FBetaScore", "IoU", "MeanIoU", "PearsonCorrelation", "Precision", "PrecisionAtRecall", "R2Score", "Recall", "RecallAtPrecision",
       "SensitivityAtSpecificity", "SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy", "SpecificityAtSensitivity",
       "TopKCategoricalAccuracy"}
_DOWN = {"BinaryCrossentropy", "CategoricalCrossentropy", "CategoricalHinge", "Hinge", "KLDivergence", "LogCoshError",
         "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError", "Poisson",
         "RootMeanSquaredError", "SparseCategoricalCrossentropy", "SquaredHinge"}


def known_mode(callback, mode):
    """"min", "max" or "auto", with a warning for another mode, which counts as "auto"."""
    if mode in ("auto", "min", "max"):
        return mode
    warnings.warn(f"{type(callback).__name__} mode '{mode}' is unknown, fallback to auto mode.", stacklevel=3)
    return "auto"


def _direction(metric):
    """"min" or "max" for metrics of the package, and means of its losses; None for others, as in Keras."""
    from . import losses
    names = {one.__name__ for one in type(metric).__mro__ if one.__module__.startswith(__package__)}
    function = getattr(metric, "_fn", None)
    if names & _UP:
        return "max"
    if names & _DOWN or function is not None and getattr(losses, getattr(function, "__name__", ""), None) is function:
        return "min"
    return None


def is_lower_better(callback):
    """Whether lower values of `callback.monitor` are better, by `callback.mode` or by the metric of that name.

    Raises: ValueError for a figure that is neither the loss nor a metric of which this is known."""
    mode = callback.mode
    if mode == "auto":
        name = callback.monitor.removeprefix("val_")
        metric = _compiled_metrics.by_figure(getattr(callback.model, "metrics", None) or []).get(name)
        mode = _direction(metric) or ("min" if name == "loss" else None)
    if mode is None:
        raise ValueError(f"{type(callback).__name__} callback received monitor={callback.monitor}, but Keras isn't able to "
                         "automatically determine whether that metric should be maximized or minimized. Pass `mode='max'` in "
                         "order to monitor based on the highest metric value, or pass `mode='min'` in order to use the lowest "
                         "value.")
    return mode == "min"
