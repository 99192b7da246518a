"""Functions that a chief gives to the workers of a cluster; variables live on its parameter servers."""

import atexit
import contextlib
import enum
import os
import sys
import threading
import weakref

from .. import _native, errors, nest
from .._dtypes import BY_CODE, TensorShape
from .._tensor import convert_to_tensor
from .._variable import Variable, _scatter
from . import _require_cross_replica, require_own_scope
from ._replicas import converted, ReplicaContext, require_sequence
from ._values import reduce_number


class RemoteValueStatus(enum.Enum):
    """How far a scheduled function is."""
    NOT_READY = "NOT_READY"
    READY = "READY"
    ABORTED = "ABORTED"


class RemoteValue:
    """What a scheduled function will give."""

    def __init__(self, native, concrete):
        self._native = native
        self._concrete = concrete

    def get(self):
        """Waits for the value, as tensors. Raises: what the function has raised, with worker and line;
        CancelledError where another function failed first."""
        from . import _interruptible
        return self._concrete.pack(_interruptible(self._native.fetch))

    def fetch(self):
        """The same as NumPy arrays."""
        return nest.map_structure(lambda one: one.numpy() if hasattr(one, "numpy") else one, self.get())

    @property
    def _status(self):
        return list(RemoteValueStatus)[self._native.state]


class PerWorkerValues:
    """A value for each worker; a scheduled function gets that of the worker which carries it out."""


class PerWorkerIterator(PerWorkerValues):
    """Elements of a dataset for each worker: `next` works in functions that are scheduled, and there in a loop over a
    range of known length, which is traced once for each of its numbers."""

    def __init__(self, native, spec):
        self._native = native
        self._spec = spec

    element_spec = property(lambda self: self._spec)

    def __iter__(self):
        return self

    def __next__(self):
        if not _native.is_tracing():
            raise NotImplementedError("Iterating over an `AsyncDistributedIterator` is not supported "
                                      "right now; take elements in a function that is scheduled")
        try:
            return nest._pack(self._spec, iter(self._native.next()))
        except errors.FailedPreconditionError as error:
            raise errors._TakenInGraphError(None, None, error.message) from None

    get_next = __next__


class PerWorkerDataset(PerWorkerValues):
    """A dataset for each worker, which sees all of it."""

    def __init__(self, chief, make):
        self._chief = chief
        self._make = make
        self._spec = make().element_spec

    element_spec = property(lambda self: self._spec)

    def __iter__(self):
        return PerWorkerIterator(self._chief.iterator(lambda: self._make()._native), self._spec)


class ClusterCoordinator:
    """Gives functions to the workers of a `ParameterServerStrategy`'s cluster.

    Each worker that is free takes the next one. A function whose worker dies goes to another worker, and
    what it writes to variables takes place once all the same; `effects="immediate"` of the strategy is
    TensorFlow's at least once. There is one coordinator for a strategy.
    Raises: ValueError for another strategy."""

    def __new__(cls, strategy):
        if not isinstance(strategy, _Chief):
            raise ValueError("Only `tf.distribute.experimental.ParameterServerStrategy` or "
                             "`tf.distribute.ParameterServerStrategy` is supported to work with "
                             "`tf.distribute.experimental.coordinator.ClusterCoordinator` currently.")
        if strategy._coordinator is None:
            strategy._coordinator = super().__new__(cls)
        return strategy._coordinator

    def __init__(self, strategy):
        self._strategy = strategy
        self._chief = strategy._chief

    strategy = property(lambda self: self._strategy)

    def schedule(self, fn, args=None, kwargs=None):
        """Lets the next free worker carry out `fn`, a `tf.function`, and returns a `RemoteValue` at once.

        Raises: the first error of earlier functions; TypeError for another function; ValueError for an
        argument that is a `RemoteValue`."""
        from .._function import ConcreteFunction, Function
        if isinstance(fn, ConcreteFunction):
            fn = fn._function
        if not isinstance(fn, Function):
            raise TypeError("`tf.distribute.experimental.coordinator.ClusterCoordinator.schedule` only "
                            "accepts a `tf.function` or a concrete function.")
        args, kwargs = tuple(args or ()), dict(kwargs or {})
        if any(isinstance(one, RemoteValue) for one in nest.flatten((args, kwargs))):
            raise ValueError("`RemoteValue` cannot be an argument of a scheduled function; fetch it first")
        concrete, tensors = fn._prepare(args, kwargs)
        with self._strategy.scope():
            if concrete.scheduled is None:
                concrete.scheduled = _native.Function(fn._first_body(concrete), fn.__name__)
            where = sys._getframe(1)
            while where.f_back is not None and "lockstep" in where.f_globals.get("__name__", ""):
                where = where.f_back
            native = self._chief.schedule(concrete.scheduled, tensors, where.f_code.co_filename, where.f_lineno)
            return RemoteValue(native, concrete)

    def join(self):
        """Waits until nothing is left to do. Raises: the first error, once; the rest is cancelled then.
        UnavailableError, naming them, when all workers are gone for long."""
        from . import _interruptible
        _interruptible(self._chief.join)

    def done(self):
        """Whether nothing is left to do. Raises: as `join`."""
        return self._chief.done()

    def fetch(self, val):
        """Waits for the `RemoteValue`s of a structure, and gives it with arrays in their places."""
        return nest.map_structure(lambda one: one.fetch() if isinstance(one, RemoteValue) else one, val)

    def create_per_worker_dataset(self, dataset_fn):
        """The dataset, or what `dataset_fn()` gives, for each worker, from its beginning. Its iterator
        is an argument of scheduled functions. The chief reads it, and sends elements along."""
        if hasattr(dataset_fn, "element_spec"):
            return PerWorkerDataset(self._chief, lambda: dataset_fn)
        # A traced function would hold the dataset's tensors as symbols; its Python makes them now.
        return PerWorkerDataset(self._chief, getattr(dataset_fn, "python_function", dataset_fn))


