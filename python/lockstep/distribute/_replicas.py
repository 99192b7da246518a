"""Running a function once for each replica, and a replica seen from inside."""

import contextvars
import threading
import typing

import numpy

from .. import _composites, _native, nest
from .._tape import with_slices
from .._tensor import IndexedSlices, Tensor, convert_to_tensor
from .._thread_lists import ThreadList
from .._variable import UnreadVariable, Variable, VariableAggregation, VariableSynchronization
from ._values import dividable, reduce_number, row_of, PerReplica


def require_sequence(args):
    """Raises: ValueError for arguments of `run` that are no list or tuple."""
    if not isinstance(args, (list, tuple)):
        raise ValueError("positional args must be a list or tuple, got {}".format(type(args)))


def converted(fn):
    """A replica's function; while a function is traced its control flow over tensors is taken over, too."""
    if not _native.is_tracing():
        return fn
    from .. import autograph
    return autograph.convert_callable(fn)


_merged = ThreadList()  # by open run: the ids of what all replicas are given alike


def run(strategy, fn, args, kwargs):
    count, tracing = strategy.num_replicas_in_sync, _native.is_tracing()
    structure, given = (args, kwargs), []
    places = [_argument(leaf, given, tracing) for leaf in nest.flatten(structure)]
    fn = converted(fn)
    structures, kept, made, makers = [], [], [], []
    calls = [0]
    context = contextvars.copy_context()
    outer_state = _thread_state()

    def replica(own):
        number = calls[0]
        calls[0] += 1
        packed_args, packed_kwargs = nest._pack(structure, iter([place.of_replica(number, own, merged) for place in places]))
        restore = _take_thread_state(outer_state)
        try:
            if threading.current_thread() is owner:
                value = fn(*packed_args, **packed_kwargs)
            else:
                value = context.copy().run(fn, *packed_args, **packed_kwargs)
        finally:
            restore()
        tensors, others, make = [], [], []

        def take(leaf):
            if isinstance(leaf, UnreadVariable) and count > 1 and _assigned_apart(leaf):
                leaf = leaf.value()
            apart = _composites.taken_apart(leaf)
            if apart is not None:
                tensors.extend(apart[0])
                make.append(apart[1])
                return ("t", len(tensors) - len(apart[0]), len(tensors), len(make) - 1)
            if isinstance(leaf, UnreadVariable):
                leaf = leaf._assigned if tracing or count == 1 else leaf
            others.append(leaf)
            return ("o", len(others) - 1)
        structures.append(_leaf_map(take, value))
        kept.append(others)
        made.append(tensors)
        makers.append(make)
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

    def is_one(place):
        """Whether a result is one for all replicas."""
        return len(made) == count and all(row[place] is made[0][place] for row in made) or is_same(made[0][place])

    def give(mark):
        if mark[0] == "t":
            _, first, last, number = mark
            columns = [value if isinstance(value, tuple) else (value,) * count for value in results[first:last]]
            values = [makers[min(r, len(makers) - 1)][number]([with_slices(column[r]) for column in columns])
                      for r in range(count)]
            return values[0] if count == 1 or all(map(is_one, range(first, last))) else PerReplica(values)
        values = [others[mark[1]] for others in kept]
        if all(one is values[0] for one in values) or len(values) == 1:
            return values[0]
        if all(isinstance(one, Variable) and one._v.key == values[0]._v.key for one in values):
            return values[0]
        return PerReplica(values)
    return _leaf_map_marks(give, structures[0])


class _Same:
    """An argument that all replicas get as it is."""

    def __init__(self, value):
        self._value = value

    def of_replica(self, number, own, merged):
        return self._value


class _Listed:
    """An argument of which each replica gets its own value, which is no tensor."""

    def __init__(self, values):
        self._values = values

    def of_replica(self, number, own, merged):
        return self._values[min(number, len(self._values) - 1)]


class _Passed:
    """An argument that replicas get as tensors, of which `makers` make each replica's value."""

    def __init__(self, first, last, makers, alike):
        self._first, self._last, self._makers, self._alike = first, last, makers, alike

    def of_replica(self, number, own, merged):
        tensors = own[self._first:self._last]
        if self._alike:
            merged.update(one._id for one in tensors)
        return self._makers[min(number, len(self._makers) - 1)](tensors)


def _argument(leaf, given, tracing):
    """How replicas get a leaf of the arguments; what the native run takes of it goes behind `given`."""
    if not isinstance(leaf, PerReplica):
        if not tracing or not isinstance(leaf, Tensor):
            return _Same(leaf)
        given.append(leaf)
        return _Passed(len(given) - 1, len(given), [lambda tensors: tensors[0]], True)
    apart = [_composites.taken_apart(_as_tensor(one, tracing)) for one in leaf._values]
    if any(one is None for one in apart):
        values = leaf._values
        if tracing and any(type(one) is not type(values[0]) or one != values[0] for one in values):
            raise TypeError("a function that is traced runs one program for all replicas, which get tensors of their own; got "
                            f"{leaf!r}; give each replica a tensor, or call the function outside of tf.function")
        return _Listed(values)
    sizes = {len(tensors) for tensors, _ in apart}
    if len(sizes) > 1:
        raise ValueError(f"the values of all replicas must be of one kind; got {leaf!r}")
    first = len(given)
    given.extend(column if len(column) > 1 else column[0] for column in zip(*(tensors for tensors, _ in apart)))
    return _Passed(first, len(given), [make for _, make in apart], False)


