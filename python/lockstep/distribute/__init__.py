"""Strategies: who computes, and how many replicas a program has."""

import contextvars
import enum
import threading
import typing
import weakref

from .. import _native, errors, nest
from .._composites import Parts
from .._tensor import IndexedSlices, Tensor, convert_to_tensor, static_shape
from .._variable import UnreadVariable, Variable
from ..data._iterator import Argument, ElementForm
from ..data.experimental import AutoShardPolicy
from ..device_spec import own_device, own_task
from . import cluster_resolver, experimental  # noqa: F401


class ReduceOp(enum.Enum):
    """How values of replicas become one."""
    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation):
        return ReduceOp.MEAN if aggregation.name == "MEAN" else ReduceOp.SUM


def _reduce_op(op):
    if isinstance(op, str):
        op = op.upper()
        if op not in ("SUM", "MEAN"):
            raise ValueError(f"{op!r} is not a valid ReduceOp: it must be SUM or MEAN")
        return 0 if op == "SUM" else 1
    if not isinstance(op, ReduceOp):
        raise TypeError(f"Expected type of `op` to be `tf.distribute.ReduceOp`, but got {type(op)}")
    return 0 if op is ReduceOp.SUM else 1


class DistributedValues:
    """A value for each replica."""


class _PerReplicaParts(Parts):
    """A value for each replica."""

    def whole(self):
        return local_value(PerReplica(self))


_spread = []  # of the newest strategy over several workers: a weak reference


def own_replicas(count):
    """Which of so many replicas this process has, [first, last)."""
    strategy = _spread[0]() if _spread else None
    return strategy._native.local_replicas if strategy is not None and strategy.num_replicas_in_sync == count else (0, count)


def first_value(name, value):
    """What a variable begins with that is made here."""
    strategy = scope_in_force() if _spread else None
    return value if strategy is None or strategy is not _spread[0]() else strategy._of_first_worker(name, value)


def _for_each_replica(structures):
    """One structure of PerReplica values of these, one for each replica."""
    rows = zip(*(nest.flatten(one) for one in structures))
    return nest._pack(structures[0], iter([PerReplica(row, wrapped=True) for row in rows]))


class PerReplica(DistributedValues):
    """A value for each replica, in their order. It shows those of this worker; where that is a single one, it can be used as
    that one."""

    def __init__(self, values, wrapped=False):
        self._values, self._wrapped = tuple(values), wrapped

    @property
    def _type_spec(self):
        from .._type_specs import type_spec_from_value
        return PerReplicaSpec(*[type_spec_from_value(one) for one in self._values])

    @property
    def values(self):
        """Those of this worker's replicas."""
        first, last = own_replicas(len(self._values))
        return self._values[first:last]

    @property
    def dtype(self):
        return self._values[0].dtype

    @property
    def shape(self):
        return self._values[0].shape

    def __getattr__(self, name):
        if name.startswith("_") or len(self.values) != 1:
            raise AttributeError(f"'PerReplica' object has no attribute {name!r}")
        return getattr(self.__tensor__(), name)

    def _key_parts(self):
        """The values as arguments of a function, which is traced once for all of a kind."""
        return _PerReplicaParts(*self._values)

    def _carried(self):
        return list(self._values)

    def _carrying(self, values):
        return PerReplica(values)

    def __tensor__(self):
        own = self.values
        if len(own) == 1:
            return convert_to_tensor(own[0])
        raise ValueError("Attempt to convert a value that differs on each replica (PerReplica) to a "
                         "Tensor; use strategy.reduce(...), strategy.gather(...) or "
                         "strategy.experimental_local_results(...)")

    def numpy(self):
        return self.__tensor__().numpy()

    def __float__(self):
        return float(self.__tensor__())

    def __int__(self):
        return int(self.__tensor__())

    def __getitem__(self, key):
        return self.__tensor__()[key]

    def __bool__(self):
        return bool(self.__tensor__()) if len(self.values) == 1 else True

    def __format__(self, how):
        return format(self.__tensor__(), how) if how or len(self.values) == 1 else str(self)

    def __repr__(self):
        return self._text(repr)

    def __str__(self):
        return self._text(str)

    def _text(self, text):
        own = self.values
        if len(own) == 1 < len(self._values) and not self._wrapped:
            return text(own[0])
        return "PerReplica:{\n" + ",\n".join(f"  {i}: {text(one)}" for i, one in enumerate(own)) + "\n}"