class ShardedVariable:
    """A variable whose rows are spread over the servers: `variables` are its shards, "name/part_0", ...
    It is a tensor where one is needed; `sparse_read` and `tf.nn.embedding_lookup` read the rows alone."""

    def __init__(self, variables, name="ShardedVariable"):
        self._native = variables if isinstance(variables, _native.ShardedVariable) else \
            _native.ShardedVariable.of([one._v for one in variables], name)
        self._shards = [Variable._wrap(one) for one in self._native.shards]

    def _adopted_by(self, adopt):
        """A layer takes the shards over as weights of its own."""
        name = self.name
        for one in self._shards:
            adopt(one)
        self._native = _native.ShardedVariable.of([one._v for one in self._shards], name)

    _v = property(lambda self: self._native)  # for who names variables and wholes alike
    variables = property(lambda self: self._shards)
    name = property(lambda self: self._native.name)
    path = name
    dtype = property(lambda self: self._shards[0].dtype)
    shape = property(lambda self: TensorShape(self._native.shape))

    def __iter__(self):
        return iter(self._shards)

    def __tensor__(self):
        return self._native.value()

    def value(self):
        return self._native.value()

    def numpy(self):
        return self.value().numpy()

    def __getitem__(self, key):
        return self.value()[key]

    def assign(self, value):
        """Each shard gets its rows."""
        self._native.assign(self._as_own(value))
        return self

    def assign_add(self, delta):
        self._native.assign_add(self._as_own(delta))
        return self

    def assign_sub(self, delta):
        self._native.assign_sub(self._as_own(delta))
        return self

    def sparse_read(self, indices, name=None):
        """The rows `indices`; each server gives those that it has."""
        return self._native.lookup(convert_to_tensor(indices))

    def _as_own(self, value):
        return convert_to_tensor(value, dtype=self.dtype)

    def _scatter(self, kind, delta):
        self._native.scatter(_scatter[kind], convert_to_tensor(delta.indices), self._as_own(delta.values))
        return self

    def __repr__(self):
        return f"<ShardedVariable '{self.name}' shape={self.shape} dtype={self.dtype.name} in {len(self._shards)} shards>"


_joined = weakref.WeakValueDictionary()  # by the first shard's key


def with_shards_joined(variables):
    """The variables in their order, with a `ShardedVariable` in place of shards ("name/part_0", ...) that follow each other."""
    made, shards = [], []

    def join():
        if not shards:
            return
        whole = _joined.get(shards[0]._v.key)
        if whole is None or [one._v.key for one in whole.variables] != [one._v.key for one in shards]:
            whole = _joined[shards[0]._v.key] = ShardedVariable(shards, shards[0]._v.name.rpartition("/")[0])
        made.append(whole)
        shards.clear()
    for one in variables:
        whole, _, part = one._v.name.rpartition("/")
        if not part.startswith("part_"):
            join()
            made.append(one)
            continue
        if part == "part_0" or not shards or shards[0]._v.name.rpartition("/")[0] != whole:
            join()
        shards.append(one)
    join()
    return made


