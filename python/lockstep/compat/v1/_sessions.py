"""Sessions, which run parts of graphs."""

import collections.abc
import re
import threading

import numpy

from ... import _native, _refused, errors, nest
from ..._dtypes import resource, TensorShape
from ..._function import Operation
from ..._messages import Message, message_class
from ..._run_shapes import origins, unknown_ranks
from ..._tensor import convert_to_tensor, Tensor
from ..._thread_lists import ThreadList
from ..._variable import UnreadVariable, Variable
from ._first_values import _initialize, _Initializers
from ._graphs import _targets, get_default_graph, Graph, GraphOperation, in_graph
from ._partial_runs import PartialRuns
from ._placeholders import require_no_ranks
from ._value_parts import fed_parts, has_parts, run_with_parts

_sessions = ThreadList()  # those that are default


def get_default_session():
    """The session whose `with` is open on this thread, or None."""
    sessions = _sessions()
    return sessions[-1] if sessions else None


# Options of a session and of a run, taken and without effect on results, but for `ConfigProto.operation_timeout_in_ms` and
# `RunOptions.timeout_in_ms` (DeadlineExceededError after so long), `ConfigProto.allow_soft_placement` (False: a device that is
# not there is an error), `device_filters` (of a cluster), `device_count`'s "CPU", `isolate_session_state`,
# `log_device_placement`, and `RunOptions.trace_level` (other than NO_TRACE fills `RunMetadata.step_stats`) and
# `output_partition_graphs` (fills `RunMetadata.partition_graphs`).
ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunOptions = (message_class(kind) for kind in (
    "ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RunOptions"))


class DeviceAttributes:
    """A device of `Session.list_devices`."""

    def __init__(self, name):
        self.name, self.device_type, self.memory_limit_bytes = name, name.split(":")[-2], 1 << 28
        self.incarnation = 0

    def __repr__(self):
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"


class RunMetadata:
    """What a run tells of itself: with `RunOptions(trace_level=RunOptions.FULL_TRACE)` each op that was carried out in this
    process, in `step_stats`, which `lockstep.python.client.timeline.Timeline` takes; with
    `RunOptions(output_partition_graphs=True)` what each device ran, a GraphDef each, in `partition_graphs`."""

    def __init__(self):
        self.step_stats = StepStats([])
        self.partition_graphs = []