def _give_operators():
    def operator(name):
        def apply(self, *others):
            return getattr(self.__tensor__(), name)(*others) if len(self.values) == 1 else NotImplemented
        return apply
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
        for one in (f"__{name}__", f"__r{name}__"):
            setattr(PerReplica, one, operator(one))
    for one in ("neg", "abs", "lt", "le", "gt", "ge"):
        setattr(PerReplica, f"__{one}__", operator(f"__{one}__"))


_give_operators()


def local_value(value):
    """A value of one replica as it is; `PerReplica` of several stays."""
    if isinstance(value, PerReplica) and len(value._values) == 1:
        return value._values[0]
    return value


_local = threading.local()
_by_id = {}


def _scopes():
    try:
        return _local.scopes
    except AttributeError:
        _local.scopes = []
        return _local.scopes


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


def require_sequence(args):
    """Raises: ValueError for arguments of `run` that are no list or tuple."""
    if not isinstance(args, (list, tuple)):
        raise ValueError("positional args must be a list or tuple, got {}".format(type(args)))


class _Scope:
    def __init__(self, strategy):
        self._strategy = strategy
        self._native = _native.StrategyScope(strategy._native)

    def __enter__(self):
        if coordinator.in_scope():
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

    def _adopt(self, native):
        self._native = native
        self._extended = Extended(self)
        _by_id[native.id] = self

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
        require_sequence(args)
        _require_cross_replica()
        return _run(self, fn, tuple(args), kwargs or {})

    def reduce(self, reduce_op, value, axis):
        """One value from all replicas; with `axis`, elements along it are added up first, and MEAN
        divides by their number over all replicas. Raises: RuntimeError inside of a replica."""
        _require_cross_replica()
        op = _reduce_op(reduce_op)
        axes = axis if isinstance(axis, (list, tuple)) else [axis]

        def one(leaf):
            leaf = _plain(self._of_each_worker(leaf))
            if self.num_replicas_in_sync == 1 and not isinstance(leaf, tuple) and axis is None:
                return convert_to_tensor(leaf)
            leaf = self._of_each_replica(op, leaf, axis)
            if axis is not None or isinstance(leaf, tuple):
                leaf = _dividable(op, leaf)
            result = leaf
            for place in axes:
                result = self._native.reduce(op, result, place)
            return result
        return _map(one, value)

    def _of_each_replica(self, op, leaf, axis):
        """What is reduced of a plain value: along an axis it is every replica's, and otherwise a MEAN of it alone."""
        if isinstance(leaf, tuple) or self.num_replicas_in_sync == 1:
            return leaf
        if axis is not None:
            return (leaf,) * self.num_replicas_in_sync
        if op == _reduce_op(ReduceOp.SUM):
            raise ValueError(f"A non-DistributedValues value {leaf!s} cannot be reduced with the given reduce op "
                             f"{ReduceOp.SUM}.")
        return leaf

    def gather(self, value, axis):
        """The replicas' values one after another along `axis`. Raises: RuntimeError inside of a replica."""
        _require_cross_replica()

        def one(leaf):
            leaf = _plain(self._of_each_worker(leaf))
            if isinstance(leaf, tuple):
                return self._native.gather(leaf, axis)
            tensor = convert_to_tensor(leaf)
            if self.num_replicas_in_sync == 1:
                return tensor
            return self._native.gather((tensor,) * self.num_replicas_in_sync, axis)
        return _map(one, value)

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
        _require_dataset(dataset)
        policy = dataset.options().experimental_distribute._set().get("auto_shard_policy")
        if policy in (None, AutoShardPolicy.DATA, AutoShardPolicy.HINT) or self.num_replicas_in_sync == 1:
            return DistributedDataset(self, [dataset])
        return DistributedDataset(self, [dataset._pieces(self.num_replicas_in_sync, *pipeline, policy)
                                         for pipeline in self._native.input_pipelines], dealt=True)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """Batches of `dataset_fn(InputContext)`, one for each replica of a step. Over several workers the function is
        called for each replica's pipeline, on all of them, so that nothing depends on their number."""
        return DistributedDataset(self, [dataset_fn(InputContext(count, one, self.num_replicas_in_sync))
                                         for count, one in self._native.input_pipelines], dealt=True)

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
        first, last = self._native.local_replicas
        if last - first == count or _native.is_tracing():
            return _for_each_replica([value_fn(ValueContext(i, count)) for i in range(count)])
        own = [value_fn(ValueContext(i, count)) for i in range(first, last)]
        form = own[0] if own else value_fn(ValueContext(0, count))
        rows = self._from_owners("values for replicas",
                                 [[convert_to_tensor(leaf) for leaf in nest.flatten(one)] for one in own])
        return _for_each_replica([nest._pack(form, iter(row)) for row in rows])

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


