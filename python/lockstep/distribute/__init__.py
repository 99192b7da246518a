"""Strategies: who computes, and how many replicas a program has."""

import atexit
import sys
import threading
import weakref

from .. import _native, _refused, _thread_lists, _whole_files, errors, nest
from .._tape import with_slices
from .._tensor import convert_to_tensor, IndexedSlices
from .._variable import Variable
from ..data.experimental import AutoShardPolicy
from ..device_spec import own_device, own_task
from . import _input, _replicas, _values, cluster_resolver, experimental  # noqa: F401
from ._input import (DistributedDataset, DistributedDatasetsFromFunction, DistributedIterator,  # noqa: F401
                     InputContext, InputOptions, InputReplicationMode, ValueContext)
from ._replicas import ReplicaContext, RunOptions  # noqa: F401
from ._values import DistributedValues, own_replicas, PerReplica, PerReplicaSpec, ReduceOp  # noqa: F401


def first_value(name, value):
    """What a variable begins with that is made here."""
    strategy = scope_in_force() if _values.spread else None
    return value if strategy is None or strategy is not _values.spread[0]() else strategy._of_first_worker(name, value)


_scopes = _thread_lists.ThreadList()
_by_id = weakref.WeakValueDictionary()  # models, variables and traced programs keep the strategy that they belong to
_of_jobs = []  # those over several tasks end with the process: see `_end_all`


@atexit.register
def _end_all():
    """All tasks come to the end of a job together: others may need what this one has, and who comes too late is told. What
    Python has not taken apart by then (a cycle through a function) would never say so. After an error it is no end."""
    failed = getattr(sys, "last_value", None) is not None
    for strategy in list(_by_id.values()):
        if strategy._native is not None:
            strategy._native.give_up() if failed else strategy._native.end()


def scope_in_force():
    """The strategy to which variables made now belong, or None."""
    served = coordinator.strategy_in_scope()
    if served is not None:
        return served
    if not _native.has_strategy():
        return None
    return _by_id.get(_native.strategy_id())


def require_own_scope(strategy):
    """Raises: RuntimeError inside of another strategy's scope."""
    other = scope_in_force()
    if other is not None and other is not strategy:
        raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {strategy} is not {other}")


class _Scope:
    def __init__(self, strategy):
        self._strategy = strategy
        self._native = _native.StrategyScope(strategy._native)

    def __enter__(self):
        require_own_scope(self._strategy)
        try:
            self._native.enter()
        except errors.FailedPreconditionError:
            require_own_scope(self._strategy)
            raise
        return self._strategy

    def __exit__(self, *_):
        self._native.exit()


