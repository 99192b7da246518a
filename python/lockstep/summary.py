"""Event files for TensorBoard: `tf.summary`."""

import contextlib
import re
import threading

from . import _native
from ._summary_values import audio_bytes, metadata_of, summary_bytes, with_description
from ._tensor import convert_to_tensor

_local = threading.local()
_step = [None]


class SummaryWriter:
    """Writes the events of a run to a file of their own in `logdir`."""

    def __init__(self, logdir, max_queue=10, flush_millis=120000, filename_suffix=".v2"):
        self._native = _native.FileWriter(str(logdir), max_queue, flush_millis / 1000, filename_suffix)
        self._closed = False

    def _require_open(self):
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def init(self):
        """Does nothing: the file is there. Raises: RuntimeError for a closed writer."""
        self._require_open()

    @contextlib.contextmanager
    def as_default(self, step=None):
        """A context in which summaries go to this writer."""
        self._require_open()
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
            self.flush()

    def set_as_default(self, step=None):
        self._require_open()
        _local.writer = self
        if step is not None:
            _step[0] = step

    def flush(self):
        if not self._closed:
            self._native.flush()

    def close(self):
        """Closes the file; a second time it does nothing."""
        self._closed = True
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
    data = data() if callable(data) else data
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


def _described(plugin, description):
    """What writes a tensor as it is, for a plugin of TensorBoard."""
    return lambda w, value, at, name: w.summary(summary_bytes(name, value, metadata_of(plugin, description)), at)


def scalar(name, data, step=None, description=None):
    """A number; whether there was a writer. Raises: ValueError for another shape."""
    def put(w, value, at, name=_scoped(name)):
        if description:
            _described("scalars", description)(w, cast(value, "float32"), at, name)
        else:
            w.scalar(name, value, at)
    from .ops_math import cast
    if getattr(_local, "writer", None) is not None:
        data = convert_to_tensor(data() if callable(data) else data)
        if data.shape.rank:
            raise ValueError(f"Expected scalar shape, saw shape: {data.shape}.")
    return _write(step, put, data)


def histogram(name, data, step=None, buckets=None, description=None):
    """How the elements of a tensor are distributed."""
    def put(w, value, at, name=_scoped(name)):
        if description:
            w.summary(with_description(_native.summary_histogram(name, value, buckets or 30), description), at)
        else:
            w.histogram(name, value, at, buckets or 30)
    return _write(step, put, data)


def _of_rank(data, rank):
    """The tensor that `data` is or gives, if anybody writes. Raises: ValueError for another number of axes."""
    if getattr(_local, "writer", None) is None:
        return data
    data = convert_to_tensor(data() if callable(data) else data)
    if data.shape.rank not in (None, rank):
        raise ValueError(f"Tensor must have rank {rank}.  Received rank {data.shape.rank}, shape {data.shape}")
    return data


def image(name, data, step=None, max_outputs=3, description=None):
    """Images [k, h, w, c]. Raises: ValueError for another number of axes."""
    def put(w, value, at, name=_scoped(name)):
        if description:
            w.summary(with_description(_native.summary_image(name, value, max_outputs), description), at)
        else:
            w.image(name, value, at, max_outputs)
    return _write(step, put, _of_rank(data, 4))


def audio(name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None):
    """The first `max_outputs` clips of [k, t, c], samples between -1 and 1, as WAV.

    Raises: ValueError for other encodings, and another number of axes."""
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    data = _of_rank(data, 3)
    return _write(step, lambda w, value, at, name=_scoped(name): w.summary(
        audio_bytes(name, value.numpy(), int(sample_rate), max_outputs, description), at), data)


def text(name, data, step=None, description=None):
    """Markdown. Raises: TypeError for others than strings."""
    if getattr(_local, "writer", None) is not None:
        data = convert_to_tensor(data() if callable(data) else data)
        if data.dtype != "string":
            raise TypeError(f"tensor must be of type tf.string; got tf.{data.dtype.name}")

    def put(w, value, at, name=_scoped(name)):
        if description:
            _described("text", description)(w, value, at, name)
        else:
            w.text(name, value, at)
    return _write(step, put, data)


def write(tag, tensor, step=None, metadata=None, name=None):
    """A tensor as it is, or what a function of nothing gives, under a tag that no scope changes."""
    return _write(step, lambda w, value, at: w.summary(summary_bytes(tag, value, metadata), at), tensor)


def graph(graph_data):
    """A `tf.Graph` or a GraphDef, for TensorBoard's page of graphs, at step 0; whether there was a writer."""
    writer = getattr(_local, "writer", None)
    if not hasattr(graph_data, "as_graph_def") and not hasattr(graph_data, "SerializeToString"):
        raise ValueError("Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
                        f"graph_data={graph_data!r} of type {type(graph_data).__name__}.")
    if writer is not None and bool(should_record_summaries()):
        found = graph_data.as_graph_def() if hasattr(graph_data, "as_graph_def") else graph_data
        writer._native.graph(found.SerializeToString(), 0)
        return convert_to_tensor(True)
    return convert_to_tensor(False)


class experimental:
    @staticmethod
    def set_step(step):
        _step[0] = step

    @staticmethod
    def get_step():
        return _step[0]

    @staticmethod
    @contextlib.contextmanager
    def summary_scope(name, default_name="summary", values=None):
        """A scope of names for one summary: its tag, and the scope of its ops."""
        from ._function import name_scope
        name = name or default_name
        tag = _scoped(name)
        with name_scope(re.sub(r"[^-_/.A-Za-z0-9]", "", name) or default_name) as scope:
            yield tag, scope


def flush(writer=None, name=None):
    """Writes out what is held back."""
    writer = writer or getattr(_local, "writer", None)
    if writer is not None:
        writer.flush()


def trace_on(graph=True, profiler=False, profiler_outdir=None):
    """From now on the graphs of the traced functions that this process runs are kept for `trace_export`; with `profiler` a profile
    is recorded, too. A second time it begins anew."""
    from . import _graph_traces
    _graph_traces.start(graph, profiler, profiler_outdir)


def trace_off():
    """Ends what `trace_on` began, and drops it."""
    from . import _graph_traces
    _graph_traces.stop()


def trace_export(name, step=None, profiler_outdir=None):
    """Writes what was kept since `trace_on` for TensorBoard's page of graphs, under the tag `name`, and ends it.

    Raises: ValueError without `trace_on`, and without a step; RuntimeError while a function is traced."""
    from . import _graph_traces
    if _native.is_tracing():
        raise RuntimeError("Cannot export trace inside a tf.function.")
    if _graph_traces.keeps_graphs():
        write(name, lambda: _graph_traces.run_metadata(), step, _graph_traces.metadata())
    _graph_traces.stop()
