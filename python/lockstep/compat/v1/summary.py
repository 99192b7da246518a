"""Summaries as ops of a graph: `tf.compat.v1.summary`."""

from ... import _native
from ..._tensor import convert_to_tensor

_KEY = "summaries"


def _add(kind, name, data, collections, write):
    """An op whose value, a text, stands for what `write(writer, step)` puts into an event file."""
    from . import add_to_collection
    from ..._function import name_scope_prefix
    tag = name_scope_prefix() + name

    def keep(values):
        return [convert_to_tensor(_Record.keep(tag, values[0], write))]
    made = _native.host_call(keep, [convert_to_tensor(data)], [7], [[]])[0]
    for key in [_KEY] if collections is None else collections:
        add_to_collection(key, made)
    return made


class _Record:
    """Values between a run and `FileWriter.add_summary`, which names them by number; the last ones."""

    _most = 65536
    _kept = {}
    _next = 0

    @classmethod
    def keep(cls, tag, value, write):
        number, cls._next = cls._next, cls._next + 1
        cls._kept[number] = (tag, value, write)
        cls._kept.pop(number - cls._most, None)
        return f"lockstep-summary {number}\n".encode()


def scalar(name, tensor, collections=None, family=None):
    """A number."""
    return _add("scalar", name, tensor, collections, lambda w, tag, value, at: w.scalar(tag, value, at))


def histogram(name, values, collections=None, family=None):
    """How the elements of a tensor are distributed."""
    return _add("histogram", name, values, collections, lambda w, tag, value, at: w.histogram(tag, value, at, 30))


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Images [k, h, w, c]."""
    return _add("image", name, tensor, collections, lambda w, tag, value, at: w.image(tag, value, at, max_outputs))


def text(name, tensor, collections=None):
    """Markdown."""
    return _add("text", name, tensor, collections, lambda w, tag, value, at: w.text(tag, value, at))


def merge(inputs, collections=None, name=None):
    """One op for several summaries."""
    return _native.host_call(lambda values: [convert_to_tensor(b"".join(one._item() for one in values))],
                             list(inputs), [7], [[]])[0]


def merge_all(key=_KEY, scope=None, name=None):
    """One op for all summaries of the graph; None where there are none."""
    from . import get_collection
    inputs = get_collection(key, scope)
    return merge(inputs) if inputs else None


class FileWriter:
    """Writes what summary ops gave into an event file of its own in `logdir`."""

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None,
                 session=None):
        self._logdir = str(logdir)
        self._native = _native.FileWriter(self._logdir, max_queue, float(flush_secs), filename_suffix or "")
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def add_summary(self, summary, global_step=None):
        """Writes what a run gave for a summary op, or a `tf.Summary` of numbers. Raises: ValueError for anything else."""
        for value in getattr(summary, "value", ()):
            if value.WhichOneof("value") != "simple_value":
                raise ValueError(f"add_summary takes numbers (simple_value) of a tf.Summary; got {value.tag!r} with others; use "
                                 "tf.summary.histogram, image or text")
            self._native.scalar(value.tag, convert_to_tensor(value.simple_value), int(global_step or 0))
        if hasattr(summary, "value"):
            return
        for line in bytes(summary).split(b"\n"):
            if not line:
                continue
            number = line.removeprefix(b"lockstep-summary ")
            if number == line or int(number) not in _Record._kept:
                raise ValueError("add_summary takes what a run gave for a summary op, once it has; got "
                                 f"{line[:40]!r}")
            tag, value, write = _Record._kept[int(number)]
            write(self._native, tag, value, int(global_step or 0))

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