class Strategy:
    """A strategy: see `MirroredStrategy` and its relatives."""

    def __init__(self, extended=None):
        if type(self) is Strategy:
            raise TypeError("make a MirroredStrategy, OneDeviceStrategy, ...")
        _refused.only("Strategy", extended=(extended, None))

    def _adopt(self, native):
        self._native = native
        self._extended = Extended(self)
        _by_id[native.id] = self
        if native.workers > 1:
            _of_jobs.append(self)

    @property
    def _device_numbers(self):
        """The device of each replica of this task, by its number."""
        first, last = own_replicas(self.num_replicas_in_sync)
        return tuple(range(last - first))

    @property
    def num_replicas_in_sync(self):
        """R: over how many replicas a global batch is divided."""
        return self._native.replicas

    @property
    def extended(self):
        return self._extended

    cluster_resolver = None

    def scope(self):
        """A context in which models and variables belong to the strategy."""
        return _Scope(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        """Calls `fn` once for each replica, with the replica's entry of each `PerReplica` argument;
        gives what it gives, as `PerReplica` where replicas differ.

        Raises: ValueError for arguments that are no list or tuple; RuntimeError inside of a replica."""
        _replicas.require_sequence(args)
        _require_cross_replica()
        return _replicas.run(self, fn, tuple(args), kwargs or {})

    def reduce(self, reduce_op, value, axis):
        """One value from all replicas; with `axis`, elements along it are added up first, and MEAN
        divides by their number over all replicas. Raises: RuntimeError inside of a replica."""
        _require_cross_replica()
        op = _values.reduce_number(reduce_op)
        axes = axis if isinstance(axis, (list, tuple)) else [axis]

        def one(leaf):
            leaf = self._of_each_worker(leaf)
            if axis is None and _values.are_open_slices(leaf):
                return self._slices_of_all(op, leaf)
            leaf = _values.plain(leaf if axis is None else _values.dense(leaf))
            if self.num_replicas_in_sync == 1 and not isinstance(leaf, tuple) and axis is None:
                return convert_to_tensor(leaf)
            leaf = self._of_each_replica(op, leaf, axis)
            if axis is not None or isinstance(leaf, tuple):
                leaf = _values.dividable(op, leaf)
            result = leaf
            for place in axes:
                result = self._native.reduce(op, result, place)
            return with_slices(result)
        return _values.map_values(one, value)

    def _slices_of_all(self, op, slices):
        """The sum or mean of replicas' slices of a tensor whose shape is not known: one after another."""
        values, indices = (self._native.gather(tuple(getattr(one, part) for one in slices._values), 0)
                           for part in ("values", "indices"))
        return IndexedSlices(values / self.num_replicas_in_sync if op else values, indices)

    def _of_each_replica(self, op, leaf, axis):
        """What is reduced of a plain value: along an axis it is every replica's, and otherwise a MEAN of it alone."""
        if isinstance(leaf, tuple) or self.num_replicas_in_sync == 1:
            return leaf
        if axis is not None:
            return (leaf,) * self.num_replicas_in_sync
        if op == _values.reduce_number(ReduceOp.SUM):
            raise ValueError(f"A non-DistributedValues value {leaf!s} cannot be reduced with the given reduce op "
                             f"{ReduceOp.SUM}.")
        return leaf

    def gather(self, value, axis):
        """The replicas' values one after another along `axis`. Raises: RuntimeError inside of a replica."""
        _require_cross_replica()

        def one(leaf):
            leaf = _values.plain(_values.dense(self._of_each_worker(leaf)))
            if isinstance(leaf, tuple):
                return self._native.gather(leaf, axis)
            tensor = convert_to_tensor(leaf)
            if self.num_replicas_in_sync == 1:
                return tensor
            return self._native.gather((tensor,) * self.num_replicas_in_sync, axis)
        return _values.map_values(one, value)

    def experimental_local_results(self, value):
        """The values of this process's replicas, as a tuple."""
        first, last = self._native.local_replicas
        if isinstance(value, PerReplica):
            return value._values[first:last]
        if isinstance(value, Variable):
            return value.values
        if nest.is_nested(value):
            return tuple(nest.map_structure(
                lambda x, i=i: x._values[i] if isinstance(x, PerReplica) else x, value)
                for i in range(first, last))
        return (value,)

    def experimental_distribute_dataset(self, dataset, options=None):
        """The dataset's batches, each divided over the replicas: pieces of ceil(n / R) rows, the last ones shorter or
        empty. The auto-shard policies OFF, FILE and AUTO, where `with_options` names one, are followed as in TensorFlow."""
        _input.require_dataset(dataset)
        policy = dataset.options().experimental_distribute._set().get("auto_shard_policy")
        if policy in (None, AutoShardPolicy.DATA, AutoShardPolicy.HINT) or self.num_replicas_in_sync == 1:
            return DistributedDataset(self, [dataset])
        return DistributedDataset(self, [dataset._pieces(self.num_replicas_in_sync, *pipeline, policy)
                                         for pipeline in self._native.input_pipelines], dealt=True)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """Batches of `dataset_fn(InputContext)`, one for each replica of a step. Over several workers the function is
        called for each replica's pipeline, on all of them, so that nothing depends on their number. With the replication
        mode PER_REPLICA each replica of a process has a dataset of its own."""
        pipelines, count = self._native.input_pipelines, self.num_replicas_in_sync
        if getattr(options, "experimental_replication_mode", None) is InputReplicationMode.PER_REPLICA and len(pipelines) == 1:
            pipelines = list(pipelines) * count
        return DistributedDatasetsFromFunction(self, [dataset_fn(InputContext(of, one, count)) for of, one in pipelines])

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def _of_each_worker(self, value):
        """A plain value outside of replicas is, where each worker has one replica, that replica's: those of all workers."""
        count = self.num_replicas_in_sync
        first, last = self._native.local_replicas
        if count == 1 or last - first != 1 or isinstance(value, (PerReplica, Variable, IndexedSlices)) or _native.is_tracing():
            return value
        return PerReplica([row[0] for row in self._from_owners("a value of each worker", [[convert_to_tensor(value)]])])

    def _from_owners(self, where, own):
        """The tensors of every replica, of those of this worker's own ones; all workers make the call."""
        first, last = self._native.local_replicas
        return self._native.take_owners_values(where, [[]] * first + own + [[]] * (self.num_replicas_in_sync - last))

    def _of_first_worker(self, name, value):
        """A variable's first value is that of the first worker, whatever the others would begin with."""
        if _native.is_tracing() or _native.has_graph() or not _native.in_cross_replica():
            return value
        if callable(value):
            return lambda: self._of_first_worker(name, value())
        rows = [[convert_to_tensor(value)]] * self.num_replicas_in_sync
        return self._native.take_owners_values(f"the first value of {name}", rows)[0][0]

    def experimental_distribute_values_from_function(self, value_fn):
        """What `value_fn(ValueContext)` gives for each replica. Over workers each one calls it for its own replicas, and
        has the others' values from them: all workers make the call."""
        count = self.num_replicas_in_sync
        if isinstance(self, OneDeviceStrategy):
            return value_fn(ValueContext(0, 1))
        first, last = self._native.local_replicas
        if last - first == count or _native.is_tracing():
            return _values.for_each_replica([value_fn(ValueContext(i, count)) for i in range(count)])
        own = [value_fn(ValueContext(i, count)) for i in range(first, last)]
        form = own[0] if own else value_fn(ValueContext(0, count))
        rows = self._from_owners("values for replicas",
                                 [[convert_to_tensor(leaf) for leaf in nest.flatten(one)] for one in own])
        return _values.for_each_replica([nest._pack(form, iter(row)) for row in rows])

    def unwrap(self, value):
        """The same as `experimental_local_results`, by its older name."""
        return self.experimental_local_results(value)

    def experimental_make_numpy_dataset(self, numpy_input):
        from ..data import Dataset
        return Dataset.from_tensor_slices(numpy_input)

    def update_config_proto(self, config):
        return config


StrategyV1 = Strategy


def _require_cross_replica():
    if has_strategy() and not in_cross_replica_context():
        raise RuntimeError("Method requires being in cross-replica context, use get_replica_context().merge_call(); got a call "
                           "inside of a replica's function")


class Extended:
    """What libraries use of a strategy."""

    def __init__(self, strategy):
        self._strategy = strategy

    @property
    def worker_devices(self):
        """A device for each replica of this task."""
        return tuple(own_device(i) for i in self._strategy._device_numbers)

    @property
    def parameter_devices(self):
        """Where variables live: with each replica, or on the one device of a strategy that keeps them there."""
        own = getattr(self._strategy, "_parameter_device", None)
        return self.worker_devices if own is None else (f"/device:CPU:{own}",)

    experimental_require_static_shapes = False

    @property
    def should_checkpoint(self):
        """Whether this task writes checkpoints: the chief, or worker 0 where there is none."""
        return cluster_resolver.is_chief(self._strategy.cluster_resolver)

    should_save_summary = should_checkpoint
    experimental_should_init = True

    @property
    def experimental_between_graph(self):
        """Whether each worker builds the graph for itself."""
        return isinstance(self._strategy, MultiWorkerMirroredStrategy)

    def reduce_to(self, reduce_op, value, destinations, options=None):
        return self._strategy.reduce(reduce_op, value, None)

    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None):
        return [self._strategy.reduce(reduce_op, value, None) for value, _ in value_destination_pairs]

    def broadcast_to(self, tensor, destinations=None):
        return tensor

    def update(self, var, fn, args=(), kwargs=None, group=True):
        """Calls `fn(var, ...)` where the variable lives; without `group`, a tuple with what it gives for each copy."""
        made = fn(var, *args, **(kwargs or {}))
        return made if group else (made,) * len(getattr(var, "values", "1"))

    def read_var(self, variable):
        return variable.read_value()

    def value_container(self, value):
        return value

    def local_results(self, value):
        return self._strategy.experimental_local_results(value)

    def colocate_vars_with(self, colocate_with_variable):
        import contextlib
        return contextlib.nullcontext()

    def variable_created_in_scope(self, variable):
        """Whether the variable belongs to the strategy."""
        if variable._strategy is self._strategy or getattr(variable, "_of_one", None) is self._strategy:
            return True
        return variable._v.strategy_id is not None and variable._v.strategy_id == self._strategy._native.id

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        return self._strategy.run(fn, args, kwargs)


