"""Event files for TensorBoard: `tf.summary`."""

import contextlib
import threading

from . import _native
from ._tensor import convert_to_tensor

_local = threading.local()
_step = [None]


class SummaryWriter:
    """Writes the events of a run to a file of their own in `logdir`."""

    def __init__(self, logdir, max_queue=10, flush_millis=120000, filename_suffix=".v2"):
        self._native = _native.FileWriter(str(logdir), max_queue, flush_millis / 1000, filename_suffix)

    @contextlib.contextmanager
    def as_default(self, step=None):
        """A context in which summaries go to this writer."""
        outer = getattr(_local, "writer", None)
        before = _step[0]
        _local.writer = self
        if step is not None:
            _step[0] = step
        try:
            yield self
        finally:
            _local.writer = outer
            if step is not None:
                _step[0] = before
            self._native.flush()

    def set_as_default(self, step=None):
        _local.writer = self
        if step is not None:
            _step[0] = step

    def flush(self):
        self._native.flush()

    def close(self):
        self._native.close()


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None,
                       experimental_trackable=False):
    """A writer for a directory, which is made."""
    return SummaryWriter(logdir, max_queue or 10, flush_millis or 120000, filename_suffix or ".v2")


def _write(step, write, data):
    writer = getattr(_local, "writer", None)
    if writer is None:
        return False
    step = _step[0] if step is None else step
    if step is None:
        raise ValueError("No step set. Please specify one either through the `step` argument or through "
                         "tf.summary.experimental.set_step()")

    def call(tensors):
        write(writer._native, tensors[0], int(tensors[1]._item()))
        return []
    tensors = [convert_to_tensor(data), convert_to_tensor(step)]
    if _native.is_tracing():
        _native.host_call(call, tensors, [], [])
    else:
        call(tensors)
    return True


def scalar(name, data, step=None, description=None):
    """A number; whether there was a writer."""
    return _write(step, lambda w, value, at: w.scalar(name, value, at), data)


def histogram(name, data, step=None, buckets=None, description=None):
    """How the elements of a tensor are distributed."""
    return _write(step, lambda w, value, at: w.histogram(name, value, at, buckets or 30), data)


def image(name, data, step=None, max_outputs=3, description=None):
    """Images [k, h, w, c]."""
    return _write(step, lambda w, value, at: w.image(name, value, at, max_outputs), data)


def text(name, data, step=None, description=None):
    """Markdown."""
    return _write(step, lambda w, value, at: w.text(name, value, at), data)


class experimental:
    @staticmethod
    def set_step(step):
        _step[0] = step

    @staticmethod
    def get_step():
        return _step[0]


def flush(writer=None, name=None):
    (writer or _local.writer).flush()


def should_record_summaries():
    return getattr(_local, "writer", None) is not None