def _map(function, value):
    if isinstance(value, (list, tuple)) and not isinstance(value, PerReplica):
        return nest._like(value, [_map(function, one) for one in value])
    if isinstance(value, dict):
        return {key: _map(function, one) for key, one in value.items()}
    return function(value)


def _plain(leaf):
    """What the native strategy takes: a tuple with a tensor for each replica, or one tensor."""
    if isinstance(leaf, PerReplica):
        if len(leaf._values) == 1:
            return _row(leaf._values[0])
        return tuple(_row(one) for one in leaf._values)
    return _row(leaf)


def _dividable(op, value):
    """What a mean is taken of: integers as the floats that their quotients are."""
    if isinstance(value, tuple):
        return tuple(_dividable(op, one) for one in value)
    return value / 1 if op == 1 and value.dtype.is_integer else value


def _row(one):
    if isinstance(one, IndexedSlices):
        return _native.from_slices(one.values, one.indices, static_shape(one.dense_shape))
    return convert_to_tensor(one)


class _Kept:
    """A result that is no tensor, for each replica."""

    def __init__(self):
        self.values = []


def converted(fn):
    """A replica's function; while a function is traced its control flow over tensors is taken over, too."""
    if not _native.is_tracing():
        return fn
    from .. import autograph
    return autograph.convert_callable(fn)


def _run(strategy, fn, args, kwargs):
    count = strategy.num_replicas_in_sync
    structure = (args, kwargs)
    leaves = nest.flatten(structure)
    given, places = [], []
    for leaf in leaves:
        if isinstance(leaf, PerReplica) and not all(
                isinstance(one, (Tensor, Variable, int, float)) for one in leaf._values):
            places.append(leaf)
        elif isinstance(leaf, (PerReplica, Tensor)):
            places.append(len(given))
            given.append(_plain(leaf))
        else:
            places.append(leaf)
    tracing = _native.is_tracing()
    fn = converted(fn)
    structures, kept, made = [], [], []
    calls = [0]
    context = contextvars.copy_context()
    outer_state = _thread_state()

    def replica(own):
        number = calls[0]
        calls[0] += 1
        flat = []
        for place, leaf in zip(places, leaves):
            if place is leaf and isinstance(leaf, PerReplica):
                flat.append(leaf._values[min(number, len(leaf._values) - 1)])
            elif type(place) is int and isinstance(leaf, PerReplica if not tracing else (PerReplica, Tensor)):
                flat.append(own[place])
            else:
                flat.append(leaf)
        packed_args, packed_kwargs = nest._pack(structure, iter(flat))
        restore = _take_thread_state(outer_state)
        try:
            if threading.current_thread() is owner:
                value = fn(*packed_args, **packed_kwargs)
            else:
                value = context.copy().run(fn, *packed_args, **packed_kwargs)
        finally:
            restore()
        tensors, others = [], []

        def take(leaf):
            if isinstance(leaf, Tensor):
                tensors.append(leaf)
                return ("t", len(tensors) - 1)
            if isinstance(leaf, IndexedSlices):
                tensors.append(_row(leaf))
                return ("t", len(tensors) - 1)
            if isinstance(leaf, UnreadVariable):
                leaf = leaf._assigned if _native.is_tracing() or count == 1 else leaf
            others.append(leaf)
            return ("o", len(others) - 1)
        structures.append(_leaf_map(take, value))
        kept.append(others)
        made.append(tensors)
        return tensors
    owner = threading.current_thread()
    results = strategy._native.run(replica, given)

    def give(mark):
        kind, place = mark
        if kind == "t":
            value = results[place]
            is_one = count == 1 or len(made) == count and all(row[place] is made[0][place] for row in made)
            values = value if isinstance(value, tuple) else (value,) * count
            return values[0] if is_one else PerReplica(values)
        values = [others[place] for others in kept]
        if all(one is values[0] for one in values) or len(values) == 1:
            return values[0]
        if all(isinstance(one, Variable) and one._v.key == values[0]._v.key for one in values):
            return values[0]
        return PerReplica(values)
    return _leaf_map_marks(give, structures[0])