def _as_tensor(value, tracing):
    """A value of one replica, as a tensor where replicas get it as one: numbers and variables, and, as traced functions know
    nothing else that differs, arrays and texts."""
    kinds = (Variable, int, float) + ((str, bytes, numpy.ndarray, numpy.generic) if tracing else ())
    return convert_to_tensor(value) if isinstance(value, kinds) else value


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
        """Combines the replicas' values; each replica gets the result. Raises: TypeError for ragged and sparse tensors."""
        op = reduce_number(reduce_op)
        flat = [_all_reduced_slices(op, one, self.num_replicas_in_sync) if _is_open_slices(one) else row_of(one)
                for one in nest.flatten(value)]
        places = [i for i, one in enumerate(flat) if not isinstance(one, IndexedSlices)]
        rows = [flat[i] for i in places]
        if self.num_replicas_in_sync > 1:
            rows = [dividable(op, one) for one in rows]
        for i, one in zip(places, _native.all_reduce(op, rows) if rows else ()):
            flat[i] = with_slices(one)
        return nest._pack(value, iter(flat))

    def all_gather(self, value, axis, options=None):
        """The replicas' values one after another along `axis`. Raises: NotImplementedError for IndexedSlices; TypeError for
        ragged and sparse tensors."""
        if any(isinstance(one, IndexedSlices) for one in nest.flatten(value)):
            raise NotImplementedError("all_gather does not support IndexedSlices")
        return nest.map_structure(
            lambda one: _native.all_gather(convert_to_tensor(one), axis), value)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Stops all replicas, calls `merge_fn(strategy, *args)` once, and goes on with its result."""
        structure, strategy = (tuple(args), kwargs or {}), self.strategy
        tensors, form = [], []
        places = [_brought(one, tensors) for one in nest.flatten(structure)]

        def merge(values):
            own_args, own_kwargs = nest._pack(structure, iter([place(values) for place in places]))
            made = merge_fn(strategy, *own_args, **own_kwargs)
            flat = []
            form.append(_leaf_map(lambda leaf: _merge_result(leaf, flat), made))
            return flat
        results = _native.merge_call(merge, tensors)
        marks = form[0] if form else _last_form(self)
        _remember_form(marks)
        if _merged():
            for mark in _marks_of(marks):
                alike = results[mark[1]:mark[2]] if mark[0] == "same" else mark[1:] if mark[0] == "o" else ()
                _merged()[-1].update(one._id for one in alike if isinstance(one, Tensor))
        return _leaf_map_marks(lambda mark: mark[1] if mark[0] == "o" else mark[3](list(map(
            with_slices, results[mark[1]:mark[2]]))), marks)


def _brought(leaf, tensors):
    """What `merge_fn` gets of an argument of `merge_call`, as a function of the values; the argument's tensors go behind
    `tensors`."""
    apart = _composites.taken_apart(leaf)
    if apart is None:
        return lambda values: leaf
    first, make = len(tensors), apart[1]
    tensors.extend(apart[0])
    last = len(tensors)

    def gathered(values):
        columns = values[first:last]
        count = max((len(one) for one in columns if isinstance(one, tuple)), default=0)
        if not count:
            return make(list(map(with_slices, columns)))
        return PerReplica([make([with_slices(one[r] if isinstance(one, tuple) else one) for one in columns])
                           for r in range(count)])
    return gathered


def _merge_result(leaf, flat):
    """The mark of a leaf of what `merge_fn` gives; what replicas get of it as tensors goes behind `flat`."""
    first = len(flat)
    if isinstance(leaf, PerReplica):
        apart = [_composites.taken_apart(_as_tensor(one, True)) for one in leaf._values]
        if all(one is not None for one in apart):
            columns = zip(*(tensors for tensors, _ in apart))
            flat.extend(column if len(column) > 1 else column[0] for column in columns)
            return ("t", first, len(flat), apart[0][1])
    apart = _composites.taken_apart(leaf)
    if apart is not None and any(one._symbolic for one in apart[0]):
        flat.extend(apart[0])
        return ("same", first, len(flat), apart[1])
    return ("o", leaf)  # the very same for all replicas


def _is_open_slices(one):
    """Whether these are slices of a tensor of a shape that is not known."""
    return isinstance(one, IndexedSlices) and one.dense_shape is None


def _all_reduced_slices(op, slices, replicas):
    """All replicas' slices, one after another; for a MEAN divided by the number of replicas."""
    values = _native.all_gather(convert_to_tensor(slices.values), 0)
    return IndexedSlices(values / replicas if op else values, _native.all_gather(convert_to_tensor(slices.indices), 0))


_forms = [None]


def _remember_form(form):
    _forms[0] = form


def _last_form(_):
    return _forms[0]