def _as_tensor(operator):
    def call(self, *args):
        return getattr(self.value(), operator)(*args)
    return call


def _scattering(kind):
    def call(self, sparse_delta, use_locking=False, name=None):
        return self._scatter(kind, sparse_delta)
    call.__name__ = call.__qualname__ = f"scatter_{kind}"
    call.__doc__ = "Changes rows, each on the server that has it."
    return call


for _name in _scatter:
    setattr(ShardedVariable, f"scatter_{_name}", _scattering(_name))
for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "matmul", "rmatmul", "pow", "rpow"):
    setattr(ShardedVariable, f"__{_name}__", _as_tensor(f"__{_name}__"))
for _name in ("neg", "abs", "lt", "le", "gt", "ge"):
    setattr(ShardedVariable, f"__{_name}__", _as_tensor(f"__{_name}__"))


def native_partitioner(partitioner):
    """What a partitioner says, for native code; None for none. Raises: TypeError for what cannot be called."""
    if partitioner is None:
        return None
    if not callable(partitioner):
        raise TypeError(f"variable_partitioner must be a callable; got {partitioner!r}")
    return lambda shape, dtype: _cut_by(partitioner, TensorShape(shape), BY_CODE[dtype])


def _cut_by(partitioner, shape, dtype):
    cut = [int(one) for one in partitioner(shape=shape, dtype=dtype)]
    if not cut or cut[0] < 1 or any(one != 1 for one in cut[1:]):
        raise ValueError("ShardedVariable only supports 1D partitioning along the first axis; got "
                         f"{cut} for a variable of shape {shape}")
    return cut


def whole_or_shards(native):
    """The Python object of a native variable: a `ShardedVariable` where it stands for shards."""
    shards = _native.ShardedVariable.whole(native)
    return Variable._wrap(native) if shards is None else ShardedVariable(shards)


def shards_in_scope(initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None,
                    variable_def=None, dtype=None, *_, **__):
    """A `ShardedVariable` where the scope's partitioner cuts the variable, else None."""
    from . import scope_in_force
    strategy = scope_in_force()
    if strategy is None or getattr(strategy, "_partitioner", None) is None:
        return None
    if initial_value is None:
        raise ValueError("It looks like you are using `ParameterServerStrategy` with a `variable_partitioner`, "
                         "and trying to create a variable without specifying `initial_value`. This is not "
                         "allowed. Please specify the `initial_value`.")
    value = convert_to_tensor(initial_value() if callable(initial_value) else initial_value, dtype=dtype)
    if not value.shape.rank:
        return None
    cut = _cut_by(strategy._partitioner, value.shape, value.dtype)
    if cut[0] == 1:
        return None
    return ShardedVariable(_native.ShardedVariable.make(
        value, name or "Variable", trainable is not False, int(cut[0])))


# ---- the strategy of a chief

_local = threading.local()
_strategies = weakref.WeakSet()


def strategy_in_scope():
    """The innermost strategy of a chief in whose scope the calling thread is, or None."""
    scopes = getattr(_local, "scopes", None)
    return scopes[-1] if scopes else None


def in_scope():
    return bool(getattr(_local, "scopes", None))


def in_replica():
    """Whether the calling code is what a chief's `run` calls."""
    return getattr(_local, "in_replica", False)


@contextlib.contextmanager
def _replica(inside):
    before = in_replica()
    _local.in_replica = inside
    try:
        yield
    finally:
        _local.in_replica = before


class ChiefReplicaContext(ReplicaContext):
    """The one replica: what is combined is its own."""

    replica_id_in_sync_group = property(lambda self: convert_to_tensor(0))
    num_replicas_in_sync = 1

    def all_reduce(self, reduce_op, value, options=None):
        reduce_number(reduce_op)
        return nest.map_structure(convert_to_tensor, value)

    def all_gather(self, value, axis, options=None):
        return nest.map_structure(convert_to_tensor, value)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        with _replica(False):
            return merge_fn(self._strategy, *args, **(kwargs or {}))


