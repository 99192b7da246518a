"""The metrics that were given to `compile`, as the one entry that Keras has for them among a model's metrics."""

import weakref

from .metrics import Metric


class CompileMetrics(Metric):
    """All compiled metrics of a model: updated together, each by the output that it is of; `result` is a dict."""

    def __init__(self, model):
        super().__init__(name="compile_metrics")
        self._model = weakref.ref(model)

    @property
    def metrics(self):
        model = self._model()
        return model._plain_metrics + model._weighted_metrics

    @property
    def variables(self):
        return [one for metric in self.metrics for one in metric.variables]

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Shapes: labels, predictions and weights in the structure of the model's outputs."""
        self._model()._update_compiled_metrics(y_true, y_pred, sample_weight)

    def result(self):
        return {one.name: one.result() for one in self.metrics}

    def reset_state(self):
        for one in self.metrics:
            one.reset_state()


def figures_of(metrics):
    """{name: figure} of metrics, of which some give several."""
    made = {}
    for one in metrics:
        value = one.result()
        made.update(value if isinstance(value, dict) else {one.name: value})
    return made


def each_of(metrics):
    """The metrics with the compiled ones one by one."""
    return [inner for one in metrics for inner in (one.metrics if isinstance(one, CompileMetrics) else [one])]
