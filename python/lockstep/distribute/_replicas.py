"""Running a function once for each replica, and a replica seen from inside."""

import contextvars
import threading
import typing

from .. import _native, nest
from .._tape import with_slices
from .._tensor import IndexedSlices, Tensor, convert_to_tensor
from .._thread_lists import ThreadList
from .._variable import UnreadVariable, Variable, VariableAggregation, VariableSynchronization
from ._values import dividable, plain, reduce_number, row_of, PerReplica


def require_sequence(args):
    """Raises: ValueError for arguments of `run` that are no list or tuple."""
    if not isinstance(args, (list, tuple)):
        raise ValueError("positional args must be a list or tuple, got {}".format(type(args)))


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


_merged = ThreadList()  # by open run: the ids of what all replicas are given alike


def run(strategy, fn, args, kwargs):
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
            given.append(plain(leaf))
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
                if isinstance(leaf, Tensor):
                    merged.add(own[place]._id)
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
            if isinstance(leaf, UnreadVariable) and count > 1 and _assigned_apart(leaf):
                leaf = leaf.value()
            if isinstance(leaf, Tensor):
                tensors.append(leaf)
                return ("t", len(tensors) - 1)
            if isinstance(leaf, IndexedSlices):
                tensors.append(row_of(leaf))
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
    merged, last_before = set(), convert_to_tensor(0)._id
    _merged().append(merged)
    try:
        results = strategy._native.run(replica, given)
    finally:
        _merged().pop()

    def is_same(tensor):
        """Whether a trace has one value for all replicas: one from outside of them, or of all together."""
        return tracing and (tensor._id < last_before or tensor._id in merged)

    def give(mark):
        kind, place = mark
        if kind == "t":
            value = results[place]
            is_one = count == 1 or len(made) == count and all(row[place] is made[0][place] for row in made) or is_same(
                made[0][place])
            values = tuple(map(with_slices, value)) if isinstance(value, tuple) else (with_slices(value),) * count
            return values[0] if is_one else PerReplica(values)
        values = [others[place] for others in kept]
        if all(one is values[0] for one in values) or len(values) == 1:
            return values[0]
        if all(isinstance(one, Variable) and one._v.key == values[0]._v.key for one in values):
            return values[0]
        return PerReplica(values)
    return _leaf_map_marks(give, structures[0])


def _assigned_apart(variable):
    """Whether each replica has assigned to its own copy, so that the copies may differ."""
    return (variable.aggregation == VariableAggregation.NONE and variable.synchronization != VariableSynchronization.ON_READ)


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


def _marks_of(value):
    marks = []
    _leaf_map_marks(marks.append, value)
    return marks


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
    _function._traces.items = traces
    _records.set_controls(controls)

    def restore():
        _function._traces.items = before[0]
        _records.set_controls(before[1])
    return restore


class RunOptions(typing.NamedTuple):
    """Options of `Strategy.run`, taken and without effect."""
    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None


class ReplicaContext:
    """One replica of a running `Strategy.run`, seen from inside."""

    def __init__(self, strategy=None):
        self._strategy = strategy

    @property
    def strategy(self):
        from . import get_strategy
        return self._strategy or get_strategy()

    @property
    def replica_id_in_sync_group(self):
        """This replica's number; 0 where no strategy runs."""
        return _native.replica_id() if self._strategy else 0

    @property
    def num_replicas_in_sync(self):
        return _native.replicas_in_sync()

    @property
    def devices(self):
        """The device of this replica, in a tuple; of a mirrored strategy, a list of the list of them."""
        from . import MirroredStrategy
        from ..device_spec import own_device
        numbers = self.strategy._device_numbers
        own = own_device(numbers[self.replica_id_in_sync_group % len(numbers)])
        return [[own]] if isinstance(self.strategy, MirroredStrategy) else (own,)

    def all_reduce(self, reduce_op, value, options=None):
        """Combines the replicas' values; each replica gets the result."""
        op, flat = reduce_number(reduce_op), [row_of(one) for one in nest.flatten(value)]
        if self.num_replicas_in_sync > 1:
            flat = [dividable(op, one) for one in flat]
        results = _native.all_reduce(op, flat)
        return nest._pack(value, map(with_slices, results))

    def all_gather(self, value, axis, options=None):
        """The replicas' values one after another along `axis`."""
        return nest.map_structure(
            lambda one: _native.all_gather(convert_to_tensor(one), axis), value)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Stops all replicas, calls `merge_fn(strategy, *args)` once, and goes on with its result."""
        structure = (tuple(args), kwargs or {})
        leaves = nest.flatten(structure)
        tensors = [row_of(one) for one in leaves if isinstance(one, (Tensor, IndexedSlices))]
        strategy = self.strategy
        form = []

        def merge(values):
            values = iter(values)
            packed = []
            for one in leaves:
                if isinstance(one, (Tensor, IndexedSlices)):
                    value = next(values)
                    packed.append(PerReplica(map(with_slices, value)) if isinstance(value, tuple) else with_slices(value))
                else:
                    packed.append(one)
            own_args, own_kwargs = nest._pack(structure, iter(packed))
            made = merge_fn(strategy, *own_args, **own_kwargs)
            flat = []

            def take(leaf):
                if isinstance(leaf, (PerReplica, IndexedSlices)) or isinstance(leaf, Tensor) and leaf._symbolic:
                    flat.append(plain(leaf))
                    return ("same" if isinstance(leaf, Tensor) else "t", len(flat) - 1)
                return ("o", leaf)  # the very same for all replicas
            form.append(_leaf_map(take, made))
            return flat
        results = _native.merge_call(merge, tensors)
        marks = form[0] if form else _last_form(self)
        _remember_form(marks)
        if _merged():
            alike = [results[one] if kind == "same" else one for kind, one in _marks_of(marks) if kind != "t"]
            _merged()[-1].update(one._id for one in alike if isinstance(one, Tensor))
        return _leaf_map_marks(lambda mark: mark[1] if mark[0] == "o" else with_slices(results[mark[1]]), marks)


_forms = [None]


def _remember_form(form):
    _forms[0] = form


def _last_form(_):
    return _forms[0]
