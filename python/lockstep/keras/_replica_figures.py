"""Which figures of a step are results of metrics.

A replica's `train_step` returns figures by name. Over several replicas a figure that is `metric.result()` becomes the result
of that metric over all replicas; every other figure, also one that has the name of a metric, becomes the mean over the
replicas of what they returned. At the end of an epoch, as in Keras, the model's metrics are reported where they have just the
names of the returned figures; but only if the step updates them all, as a metric that nothing updates would report 0.

`StepRecord` records which metrics are updated and what they give while a replica carries out a step."""

import functools
import threading

_local = threading.local()


def noting(name, method):
    """The method `result` or `update_state` of a metric, which records that it was called."""
    @functools.wraps(method)
    def run(self, *args, **kwargs):
        value = method(self, *args, **kwargs)
        for record in getattr(_local, "open", ()):
            record.note(name, self, value)
        return value
    return run


class StepRecord:
    """A context that records calls of metrics on this thread. One record serves all calls of a step."""

    def __init__(self):
        self.sources = {}  # by name of a figure that is a result: (metric, name in its dict or None)
        self.updated = []
        self._results = threading.local()

    def __enter__(self):
        self._results.noted = []
        _local.open = [*getattr(_local, "open", ()), self]
        return self

    def __exit__(self, *_):
        _local.open = _local.open[:-1]
        self._results.noted = []

    def note(self, name, metric, value):
        if name == "update_state":
            if all(one is not metric for one in self.updated):
                self.updated.append(metric)
        elif isinstance(value, dict):
            self._results.noted.extend((metric, key, one) for key, one in value.items())
        else:
            self._results.noted.append((metric, None, value))

    def name_results(self, outputs):
        """Finds the results among the figures that a step returned."""
        for name, value in _by_name(outputs):
            for metric, key, one in self._results.noted:  # the outermost metric that gave it comes last
                if one is value:
                    self.sources[name] = metric, key

    def updates(self, metrics):
        """Whether the step updates all of these metrics."""
        return all(any(one is other for other in self.updated) for one in metrics)


def _by_name(outputs):
    for name, value in outputs.items() if isinstance(outputs, dict) else ():
        if isinstance(value, dict):
            yield from _by_name(value)
        else:
            yield name, value


def result_now(source):
    """The result of a metric that `sources` has named."""
    metric, key = source
    value = metric.result()
    return value if key is None else value[key]