class MirroredStrategy(Strategy):
    """Replicas of one process that stay equal.

    Args: devices: names such as "CPU:0", one a replica; without them one for each logical device. replicas: R, whatever the devices; num_devices and threads_per_device: how
    the work is _values.spread, which changes the time alone."""

    def __init__(self, devices=None, cross_device_ops=None, replicas=0, num_devices=0,
                 threads_per_device=0):
        from .. import config
        if not devices and not replicas and config._logical[0] > 1:
            devices = [one.name for one in config.list_logical_devices("CPU")]
        names = [_device_name(one) for one in devices or []]
        self._names = names
        self._adopt(_native.MirroredStrategy(num_devices, replicas, threads_per_device, names))

    @property
    def _device_numbers(self):
        numbers = [one.rpartition(":")[2] for one in self._names]
        return tuple(map(int, numbers)) if numbers and all(map(str.isdigit, numbers)) else super()._device_numbers


def _device_name(name):
    from ..device_spec import DeviceSpec
    name = str(name)
    DeviceSpec.from_string(name)  # a ValueError for what is no device's name
    for kind in ("CPU", "GPU", "cpu", "gpu"):
        if kind + ":" in name:
            return f"{kind.upper()}:{name.rpartition(':')[2]}"
    return name


class OneDeviceStrategy(Strategy):
    """One replica on one device."""

    _device_numbers = (0,)

    def __init__(self, device="/cpu:0", threads=0):
        from ..device_spec import DeviceSpec
        self._device = DeviceSpec.from_string(device) and device
        self._device_numbers = (DeviceSpec.from_string(device).device_index or 0,)
        self._adopt(_native.OneDeviceStrategy(threads))


