"""Which traced functions run between `tf.summary.trace_on` and `trace_export`, and their graphs as TensorBoard reads them."""

from . import _function, nest
from ._messages import Message
from ._summary_values import metadata_of
from ._tensor import Tensor


class _Kept:
    running = None
    call = None  # what a function's call is else


class _Running:
    def __init__(self, graph, profiler):
        self.graph, self.profiler = graph, profiler
        self.calls = {}  # (function, arguments) by what a function was called with


def start(graph, profiler, outdir):
    """Begins to keep."""
    stop()
    _Kept.running = _Running(graph, profiler)
    if graph:
        usual = _Kept.call = _function.Function.__call__

        def call(function, *args, **kwargs):
            _keep(function, args, kwargs)
            return usual(function, *args, **kwargs)
        _function.Function.__call__ = call  # so that a call costs nothing else
    if profiler:
        from .profiler import experimental
        experimental.start(outdir or ".")


def _keep(function, args, kwargs):
    from . import _native
    running = _Kept.running
    if running is None or _native.is_tracing():
        return
    specs = nest.map_structure(_spec, (args, kwargs))
    running.calls.setdefault((id(function), repr(specs)), (function, *specs))


def _spec(leaf):
    return _function.TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, Tensor) else leaf


def keeps_graphs():
    """Whether graphs are kept. Raises: ValueError where nothing is."""
    if _Kept.running is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    return _Kept.running.graph


def run_metadata():
    """A serialized `RunMetadata` with the graphs that ran."""
    made = Message("RunMetadata")
    for function, args, kwargs in _Kept.running.calls.values():
        graph = Message("GraphDef", function.get_concrete_function(*args, **kwargs).graph.as_graph_def().SerializeToString())
        made.function_graphs.add(pre_optimization_graph=graph, post_optimization_graph=graph)
        made.partition_graphs.append(graph)
    return made.SerializeToString()


def metadata():
    """What tells TensorBoard that a summary has such graphs."""
    return metadata_of("graph_run_metadata_graph", content=b"1")


def stop():
    """Ends, and drops what was kept."""
    running, _Kept.running = _Kept.running, None
    if _Kept.call is not None:
        _function.Function.__call__, _Kept.call = _Kept.call, None
    if running is not None and running.profiler:
        from .profiler import experimental
        experimental.stop()
