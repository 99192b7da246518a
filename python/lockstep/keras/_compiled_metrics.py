"""The metrics that were given to `compile`, as the one entry that Keras has for them among a model's metrics."""

import typing
import warnings
import weakref

from .. import nest
from . import metrics as metrics_module
from .metrics import Metric


class Compiled(typing.NamedTuple):
    """A metric that was given to `compile`: of the output `key`, or of whichever there is where that is None."""

    metric: Metric
    key: object = None
    prefix: str = ""  # of what its figure is called

    @property
    def name(self):
        return self.prefix + self.metric.name


def compiled(metrics, outputs):
    """[Compiled] of what `compile` was given for a model whose outputs have these names."""
    if metrics is None:
        return []
    if isinstance(metrics, (list, tuple)) and len(outputs) > 1 and len(metrics) == len(outputs) and any(
            isinstance(one, (list, tuple)) for one in metrics):
        metrics = dict(zip(outputs, metrics))
    if not isinstance(metrics, dict):
        return [Compiled(metrics_module.get(one)) for one in _listed(metrics) if one is not None]
    keys = outputs if all(key in outputs for key in metrics) else metrics
    return [Compiled(metrics_module.get(one), key, f"{key}_" if len(outputs) > 1 else "")
            for key in keys if metrics.get(key) is not None for one in _listed(metrics[key])]


def named_by_outputs(made, outputs):
    """The same metrics, with figures that begin with the names of outputs, which are known only now, where there are several."""
    if len(nest.flatten(outputs)) < 2:
        return made
    return [one._replace(prefix=f"{one.key}_") if one.key in outputs and not one.prefix else one for one in made]


def _listed(metrics):
    return nest.flatten(metrics) if isinstance(metrics, (list, tuple)) else [metrics]


def figure_names(plain, weighted):
    """What the figures of both are called: a name that another has, too, gets a number, and a weighted metric's before that
    a weighted_."""
    taken, names = {}, []

    def take(name):
        count = taken[name] = taken.get(name, 0) + 1
        names.append(f"{name}_{count - 1}" if count > 1 else name)
    for one in plain:
        take(one.name)
    for one in weighted:
        take(f"{one.prefix}weighted_{one.metric.name}" if one.name in taken else one.name)
    return names


class CompileMetrics(Metric):
    """All compiled metrics of a model: updated together, each by the output that it is of; `result` is a dict."""

    def __init__(self, model):
        super().__init__(name="compile_metrics")
        self._model = weakref.ref(model)

    @property
    def metrics(self):
        model = self._model()
        return [one.metric for one in model._plain_metrics + model._weighted_metrics]

    @property
    def by_name(self):
        """{name of the figure: metric}"""
        model = self._model()
        return dict(zip(figure_names(model._plain_metrics, model._weighted_metrics), self.metrics))

    @property
    def variables(self):
        return [one for metric in self.metrics for one in metric.variables]

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Shapes: labels, predictions and weights in the structure of the model's outputs."""
        self._model()._update_compiled_metrics(y_true, y_pred, sample_weight)

    def result(self):
        return {name: one.result() for name, one in self.by_name.items()}

    def reset_state(self):
        for one in self.metrics:
            one.reset_state()


class OlderMetrics:
    """A model's metrics, as steps written for older versions update them; as in Keras, a mean is updated by the predictions."""

    def __init__(self, model):
        self._model = model

    def update_state(self, y, y_pred, sample_weight=None):
        warnings.warn("`model.compiled_metrics()` is deprecated. Instead, use e.g.:\n```\nfor metric in self.metrics:\n"
                      "    metric.update_state(y, y_pred)\n```\n", stacklevel=2)
        for one in self._model.metrics:
            given = (y_pred,) if isinstance(one, metrics_module.Mean) else (y, y_pred)
            one.update_state(*given, sample_weight=sample_weight)


def figures_of(metrics):
    """{name: figure} of metrics, of which some give several."""
    made = {}
    for one in metrics:
        value = one.result()
        made.update(value if isinstance(value, dict) else {one.name: value})
    return made


def by_figure(metrics):
    """{name of the figure: metric} with the compiled ones one by one."""
    made = {}
    for one in metrics:
        made.update(one.by_name if isinstance(one, CompileMetrics) else {one.name: one})
    return made


def each_of(metrics):
    """The metrics with the compiled ones one by one."""
    return [inner for one in metrics for inner in (one.metrics if isinstance(one, CompileMetrics) else [one])]