class CentralStorageStrategy(Strategy):
    """Variables on one device, compute on others."""

    def __init__(self, compute_devices=None, parameter_device=None):
        names = [_device_name(one) for one in compute_devices or []]
        number = _device_name(parameter_device or "").rpartition(":")[2]
        if number.isdigit():
            self._parameter_device = int(number)
        self._adopt(_native.CentralStorageStrategy(
            names, _device_name(parameter_device) if parameter_device else ""))


class MultiWorkerMirroredStrategy(Strategy):
    """Mirrored over the processes that the environment describes (TF_CONFIG, `lockstep launch`, Slurm,
    ...), once all of them are there.

    Raises: InvalidArgumentError with all mistakes of the description; DeadlineExceededError naming who
    is missing."""

    def __init__(self, cluster_resolver=None, communication_options=None, devices=0, replicas=0,
                 threads_per_device=0):
        from . import cluster_resolver as resolvers
        self.cluster_resolver = cluster_resolver or resolvers.environment_resolver()
        described = resolvers.described(cluster_resolver)
        self._adopt(_interruptible(lambda: _native.MultiWorkerMirroredStrategy(
            devices, replicas, threads_per_device, described)))
        if self.cluster_resolver.task_type:
            own_task[:] = [f"/job:{self.cluster_resolver.task_type}/replica:0/task:{self.cluster_resolver.task_id}"]
        if self._native.workers > 1:
            _values.spread[:] = _whole_files.job[:] = [weakref.ref(self)]


MultiWorkerMirroredStrategy.__name__ = "CollectiveAllReduceStrategy"  # what TensorFlow's class calls itself


class ParameterServerStrategy(Strategy):
    """Workers compute, servers (the job `ps`) update variables. All tasks run the same program, and
    `Model.fit`, `evaluate` and `predict` are called by all; no coordinator schedules it.

    In the script of a chief, though (its task's type is "chief" or none, its cluster has the jobs ps and
    worker, and no mode is given, or `coordinated` is True), the other tasks are `Server`s: variables of the
    scope live on them, a `ClusterCoordinator` gives them functions, and `fit` and `evaluate` their steps.
    effects: "exactly_once" or "immediate"; patience, connecting: seconds to wait for workers, and for servers;
    queue_bound: how many functions may wait.

    variable_partitioner: into how many shards a variable of the scope, or a weight of a layer, is cut
    (`tf.distribute.experimental.partitioners`); it is a `ShardedVariable` then.
    mode: "synchronous" (the bits of one process), "bounded" with `staleness`, or "asynchronous", which is what
    a chief's `fit` is without it. coordinated: None, or which of the two forms it is, whatever else is given.
    Raises: InvalidArgumentError with all mistakes of the description, or for an evaluator's task;
    DeadlineExceededError naming who is missing."""

    def __new__(cls, *args, **kwargs):
        return coordinator.chief_strategy(cls, args, kwargs) or super().__new__(cls)

    def __init__(self, cluster_resolver=None, variable_partitioner=None, mode="synchronous", staleness=0,
                 scale_by_staleness=False, devices=0, replicas=0, threads_per_device=0, coordinated=None):
        from . import cluster_resolver as resolvers
        self._partitioner = variable_partitioner
        partitioner = coordinator.native_partitioner(variable_partitioner)
        self.cluster_resolver = cluster_resolver or resolvers.environment_resolver()
        described = resolvers.described(cluster_resolver)
        self._adopt(_interruptible(lambda: _native.ParameterServerStrategy(
            mode, staleness, scale_by_staleness, devices, replicas, threads_per_device, partitioner, described)))
        if self._native.workers + self._native.servers > 1:
            _whole_files.job[:] = [weakref.ref(self)]

    @property
    def num_servers(self):
        """How many servers take part now."""
        return self._native.servers

    @property
    def is_server(self):
        """Whether this task is one."""
        return self._native.is_server

    @property
    def mode(self):
        """"synchronous", "bounded staleness 3" or "asynchronous"."""
        return self._native.mode


