"""Summaries as ops of a graph: `tf.compat.v1.summary`."""

import functools
import re
import sys
import threading

import numpy

from ... import _native
from ..._function import name_scope, variable_prefix
from ..._messages import Message
from ..._tensor import convert_to_tensor, named
from ._graphs import get_default_graph

_KEY = "summaries"


def _tag(name, family):
    """The name in the open scopes, numbered where an op of the graph has it, below the family, which comes first; and the
    op's name."""
    if family is not None:
        tag, op = _tag(f"{family}/{name}", None)
        return f"{family}/{tag}", op
    if not _native.has_graph():
        return variable_prefix() + name, None
    with name_scope(re.sub(r"[^-/.\w]", "_", name).lstrip("/")) as scope:
        return scope.rstrip("/"), scope


def _add(name, data, collections, values, suffix="", family=None):
    """An op that gives a serialized `tf.Summary`, with what `values(tag, array)` makes of a run's data."""
    from . import add_to_collection
    tag, op = _tag(name, family)
    tag += suffix

    def write(tensors):
        return [convert_to_tensor(values(tag, tensors[0]))]
    made = named(_native.host_call(write, [convert_to_tensor(data)], [7], [[]])[0], op)
    for key in [_KEY] if collections is None else collections:
        add_to_collection(key, made)
    return made


def _message(*values):
    return Message("Summary", value=list(values)).SerializeToString()


def scalar(name, tensor, collections=None, family=None):
    """A number. Raises, in the run: ValueError for another shape."""
    def values(tag, data):
        array = data.numpy()
        if array.size != 1:
            raise ValueError(f"[summary.scalar] a scalar summary takes one number; got shape {array.shape} for {tag!r}; reduce it, "
                             "or use a histogram")
        return _message(Message("Value", tag=tag, simple_value=float(array.reshape(()))))
    return _add(name, tensor, collections, values, family=family)


@functools.cache
def _bucket_limits():
    """Those of TensorFlow: steps of a tenth from 1e-12 to 1e20, zero, and the same below. Source: histogram.cc."""
    above, limit = [], 1e-12
    while limit < 1e20:
        above.append(limit)
        limit *= 1.1
    above.append(sys.float_info.max)
    return [-one for one in reversed(above)] + [0.0] + above


def _histogram(array):
    """A HistogramProto; buckets without an element that follow each other are one."""
    limits = _bucket_limits()
    flat = array.astype("float64").reshape(-1)
    counts = numpy.bincount(numpy.searchsorted(limits, flat, side="right"), minlength=len(limits)).astype(float).tolist()
    made = Message("HistogramProto", num=float(flat.size), sum=float(flat.sum()), sum_squares=float((flat * flat).sum()),
                   min=float(flat.min()) if flat.size else sys.float_info.max,
                   max=float(flat.max()) if flat.size else -sys.float_info.max)
    place = 0
    while place < len(limits):
        end, count = limits[place], counts[place]
        place += 1
        while count <= 0 and place < len(limits) and counts[place] <= 0:
            end = limits[place]
            place += 1
        made.bucket_limit.append(end)
        made.bucket.append(count)
    return made


def histogram(name, values, collections=None, family=None):
    """How the elements of a tensor are distributed. Raises, in the run: InvalidArgumentError for NaN and infinities."""
    def write(tag, data):
        array = data.numpy()
        if not numpy.isfinite(array).all():
            from ...errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, f"Nan or infinite in summary histogram for: {tag}")
        return _message(Message("Value", tag=tag, histo=_histogram(array)))
    return _add(name, values, collections, write, family=family)


def _pixels(array):
    """8 bits a sample; floats are stretched to the whole range. Source: tf.summary.image of version 1."""
    if array.dtype == numpy.uint8:
        return array
    array = array.astype("float32")
    known = array[numpy.isfinite(array)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    if low < 0:
        most, room, middle = max(abs(low), abs(high)), 127.0, 128.0
    else:
        most, room, middle = high, 255.0, 0.0
    scaled = array * (room / most if most >= 1e-6 else 0.0) + middle
    return numpy.nan_to_num(numpy.clip(scaled, 0, 255)).astype("uint8")


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """The first `max_outputs` images of [k, h, w, c]."""
    def write(tag, data):
        array = data.numpy()[:max_outputs]
        values = []
        for number, one in enumerate(array):
            height, width, channels = one.shape
            png = _native.encode_png(numpy.ascontiguousarray(_pixels(one)).tobytes(), height, width, channels)
            values.append(Message("Value", tag=tag if max_outputs == 1 else f"{tag}/{number}", image=Message(
                "Image", height=height, width=width, colorspace=channels, encoded_image_string=png)))
        return _message(*values)
    return _add(name, tensor, collections, write, "/image", family)


def text(name, tensor, collections=None):
    """Markdown."""
    return _add(name, tensor, collections, _native.summary_text)


def merge(inputs, collections=None, name=None):
    """One op for several summaries."""
    with name_scope(name or "Merge"):
        made = _native.host_call(lambda values: [convert_to_tensor(b"".join(one._item() for one in values))],
                                 list(inputs), [7], [[]])[0]
        made = named(made, "MergeSummary")
    get_default_graph().add_to_collections(collections or [], made)
    return made


def merge_all(key=_KEY, scope=None, name=None):
    """One op for all summaries of the graph; None where there are none."""
    from . import get_collection
    inputs = get_collection(key, scope)
    return merge(inputs, name=name) if inputs else None


class FileWriter:
    """Writes what summary ops gave into an event file of its own in `logdir`."""

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None,
                 session=None):
        self._logdir = str(logdir)
        self._native = _native.FileWriter(self._logdir, max_queue, float(flush_secs), filename_suffix or "")
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def add_summary(self, summary, global_step=None):
        """Writes what a run gave for a summary op, or a `tf.Summary`. Raises: DataLossError for other bytes."""
        data = summary.SerializeToString() if hasattr(summary, "SerializeToString") else bytes(summary)
        Message("Summary", data)
        self._native.summary(data, int(global_step or 0))

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes a graph, or a GraphDef, for TensorBoard's page of graphs."""
        found = graph_def if graph is None else graph.as_graph_def() if hasattr(graph, "as_graph_def") else graph
        if not hasattr(found, "SerializeToString"):
            raise TypeError(f"The passed graph must be an instance of `Graph` or the deprecated `GraphDef`; got {graph!r}")
        self._native.graph(found.SerializeToString(), int(global_step or 0))

    def get_logdir(self):
        return self._logdir

    def flush(self):
        self._native.flush()

    def close(self):
        self._native.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class FileWriterCache:
    """One `FileWriter` for each folder, whoever asks."""

    _writers, _lock = {}, threading.Lock()

    @staticmethod
    def get(logdir):
        """The writer of a folder, made at first."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._writers:
                FileWriterCache._writers[logdir] = FileWriter(logdir)
            return FileWriterCache._writers[logdir]

    @staticmethod
    def clear():
        """Closes and forgets all."""
        with FileWriterCache._lock:
            while FileWriterCache._writers:
                FileWriterCache._writers.popitem()[1].close()