def _leaf_map(function, value):
    if isinstance(value, (list, tuple)):
        return nest._like(value, [_leaf_map(function, one) for one in value]) if not isinstance(
            value, tuple) else _Tuple(value, [_leaf_map(function, one) for one in value])
    if isinstance(value, dict):
        return {key: _leaf_map(function, one) for key, one in value.items()}
    return function(value)


class _Tuple:
    """A tuple of results, unlike the marks of leaves."""

    def __init__(self, like, parts):
        self.like = like
        self.parts = parts


def _leaf_map_marks(function, value):
    if isinstance(value, _Tuple):
        return nest._like(value.like, [_leaf_map_marks(function, one) for one in value.parts])
    if isinstance(value, list):
        return [_leaf_map_marks(function, one) for one in value]
    if isinstance(value, dict):
        return {key: _leaf_map_marks(function, one) for key, one in value.items()}
    return function(value)


def _thread_state():
    from .. import _function, _records
    return list(_function._traces()), _records.controls()


def _take_thread_state(state):
    """A replica runs on a thread of its own: it goes on with what its caller has open."""
    from .. import _function, _records
    traces, controls = state
    before = (_function._traces(), _records.controls())
    _function._local.traces = traces
    _records.set_controls(controls)

    def restore():
        _function._local.traces = before[0]
        _records.set_controls(before[1])
    return restore


class InputContext:
    """Which part of the input a function is asked for."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size):
        """The share of one replica. Raises: ValueError when the replicas do not divide the batch."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                             f"`num_replicas_in_sync` {self.num_replicas_in_sync!r} ")
        return global_batch_size // self.num_replicas_in_sync

    def __repr__(self):
        return (f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
                f"{self.num_input_pipelines})")


class ValueContext:
    """For which replica a function is asked."""

    def __init__(self, replica_id_in_sync_group=0, num_replicas_in_sync=1):
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class InputReplicationMode(enum.Enum):
    """Whether a worker has one pipeline of input, or each replica one of its own."""
    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(typing.NamedTuple):
    """Options of input distribution, taken and without effect on what is computed."""
    experimental_fetch_to_device: bool = True
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(typing.NamedTuple):
    """Options of `Strategy.run`, taken and without effect."""
    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None


