"""How labels and predictions go together, as functions and metrics."""

from .. import ops_math
from .._tensor import convert_to_tensor
from . import backend
from .metrics import MeanMetricWrapper


def _moments(y_true, y_pred, axis):
    """[(mean, what is apart from it, variance)] of both along an axis."""
    axis = list(axis) if isinstance(axis, tuple) else axis
    y_pred = convert_to_tensor(y_pred)
    y_pred = y_pred if y_pred.dtype.is_floating else ops_math.cast(y_pred, backend.floatx())
    made = []
    for one in (ops_math.cast(y_true, y_pred.dtype), y_pred):
        mean = ops_math.reduce_mean(one, axis, True)
        apart = one - mean
        made.append((mean, apart, ops_math.reduce_mean(ops_math.square(apart), axis, True)))
    return made, axis


def pearson_correlation(y_true, y_pred, axis=-1):
    """The correlation along an axis, from -1 to 1; NaN where one of both is the same everywhere."""
    ((_, first, spread), (_, second, other)), axis = _moments(y_true, y_pred, axis)
    return ops_math.reduce_mean((first / ops_math.sqrt(spread)) * (second / ops_math.sqrt(other)), axis)


def concordance_correlation(y_true, y_pred, axis=-1):
    """The correlation along an axis, less for other means and variances: 1 where both are equal."""
    ((mean, first, spread), (other_mean, second, other)), axis = _moments(y_true, y_pred, axis)
    together = ops_math.reduce_mean(first * second, axis, True)
    apart = spread + other + ops_math.square(mean - other_mean) + backend.epsilon()
    return ops_math.reduce_mean(2.0 * together / apart, axis)


class _OfFunction(MeanMetricWrapper):
    """The mean of a function of (y_true, y_pred, axis)."""

    _function = None

    def __init__(self, name=None, dtype=None, axis=-1):
        super().__init__(type(self)._function, name, dtype, axis=axis)
        self.axis = axis

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype, "axis": self.axis}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class PearsonCorrelation(_OfFunction):
    """The mean of `pearson_correlation`."""

    _function = staticmethod(pearson_correlation)

    def __init__(self, name="pearson_correlation", dtype=None, axis=-1):
        super().__init__(name, dtype, axis)


class ConcordanceCorrelation(_OfFunction):
    """The mean of `concordance_correlation`."""

    _function = staticmethod(concordance_correlation)

    def __init__(self, name="concordance_correlation", dtype=None, axis=-1):
        super().__init__(name, dtype, axis)
