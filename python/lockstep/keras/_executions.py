"""Several batches as one execution (`compile(steps_per_execution=n)`), which is what callbacks hear of."""


def execution_size(model):
    """How many batches an execution has."""
    size = getattr(model, "steps_per_execution", 1)
    return size if isinstance(size, int) and size > 1 else 1


def whole_executions(model, steps):
    """The batches of so many steps, or None: executions are carried out as wholes, as in Keras."""
    size = execution_size(model)
    return None if steps is None else -(-steps // size) * size


class Executions:
    """Tells of the first batch of an execution as its begin, and of the last as its end, under the number that it has in a
    whole one, also where the data end before.

    Args: begin(batch), end(batch, source): what is told, where `source()` gives the logs; listens(): whether anybody hears the
    end."""

    def __init__(self, model, begin, end, listens):
        self._size = execution_size(model)
        self._begin, self._end, self._listens = begin, end, listens
        self._open = None  # (number, logs) of an execution that has begun

    def begin(self, batch):
        if batch % self._size == 0:
            self._begin(batch)

    def end(self, batch, source):
        if not self._listens():
            return
        last = batch - batch % self._size + self._size - 1
        if batch == last:
            self._open = None
            self._end(last, source)
        else:
            self._open = last, source()

    def finish(self):
        """No batch comes any more: ends an execution that is not whole."""
        if self._open is not None:
            (last, logs), self._open = self._open, None
            self._end(last, lambda: logs)