class PerReplicaSpec:
    """What a value of each replica looks like: a TensorSpec for each, all alike."""

    def __init__(self, *value_specs):
        self._value_specs = value_specs

    shape = property(lambda self: self._value_specs[0].shape)
    dtype = property(lambda self: self._value_specs[0].dtype)
    _component_specs = property(lambda self: self._value_specs)

    def is_compatible_with(self, value):
        """Whether these are values that fit, one for each replica."""
        parts = getattr(value, "_values", None)
        return isinstance(value, PerReplica) and len(parts) == len(self._value_specs) and all(
            spec.is_compatible_with(one) for spec, one in zip(self._value_specs, parts))

    def __eq__(self, other):
        return isinstance(other, PerReplicaSpec) and self._value_specs == other._value_specs

    def __hash__(self):
        return hash(self._value_specs)

    def __repr__(self):
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


def _specs_for_replicas(spec, count, dealt):
    """The specs of a dataset's elements as replicas get them: their parts of a batch, or each a batch of its own."""
    if count == 1:
        return spec
    from .._function import TensorSpec

    def for_replicas(one):
        if not isinstance(one, TensorSpec) or one.shape.rank == 0 and not dealt:
            return one
        if not one.shape.rank:
            return PerReplicaSpec(*[one] * count)
        rows, *rest = one.shape.as_list()
        rows = rows if dealt or rows is None else rows // count if rows % count == 0 else None
        return PerReplicaSpec(*[TensorSpec([rows] + rest, one.dtype)] * count)
    return nest.map_structure(for_replicas, spec)


def _require_dataset(dataset):
    if not getattr(dataset, "_is_dataset", False):
        raise AttributeError(f"a tf.data.Dataset is distributed; got {type(dataset).__name__}, which has no 'element_spec'; "
                             "make one by tf.data.Dataset.from_tensor_slices(...).batch(n)")


class DistributedDataset:
    """Batches divided over replicas: each is cut, or, `dealt`, dealt to the replicas of its pipeline."""

    _is_dataset = True

    def __init__(self, strategy, pipelines, dealt=False):
        for one in pipelines:
            _require_dataset(one)
        self._strategy = strategy
        self._pipelines = pipelines
        self._dealt = dealt

    _dataset = property(lambda self: self._pipelines[0])

    @property
    def element_spec(self):
        return _specs_for_replicas(self._dataset.element_spec, self._strategy.num_replicas_in_sync, self._dealt)

    @property
    def _form(self):
        return ElementForm(self._dataset.element_spec, self._strategy.num_replicas_in_sync)

    @property
    def cardinality(self):
        return self._dataset.cardinality

    def __len__(self):
        return len(self._dataset)

    def __iter__(self):
        return DistributedIterator(self, [iter(one) for one in self._pipelines])