def _interruptible(function):
    """`function()` on a thread of its own, so that Ctrl-C ends the wait."""
    if threading.current_thread() is not threading.main_thread():
        return function()
    box = []

    def work():
        try:
            box.append((True, function()))
        except BaseException as error:
            box.append((False, error))
    worker = threading.Thread(target=work, daemon=True, name="lockstep connects")
    worker.start()
    while not box:
        worker.join(0.1)
    good, value = box[0]
    if not good:
        raise value
    return value


ParameterServerStrategy.__name__ = "ParameterServerStrategyV2"  # likewise


class _DefaultDistributionStrategy(Strategy):
    """One replica, the calling thread: in force where no scope is open."""

    def __init__(self):
        self._extended = Extended(self)

    num_replicas_in_sync = 1

    _device_numbers = (0,)

    def scope(self):
        import contextlib
        return contextlib.nullcontext(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        return _replicas.converted(fn)(*args, **(kwargs or {}))

    def reduce(self, reduce_op, value, axis):
        from .. import ops_math
        op = _values.reduce_number(reduce_op)
        over = ops_math.reduce_mean if op else ops_math.reduce_sum
        return value if axis is None else _values.map_values(lambda one: over(_values.dividable(op, convert_to_tensor(one)), axis), value)

    def gather(self, value, axis):
        return value

    def experimental_local_results(self, value):
        return (value,)

    def experimental_distribute_dataset(self, dataset, options=None):
        return dataset

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn):
        return value_fn(ValueContext(0, 1))


_default = _DefaultDistributionStrategy()


def experimental_set_strategy(strategy):
    """Opens the scope of a strategy until another one, or None, is set. Raises: RuntimeError inside of a scope."""
    if _set:
        _set.pop().__exit__(None, None, None)
    if has_strategy():
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        _set.append(scope)


_set = []


class _ContextRequests(threading.local):
    """Counts on each thread how often code in a strategy's scope has asked for its replica."""

    count = 0

    def note(self):
        self.count += has_strategy()


_context_requests = _ContextRequests()


def get_strategy():
    """The strategy whose scope is open on this thread, else the default one."""
    return scope_in_force() or _default


def has_strategy():
    """Whether a scope is open on this thread."""
    return coordinator.in_scope() or _native.has_strategy()


def in_cross_replica_context():
    """Whether the calling code runs once for all replicas."""
    _context_requests.note()
    return not coordinator.in_replica() if coordinator.in_scope() else _native.in_cross_replica()


def get_replica_context():
    """The replica in which the calling code runs; None in cross-replica context."""
    _context_requests.note()
    if coordinator.in_scope():
        return coordinator.ChiefReplicaContext(scope_in_force()) if coordinator.in_replica() else None
    return ReplicaContext(scope_in_force()) if _native.in_replica() else None


class CrossDeviceOps:
    """How values are combined: always by the canonical tree, whatever is asked for."""

    def __init__(self, *_, **__):
        pass


class ReductionToOneDevice(CrossDeviceOps):
    pass


class NcclAllReduce(CrossDeviceOps):
    pass


class HierarchicalCopyAllReduce(CrossDeviceOps):
    pass


from . import coordinator, partitioners  # noqa: E402,F401
from .server import Server  # noqa: E402,F401


StrategyExtended = Extended