class StepStats:
    """`dev_stats`: by device, `device` and `node_stats` in the order in which they began."""

    def __init__(self, ops):
        devices = {}
        for name, op, device, start, length, size in ops:
            made = devices.setdefault(device or "/job:localhost/replica:0/task:0/device:CPU:0", [])
            made.append(NodeStats(name, op, start // 1000, max(length // 1000, 0), size))
        self.dev_stats = [DeviceStats(device, nodes) for device, nodes in devices.items()]


class DeviceStats:
    """The ops of a device."""

    def __init__(self, device, node_stats):
        self.device, self.node_stats = device, node_stats


class NodeStats:
    """An op of a run: when it began, microseconds since the run's beginning, and how many it took."""

    def __init__(self, node_name, op, start, length, size):
        self.node_name, self.timeline_label = node_name, f"{node_name} = {op}()"
        self.all_start_micros, self.op_start_rel_micros = start, 0
        self.op_end_rel_micros = self.all_end_rel_micros = length
        self.output_bytes = size


def _is_of_graph(one):
    if isinstance(one, (GraphOperation, str)):
        return True
    if isinstance(one, Operation):
        return any(tensor._symbolic for tensor in one.tensors)
    if isinstance(one, UnreadVariable):
        return one._value._symbolic
    if isinstance(one, Variable):
        return one.__dict__.get("_of_graph", False)
    return isinstance(one, Tensor) and (one._symbolic or one.dtype == resource and not _native.is_cell(one))


def _scheme(target):
    """A target as Lockstep names it: "" for this process, "lockstep://host:port" for the cluster of the server there."""
    if isinstance(target, bytes):
        target = target.decode()
    if target in (None, "", "local"):
        return ""
    scheme, there, address = target.partition("://")
    if there and scheme not in ("grpc", "lockstep"):
        raise errors.NotFoundError(None, None, f"No session factory registered for the given session options: {{target: \"{target}\" "
                                   "config: } Registered factories are {DIRECT_SESSION, GRPC_SESSION}.")
    return f"lockstep://{address if there else scheme}"


class Session(PartialRuns):
    """Runs parts of a graph; without one, results that were computed eagerly, again.

    A run computes what its fetches need, each op at most once. With the target of a server, "grpc://host:port" or
    `server.target`, ops are where their devices say on its cluster, with the variables and queues that its tasks keep; what
    only this process can do, such as `py_function`, it does here. Servers that are not there yet are waited for, a minute
    each.
    Raises: UnavailableError naming a server that is not there; NotFoundError for a target of another scheme."""

    def __init__(self, target="", graph=None, config=None):
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f"Argument `target` must be a string, but got \"{type(target).__name__}\"")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"Argument `graph` must be a tf.Graph, but got \"{type(graph).__name__}\"")
        if config is not None and getattr(config, "_kind", None) != "ConfigProto":
            raise TypeError(f"Argument `config` must be a tf.ConfigProto, but got \"{type(config).__name__}\"")
        self._target = _scheme(target)
        self._patience = getattr(config, "operation_timeout_in_ms", 0)
        self._options = {"log_placement": bool(getattr(config, "log_device_placement", False)),
                         "soft_placement": bool(getattr(config, "allow_soft_placement", False)),
                         "devices": max((getattr(config, "device_count", None) or {}).get("CPU", 1), 1),
                         "patience_seconds": self._patience / 1000,
                         "device_filters": list(getattr(config, "device_filters", None) or []),
                         "threads": max(getattr(config, "intra_op_parallelism_threads", 0), 0)}
        if self._target and getattr(config, "isolate_session_state", False):
            raise errors.UnimplementedError(
                None, None, f"isolate_session_state is for sessions of this process; got target {target!r}; sessions of a cluster "
                "share its variables: give them other names, or give none of them a target")
        self._closed_at = None
        self._given = graph
        self._made, self._opening = None, threading.Lock()
        self._graph = graph or (get_default_graph() if in_graph() else None)

    @property
    def graph(self):
        return self._graph or get_default_graph()

    @property
    def _native(self):
        if self._made is None:
            with self._opening:  # threads may begin together
                if self._made is None:
                    self._made = self._open()
        return self._made

    def _open(self):
        try:
            with _outside():
                return _native.Session(self.graph._native, self._target, **self._options)
        except errors.UnavailableError as error:
            if not self._patience:
                raise
            raise errors.DeadlineExceededError(None, None, f"Deadline Exceeded: {error}") from None

    graph_def = property(lambda self: self.graph.as_graph_def())
    sess_str = property(lambda self: self._target.encode())

    def __enter__(self):
        _sessions().append(self)
        self._entered = None
        if self._given is not None:
            self._entered = self._given.as_default()
            self._entered.__enter__()
        return self

    def __exit__(self, *_):
        if self._entered is not None:
            self._entered.__exit__()
        _sessions().remove(self)
        self.close()

    def close(self):
        """Ends the session; `run` is refused from then on."""
        import os
        import sys
        if self._closed_at is None:
            frame = sys._getframe(1)
            here = os.path.abspath(__file__)
            for _ in range(3):
                here = os.path.dirname(here)
            while frame is not None and frame.f_code.co_filename.startswith(here):
                frame = frame.f_back
            self._closed_at = ("?", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
            if self._made is not None:
                self._made.close()

    def as_default(self):
        session = self

        class Default:
            def __enter__(self):
                _sessions().append(session)
                return session

            def __exit__(self, *_):
                _sessions().remove(session)
        return Default()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of `fetches`, in their structure: NumPy arrays for tensors and variables, None for
        operations.

        Args: feed_dict: {tensor: value} for tensors that are not to be computed.
        Raises: RuntimeError when the session is closed; TypeError for other fetches; ValueError for
        values that do not fit; InvalidArgumentError for placeholders without a value."""
        self._require_open()
        if fetches is None:
            raise TypeError("Argument `fetch` = None has invalid type \"NoneType\". Cannot be None")
        leaves = nest.flatten(fetches)
        if any(has_parts(one) for one in leaves):
            return run_with_parts(lambda parts: self.run(parts, feed_dict, options, run_metadata), fetches, leaves)
        if any(_is_of_graph(one) for one in leaves):
            return _run_graph(self, fetches, leaves, feed_dict, getattr(options, "timeout_in_ms", 0) or self._patience,
                              None if options is None else run_metadata, options)
        return _run_eager(fetches, leaves, feed_dict)

    def _require_open(self):
        if self._closed_at is not None:
            raise RuntimeError("Attempted to use a closed Session. It was closed where its `with` block "
                               f"ends, line {self._closed_at[1]} of {self._closed_at[0]}; move the call "
                               "into the block")

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function of the values of `feed_list` that runs `fetches`; with `accept_options` it also takes `options` and
        `run_metadata`. Raises: TypeError for a `feed_list` that is neither a list nor a tuple."""
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError("Argument `feed_list` must be a list or tuple. Received: "
                            f"feed_list={feed_list} (of type {type(feed_list).__name__})")
        if accept_options:
            return lambda *values, options=None, run_metadata=None: self.run(
                fetches, dict(zip(feed_list or [], values)), options, run_metadata)
        return lambda *values: self.run(fetches, dict(zip(feed_list or [], values)))

    @staticmethod
    def reset(target, containers=None, config=None):
        """Deletes all variables and queues of the servers of a cluster. Raises: NotImplementedError for single containers."""
        _refused.only("Session.reset", containers=(containers or None, None))
        _native.Session.reset(_scheme(target))

    def list_devices(self):
        """The devices that ops may be on."""
        return [DeviceAttributes(one) for one in self._native.devices]


class InteractiveSession(Session):
    """A session that is the default one from the beginning."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        _sessions().append(self)

    def close(self):
        super().close()
        if self in _sessions():
            _sessions().remove(self)


def _cast_by_numpy(value, dtype):
    """What is fed, as an array of the dtype: cast as NumPy does, so 1.7 is 1 for an int32 and "1.5" is 1.5 for a float32.
    Raises: TypeError for a number of Python that the dtype cannot hold."""
    kind = getattr(dtype, "as_numpy_dtype", None)
    if isinstance(value, int):
        try:
            held = (str(value) if dtype == "string" else kind(value)) == value
        except OverflowError:
            held = False
        if not held:
            raise TypeError(f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {kind}. Try "
                            "explicitly setting the type of the feed tensor to a larger type (e.g. int64).")
    if dtype == "string":
        return value
    try:
        return numpy.asarray(value, dtype=kind)
    except OverflowError:
        return numpy.asarray(value).astype(kind)


def _fed_pairs(feed_dict):
    """The (key, value) pairs of a `feed_dict`, whose keys may be tuples of keys. Raises: TypeError for another kind."""
    if feed_dict is None:
        return []
    if not isinstance(feed_dict, collections.abc.Mapping):
        raise TypeError("The argument `feed_dict` must be a dictionary or collection.Mapping type object, instead of "
                        f"{type(feed_dict).__name__!r}.")
    pairs = []
    for key, value in feed_dict.items():
        pairs += zip(nest.flatten(key), nest.flatten(value)) if isinstance(key, tuple) else [(key, value)]
    return pairs


def _fed(graph, key, value):
    if hasattr(key, "deref"):
        key = key.deref()
    if isinstance(key, str):
        try:
            key = graph.get_tensor_by_name(key)
        except (KeyError, ValueError) as error:
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from None
    if not isinstance(key, (Tensor, Variable)):
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: Can not convert a {type(key).__name__} into a Tensor.")
    if isinstance(value, Tensor) and value._symbolic:
        raise TypeError("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
                        f"lists, numpy ndarrays, or TensorHandles; got {value!r} for {key.name}; run it first, and feed what that gives")
    native = key._v if isinstance(key, Variable) else key
    if isinstance(native, Tensor) and not graph.is_feedable(native):
        raise ValueError(f"Tensor {key.name} may not be fed.")
    if isinstance(native, Tensor):
        native = origins.get(native._id, native)
    try:
        tensor = convert_to_tensor(_cast_by_numpy(value, key.dtype), dtype=key.dtype) if not isinstance(value, Tensor) else value
    except ValueError as error:
        raise ValueError(f"{error}; fed for {key.name}, which is of {key.dtype.name}") from None
    shape = TensorShape(native._shape if isinstance(native, Tensor) else native.shape)
    if not shape.is_compatible_with(tensor._shape):
        if isinstance(native, Tensor) and native._id in unknown_ranks:
            return native, tensor  # `_run_graph` looks whether that can be
        raise ValueError(f"Cannot feed value of shape {tuple(tensor._shape)} for Tensor "
                         f"{key.name}, which has shape {shape}")
    return native, tensor


def _name_op(graph, error):
    """Gives an error of a run the op of the graph that its text names, if it names one."""
    named = re.search(r"\(op '([^']+)'\)", str(error))
    if named and error.op is None:
        try:
            error.op = graph.get_operation_by_name(named[1])
        except (KeyError, ValueError):
            return  # of a function's body
        error.node_def = error.op.node_def


def _held_by(graph, handle):
    """The variable whose handle it is, for its value; the handle itself where it is of something else."""
    name = (_native.name_of(handle) or "").split(":")[0]
    return next((Variable._wrap(one) for one in graph._native.variables()
                 if one.name == name or _native.same_object(one.handle, handle)), handle)


def _graph_def(data):
    graph = message_class("GraphDef")()
    graph.ParseFromString(data)
    return graph


def _run_graph(session, fetches, leaves, feed_dict, milliseconds, metadata, options):
    wanted = []
    for one in leaves:
        if one is None or not (_is_of_graph(one) or isinstance(one, (Tensor, Variable, Operation))):
            raise TypeError(f"Argument `fetch` = {one} has invalid type \"{type(one).__name__}\" must be a "
                            f"string or Tensor. (Can not convert a {type(one).__name__} into a Tensor or "
                            "Operation.)")
        if isinstance(one, str):
            try:
                found = session.graph.as_graph_element(one)
            except (KeyError, ValueError) as error:
                raise ValueError(f"Argument `fetch` = {one} cannot be interpreted as a Tensor. ({error})") from None
            if isinstance(found, Tensor) and found.dtype == resource:
                one = found
        if isinstance(one, Tensor) and one.dtype == resource:
            one = _held_by(session.graph, one)
        fetched = found if isinstance(one, str) else one
        if session.graph._not_fetched and isinstance(fetched, (GraphOperation, Tensor)) and not session.graph.is_fetchable(fetched):
            raise errors.InaccessibleTensorError(f"Operation {fetched.name.partition(':')[0]} has been marked as not fetchable.")
        wanted.extend(_targets([one])[:1] or [None])
    feeds = [_fed(session.graph, one, given) for key, value in _fed_pairs(feed_dict)
             for one, given in (fed_parts(key, value) if has_parts(key) else [(key, value)])]
    known = [isinstance(one, Tensor) and not one._symbolic for one in wanted]
    asked = [one for one, value in zip(wanted, known) if one is not None and not value]
    for key, value in feeds if unknown_ranks else ():
        if isinstance(key, Tensor) and key._id in unknown_ranks and value._rank:
            require_no_ranks(session.graph, key, asked, value)
    with _outside():
        try:
            traced = [] if metadata is not None and getattr(options, "trace_level", 0) else None
            partitions = [] if metadata is not None and getattr(options, "output_partition_graphs", False) else None
            values = iter(session._native.run(asked, feeds, [], milliseconds / 1000, traced, partitions))
        except errors.NotFoundError as error:
            raise ValueError(str(error)) from None
        except errors.OpError as error:
            _name_op(session.graph, error)
            raise
    if traced is not None:
        metadata.step_stats = StepStats(traced)
    if partitions is not None:
        metadata.partition_graphs = [_graph_def(one) for one in partitions]
    results = [one if value else (next(values) if one is not None else None)
               for one, value in zip(wanted, known)]
    made = [None if value is None or isinstance(one, (GraphOperation, Operation)) else value.numpy()
            for one, value in zip(leaves, results)]
    return nest._pack(fetches, iter(made))


class _outside:
    """Leaves the graph that is being built while a run is carried out."""

    def __enter__(self):
        self._scope = _native.EagerScope()
        self._scope.enter()

    def __exit__(self, *_):
        self._scope.exit()


def _run_eager(fetches, leaves, feed_dict):
    from ... import _replay
    wanted, operations = [], []
    for one in leaves:
        if isinstance(one, _Initializers):
            _initialize(one.variables)
        elif isinstance(one, Operation):
            operations.extend(one.tensors)
        elif isinstance(one, UnreadVariable):
            wanted.append(one._value)
        elif isinstance(one, (Tensor, Variable)):
            wanted.append(one)
        else:
            raise TypeError(f"Argument `fetch` = {one} has invalid type \"{type(one).__name__}\" must be a "
                            f"string or Tensor. (Can not convert a {type(one).__name__} into a Tensor or "
                            "Operation.)")
    values = []
    if wanted or operations:
        values = _replay.run(wanted, operations, _replay.Feeds(feed_dict))
    values = iter(values)
    made = [next(values).numpy() if not isinstance(one, Operation) else None for one in leaves]
    return nest._pack(fetches, iter(made))