class DistributedIterator(Argument):
    """A place in one pass over a distributed dataset; its elements hold values for each replica."""

    def __init__(self, dataset, sources):
        self._strategy = dataset._strategy
        self._sources = sources
        self._dealt = dataset._dealt
        self.element_spec, self._declared = dataset.element_spec, dataset._form

    @property
    def _form(self):
        if not self._declared.ranked:
            self._declared = self._declared.with_ranks(nest.flatten(self._sources[0]._form.spec))
        return self._declared

    def __iter__(self):
        return self

    def __next__(self):
        count = self._strategy.num_replicas_in_sync
        if count == 1:
            return next(self._sources[0])
        if _native.is_tracing() and self._declared.specs is not None:
            return self._form.next_in_graph(self._taken)
        if self._dealt:
            return self._deal(count)
        element = next(self._sources[0])
        flat = nest.flatten(element)
        shares = self._strategy._native.split([convert_to_tensor(one) for one in flat])
        return nest._pack(element, iter([
            PerReplica(share) if isinstance(share, tuple) else PerReplica((share,) * count)
            for share in shares]))

    def _taken(self):
        scope = _native.EagerScope()
        scope.enter()
        try:
            element = next(self, None)
        finally:
            scope.exit()
        return None if element is None else [
            convert_to_tensor(value) for one in nest.flatten(element) for value in getattr(one, "_values", [one])]

    def _deal(self, count):
        elements = [next(self._sources[r * len(self._sources) // count], None) for r in range(count)]
        like = next((one for one in elements if one is not None), None)
        if like is None:
            raise StopIteration
        columns = []
        for place, first in enumerate(nest.flatten(like)):
            columns.append(PerReplica([
                first[:0] if one is None else nest.flatten(one)[place] for one in elements]))
        return nest._pack(like, iter(columns))

    def get_next(self):
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self):
        """An optional with the next element, or with none at the end."""
        if self._strategy.num_replicas_in_sync == 1:
            return self._sources[0].get_next_as_optional()
        if _native.is_tracing() and self._declared.specs is not None:
            return self._form.optional_in_graph(self._taken)
        from ..experimental import Optional
        try:
            return Optional(next(self), True)
        except StopIteration:
            return Optional.empty(self.element_spec)


class ReplicaContext:
    """One replica of a running `Strategy.run`, seen from inside."""

    def __init__(self, strategy=None):
        self._strategy = strategy

    @property
    def strategy(self):
        return self._strategy or get_strategy()

    @property
    def replica_id_in_sync_group(self):
        """This replica's number; 0 where no strategy runs."""
        return _native.replica_id() if self._strategy else 0

    @property
    def num_replicas_in_sync(self):
        return _native.replicas_in_sync()

    def all_reduce(self, reduce_op, value, options=None):
        """Combines the replicas' values; each replica gets the result."""
        op, flat = _reduce_op(reduce_op), [_row(one) for one in nest.flatten(value)]
        if self.num_replicas_in_sync > 1:
            flat = [_dividable(op, one) for one in flat]
        results = _native.all_reduce(op, flat)
        return nest._pack(value, iter(results))

    def all_gather(self, value, axis, options=None):
        """The replicas' values one after another along `axis`."""
        return nest.map_structure(
            lambda one: _native.all_gather(convert_to_tensor(one), axis), value)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Stops all replicas, calls `merge_fn(strategy, *args)` once, and goes on with its result."""
        structure = (tuple(args), kwargs or {})
        leaves = nest.flatten(structure)
        tensors = [convert_to_tensor(one) for one in leaves if isinstance(one, Tensor)]
        strategy = self.strategy
        form = []

        def merge(values):
            values = iter(values)
            packed = []
            for one in leaves:
                if isinstance(one, Tensor):
                    value = next(values)
                    packed.append(PerReplica(value) if isinstance(value, tuple) else value)
                else:
                    packed.append(one)
            own_args, own_kwargs = nest._pack(structure, iter(packed))
            made = merge_fn(strategy, *own_args, **own_kwargs)
            flat = []

            def take(leaf):
                if isinstance(leaf, PerReplica) or isinstance(leaf, Tensor) and leaf._symbolic:
                    flat.append(_plain(leaf))
                    return ("t", len(flat) - 1)
                return ("o", leaf)  # the very same for all replicas
            form.append(_leaf_map(take, made))
            return flat
        results = _native.merge_call(merge, tensors)
        marks = form[0] if form else _last_form(self)
        _remember_form(marks)
        return _leaf_map_marks(lambda mark: results[mark[1]] if mark[0] == "t" else mark[1], marks)


_forms = [None]


def _remember_form(form):
    _forms[0] = form


def _last_form(_):
    return _forms[0]


class Extended:
    """What libraries use of a strategy."""

    def __init__(self, strategy):
        self._strategy = strategy

    @property
    def worker_devices(self):
        """A device for each replica of this task."""
        first, last = own_replicas(self._strategy.num_replicas_in_sync)
        return tuple(own_device(i) for i in range(last - first))

    parameter_devices = worker_devices
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
        """Calls `fn(var, ...)` where the variable lives."""
        return fn(var, *args, **(kwargs or {}))

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
        return variable._strategy is self._strategy

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        return self._strategy.run(fn, args, kwargs)


class MirroredStrategy(Strategy):
    """Replicas of one process that stay equal.

    Args: devices: names such as "CPU:0", one a replica; without them there is one replica, as there
    are no accelerators. replicas: R, whatever the devices; num_devices and threads_per_device: how
    the work is spread, which changes the time alone."""

    def __init__(self, devices=None, cross_device_ops=None, replicas=0, num_devices=0,
                 threads_per_device=1):
        names = [_device_name(one) for one in devices or []]
        self._adopt(_native.MirroredStrategy(num_devices, replicas, threads_per_device, names))


def _device_name(name):
    name = str(name)
    for kind in ("CPU", "GPU", "cpu", "gpu"):
        if kind + ":" in name:
            return f"{kind.upper()}:{name.rpartition(':')[2]}"
    return name


class OneDeviceStrategy(Strategy):
    """One replica on one device."""

    def __init__(self, device="/cpu:0", threads=1):
        from ..device_spec import DeviceSpec
        self._device = DeviceSpec.from_string(device) and device
        self._adopt(_native.OneDeviceStrategy(threads))


class CentralStorageStrategy(Strategy):
    """Variables on one device, compute on others."""

    def __init__(self, compute_devices=None, parameter_device=None):
        names = [_device_name(one) for one in compute_devices or []]
        self._adopt(_native.CentralStorageStrategy(
            names, _device_name(parameter_device) if parameter_device else ""))


class MultiWorkerMirroredStrategy(Strategy):
    """Mirrored over the processes that the environment describes (TF_CONFIG, `lockstep launch`, Slurm,
    ...), once all of them are there.

    Raises: InvalidArgumentError with all mistakes of the description; DeadlineExceededError naming who
    is missing."""

    def __init__(self, cluster_resolver=None, communication_options=None, devices=0, replicas=0,
                 threads_per_device=1):
        from . import cluster_resolver as resolvers
        self.cluster_resolver = cluster_resolver or resolvers.environment_resolver()
        self._adopt(_interruptible(lambda: _native.MultiWorkerMirroredStrategy(
            devices, replicas, threads_per_device)))
        if self.cluster_resolver.task_type:
            own_task[:] = [f"/job:{self.cluster_resolver.task_type}/replica:0/task:{self.cluster_resolver.task_id}"]
        if self._native.workers > 1:
            _spread[:] = [weakref.ref(self)]


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
                 scale_by_staleness=False, devices=0, replicas=0, threads_per_device=1, coordinated=None):
        from . import cluster_resolver as resolvers
        self._partitioner = variable_partitioner
        partitioner = coordinator.native_partitioner(variable_partitioner)
        self.cluster_resolver = cluster_resolver or resolvers.environment_resolver()
        self._adopt(_interruptible(lambda: _native.ParameterServerStrategy(
            mode, staleness, scale_by_staleness, devices, replicas, threads_per_device, partitioner)))

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


class _DefaultDistributionStrategy(Strategy):
    """One replica, the calling thread: in force where no scope is open."""

    def __init__(self):
        self._extended = Extended(self)

    num_replicas_in_sync = 1

    def scope(self):
        import contextlib
        return contextlib.nullcontext(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        return converted(fn)(*args, **(kwargs or {}))

    def reduce(self, reduce_op, value, axis):
        from .. import ops_math
        op = _reduce_op(reduce_op)
        over = ops_math.reduce_mean if op else ops_math.reduce_sum
        return value if axis is None else _map(lambda one: over(_dividable(op, convert_to_tensor(one)), axis), value)

    def gather(self, value, axis):
        return value

    def experimental_local_results(self, value):
        return (value,)

    def experimental_distribute_dataset(self, dataset, options=None):
        return dataset

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        return dataset_fn(InputContext())


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


def get_strategy():
    """The strategy whose scope is open on this thread, else the default one."""
    return scope_in_force() or _default


def has_strategy():
    """Whether a scope is open on this thread."""
    return coordinator.in_scope() or _native.has_strategy()


def in_cross_replica_context():
    """Whether the calling code runs once for all replicas."""
    return not coordinator.in_replica() if coordinator.in_scope() else _native.in_cross_replica()


def get_replica_context():
    """The replica in which the calling code runs; None in cross-replica context."""
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
