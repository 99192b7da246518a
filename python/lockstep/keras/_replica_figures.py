"""Which figures of a step are results of metrics.

A replica's `train_step` returns figures by name. Over several replicas a figure that is `metric.result()` becomes the result
of that metric over all replicas; every other figure, also one that has the name of a metric, becomes the mean over the
replicas of what they returned. `Results` records the tensors that metrics give while a replica carries out its step."""

import functools
import threading

_local = threading.local()


def noting_result(result):
    """The method `result` of a metric, which records the tensors that it gives."""
    @functools.wraps(result)
    def run(self, *args, **kwargs):
        value = result(self, *args, **kwargs)
        for results in getattr(_local, "open", ()):
            results.note(self, value)
        return value
    return run


class Results:
    """A context that records results of metrics on this thread."""

    def __init__(self):
        self._noted = []  # (metric, name in a dict or None, tensor)

    def __enter__(self):
        _local.open = [*getattr(_local, "open", ()), self]
        return self

    def __exit__(self, *_):
        _local.open = _local.open[:-1]

    def note(self, metric, value):
        if isinstance(value, dict):
            self._noted.extend((metric, name, one) for name, one in value.items())
        else:
            self._noted.append((metric, None, value))

    def sources(self, outputs):
        """{name of a figure: (metric, name in its dict or None)} of the figures that are results."""
        made = {}
        for name, value in _by_name(outputs):
            for metric, key, one in self._noted:
                if one is value:
                    made[name] = metric, key  # the outermost metric that gave it comes last
        return made


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
