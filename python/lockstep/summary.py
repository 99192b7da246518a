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


class _Nobody:
    """A writer that drops everything."""

    @contextlib.contextmanager
    def as_default(self, step=None):
        outer = getattr(_local, "writer", None)
        _local.writer = None
        try:
            yield self
        finally:
            _local.writer = outer

    def set_as_default(self, step=None):
        _local.writer = None

    def flush(self):
        pass

    close = init = flush


def create_noop_writer():
    """A writer that drops everything."""
    return _Nobody()


@contextlib.contextmanager
def record_if(condition):
    """A context in which summaries are written where `condition` holds: a bool, a tensor, or a function of
    nothing that gives one and is asked at each summary."""
    outer = getattr(_local, "condition", None)
    _local.condition = condition
    try:
        yield
    finally:
        _local.condition = outer


def should_record_summaries():
    """Whether there is a writer and `record_if` holds."""
    if getattr(_local, "writer", None) is None:
        return convert_to_tensor(False)
    condition = getattr(_local, "condition", None)
    return convert_to_tensor(True if condition is None else condition() if callable(condition) else condition)


def _write(step, write, data):
    """Writes where `should_record_summaries`; whether it did, as a tensor. Raises: ValueError without a step."""
    writer = getattr(_local, "writer", None)
    if writer is None:
        return convert_to_tensor(False)
    step = _step[0] if step is None else step
    if step is None:
        raise ValueError("No step set. Please specify one either through the `step` argument or through "
                         "tf.summary.experimental.set_step()")

    records = should_record_summaries()

    def call(tensors):
        if bool(tensors[2]._item()):
            write(writer._native, tensors[0], int(tensors[1]._item()))
        return []
    tensors = [convert_to_tensor(data), convert_to_tensor(step), records]
    if _native.is_tracing():
        _native.host_call(call, tensors, [], [])
    else:
        call(tensors)
    return records


def _scoped(name):
    """The tag: the scopes of names that are open, and the name."""
    from ._function import name_scope_prefix
    return name_scope_prefix() + name


def scalar(name, data, step=None, description=None):
    """A number; whether there was a writer."""
    return _write(step, lambda w, value, at, name=_scoped(name): w.scalar(
        name, value, at), data)


def histogram(name, data, step=None, buckets=None, description=None):
    """How the elements of a tensor are distributed."""
    return _write(step, lambda w, value, at, name=_scoped(name): w.histogram(
        name, value, at, buckets or 30), data)


def image(name, data, step=None, max_outputs=3, description=None):
    """Images [k, h, w, c]."""
    return _write(step, lambda w, value, at, name=_scoped(name): w.image(
        name, value, at, max_outputs), data)


def text(name, data, step=None, description=None):
    """Markdown."""
    return _write(step, lambda w, value, at, name=_scoped(name): w.text(
        name, value, at), data)


def write(tag, tensor, step=None, metadata=None, name=None):
    """A tensor, kept as text in TensorBoard's plain form."""
    return _write(step, lambda w, value, at, tag=_scoped(tag): w.text(
        tag, convert_to_tensor(str(value.numpy().tolist())), at), tensor)


class experimental:
    @staticmethod
    def set_step(step):
        _step[0] = step

    @staticmethod
    def get_step():
        return _step[0]


def flush(writer=None, name=None):
    """Writes out what is held back."""
    writer = writer or getattr(_local, "writer", None)
    if writer is not None:
        writer.flush()