class _Scope:
    """Variables made inside are on the servers."""

    def __init__(self, strategy):
        self._strategy = strategy

    def __enter__(self):
        require_own_scope(self._strategy)
        self._native = _native.ChiefScope(self._strategy._chief)
        self._native.enter()
        _local.scopes = getattr(_local, "scopes", [])
        _local.scopes.append(self._strategy)
        return self._strategy

    def __exit__(self, *_):
        _local.scopes.pop()
        self._native.exit()


class _Chief:
    """What a chief's strategy does: one replica, the function that is running."""

    def __init__(self, cluster_resolver=None, variable_partitioner=None, effects="exactly_once",
                 patience=60.0, connecting=60.0, queue_bound=0, mode="asynchronous", staleness=0,
                 coordinated=True):
        from . import Extended, _interruptible
        from .cluster_resolver import TFConfigClusterResolver
        if effects not in ("exactly_once", "immediate"):
            raise ValueError(f"effects must be 'exactly_once' or 'immediate'; got {effects!r}")
        self.cluster_resolver = cluster_resolver or TFConfigClusterResolver()
        self._partitioner = variable_partitioner
        self._coordinator = None
        self._extended = Extended(self)
        jobs = self.cluster_resolver.cluster_spec()._jobs
        self._chief = _interruptible(lambda: _native.Chief(
            jobs, patience, connecting, effects == "immediate", queue_bound, mode, staleness,
            native_partitioner(variable_partitioner)))
        self._mode, self._staleness = mode, staleness
        _strategies.add(self)

    num_replicas_in_sync = 1

    @property
    def mode(self):
        """"synchronous", "bounded staleness 3" or "asynchronous": how `Model.fit` schedules its steps."""
        return f"bounded staleness {self._staleness}" if self._mode == "bounded" else self._mode

    @property
    def num_servers(self):
        """How many tasks of the job `ps` keep variables."""
        return len(self.cluster_resolver.cluster_spec().task_indices("ps"))

    is_server = False

    def _most_steps(self):
        """How many steps of a training may be under way."""
        busy = 2 * self._chief.workers
        return 1 if self._mode == "synchronous" else \
            min(busy, self._staleness + 1) if self._mode == "bounded" else busy

    def scope(self):
        """A context in which variables are made on the servers, one after another."""
        return _Scope(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        """Calls `fn`: a worker is one replica. Raises: ValueError for arguments that are no list or tuple; RuntimeError
        inside of a replica."""
        require_sequence(args)
        _require_cross_replica()
        with self.scope(), _replica(True):
            return converted(fn)(*args, **(kwargs or {}))

    def reduce(self, reduce_op, value, axis):
        from . import _default
        return _default.reduce(reduce_op, value, axis)

    def gather(self, value, axis):
        return value

    def experimental_local_results(self, value):
        return (value,)

    def experimental_distribute_dataset(self, dataset, options=None):
        return dataset

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        from . import InputContext
        return dataset_fn(InputContext())


def _is_chief(args, kwargs):
    """Whether the script is a chief's: it says so, or it names no mode of training in which all tasks run it,
    and the others of its cluster are servers and workers."""
    coordinated = kwargs.get("coordinated")
    if coordinated is not None:
        return bool(coordinated)
    if len(args) > 2 or "mode" in kwargs or os.environ.get("LOCKSTEP_TASK"):
        return False
    resolver = args[0] if args else kwargs.get("cluster_resolver")
    if resolver is None:
        if not os.environ.get("TF_CONFIG"):
            return False
        from .cluster_resolver import TFConfigClusterResolver
        resolver = TFConfigClusterResolver()
    jobs = resolver.cluster_spec().jobs
    return "ps" in jobs and "worker" in jobs and resolver.task_type in (None, "", "chief")


_classes = {}


def chief_strategy(cls, args, kwargs):
    """The object for `ParameterServerStrategy(...)` in the script of a chief; None for another one."""
    if issubclass(cls, _Chief) or not _is_chief(args, kwargs):
        return object.__new__(cls) if issubclass(cls, _Chief) else None
    made = _classes.get(cls)
    if made is None:
        made = _classes[cls] = type(cls.__name__, (_Chief, cls), {"__doc__": cls.__doc__,
                                                                  "__module__": cls.__module__})
    return object.__new__(made)


@atexit.register
def _close_chiefs():
    for strategy in list(_strategies):
        strategy._chief.close()
