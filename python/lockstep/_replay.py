"""Version 1 style over eager results: their record is taken as a graph, and run again.

A run computes the records that its fetches need, in the order of the program, on the variables as
they are now, inside of one traced function: so it sees its own updates and nothing of another run's
half."""

import threading

from . import _native, _records, errors, nest
from ._tensor import Tensor, convert_to_tensor
from ._variable import UnreadVariable, Variable

_cache = {}
_lock = threading.Lock()


class _Gradient:
    """A record's function: the gradients of replayed values."""

    def __init__(self, stops, zero):
        self.stops = stops
        self.zero = zero


def _record_of(tensor, what):
    found = _records.find(tensor)
    if found is None:
        raise errors.FailedPreconditionError(
            None, None, f"[{what}] how this eager result was made is not on record (the last "
            f"{_records.LIMIT} small ops are kept); got {tensor!r}; decorate the function that makes it "
            "with @tf.function and take tf.gradients inside, or call "
            "tf.compat.v1.disable_eager_execution() before it")
    return found


def _tensors_in(value):
    """The tensors and variables in an argument."""
    if isinstance(value, UnreadVariable):
        return [value]
    if isinstance(value, (Tensor, Variable)):
        return [value]
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _tensors_in(part)]
    return []


def _needed(fetches):
    """The records behind tensors, in the order of the program."""
    records, todo = {}, list(fetches)
    while todo:
        one = todo.pop()
        if isinstance(one, UnreadVariable):
            one = one._value
        if not isinstance(one, Tensor):
            continue
        found = _records.find(one)
        if found is None or found[0].number in records:
            continue
        record = found[0]
        records[record.number] = record
        todo.extend(record.controls)
        todo.extend(_tensors_in(record.arguments))
    return [records[number] for number in sorted(records)]


class _Run:
    """The values of a replay so far."""

    def __init__(self, feeds=None):
        self.values = dict(feeds or {})  # by the id of the eager tensor

    def value(self, one):
        if isinstance(one, UnreadVariable):
            return one._assigned
        if isinstance(one, Tensor):
            return self.values.get(one._id, one)
        if isinstance(one, list):
            return [self.value(part) for part in one]
        if isinstance(one, tuple):
            return tuple(self.value(part) for part in one)
        return one

    def replay(self, record):
        arguments = [self.value(one) for one in record.arguments]
        if isinstance(record.function, _Gradient):
            ys, xs, upstream = arguments
            results = _native.gradients(
                [convert_to_tensor(y) for y in ys],
                [x._v if isinstance(x, Variable) else convert_to_tensor(x) for x in xs],
                [None if one is None else convert_to_tensor(one) for one in upstream],
                [convert_to_tensor(self.value(one)) for one in record.function.stops],
                record.function.zero)
            results = [_native.identity(_native.slices_to_dense(one)) if one is not None else None
                       for one in results]
            results = [one for one in results if one is not None]
        else:
            made = record.function(*arguments)
            results = [made] if isinstance(made, Tensor) else [
                one for one in made if isinstance(one, Tensor)]
        for place, one in enumerate(record.results):
            self.values[one._id] = results[place]


def gradients(ys, xs, grad_ys, stop_gradients, zero):
    """tf.gradients of eager results: their values now, and a record for a session."""
    for y in ys:
        if isinstance(y, Tensor):
            _record_of(y, "gradients")
    stops = [] if stop_gradients is None else nest.flatten(stop_gradients)
    upstream = [] if grad_ys is None else list(
        grad_ys if isinstance(grad_ys, (list, tuple)) else [grad_ys])
    records = [one for one in _needed(ys) if not one.writes]
    sources = [x for x in xs]
    present = []

    def body(_):
        run = _Run()
        for record in records:
            run.replay(record)
        made = _native.gradients(
            [convert_to_tensor(run.value(y)) for y in ys],
            [x._v if isinstance(x, Variable) else convert_to_tensor(run.value(x)) for x in sources],
            [None if one is None else convert_to_tensor(one) for one in upstream],
            [convert_to_tensor(run.value(one)) for one in stops], zero)
        present[:] = [one is not None for one in made]
        return [_native.slices_to_dense(one) for one in made if one is not None]
    made = iter(_native.Function(body, "gradients").call([]))
    results = [next(made) if there else None for there in present]
    kept = tuple(one for one in results if one is not None)
    _records.remember(_Gradient(stops, zero), (list(ys), list(xs), upstream), list(kept))
    return results


def run(fetches, operations, feeds):
    """The values of eager results, computed again, and of variables, after all `operations`.

    Args: fetches: tensors and variables; feeds: {tensor: value}."""
    for one in fetches:
        if isinstance(one, Tensor) and not feeds.has(one) and not _is_constant(one):
            _record_of(one, "Session.run")
    key = (tuple(_key(one) for one in fetches), tuple(_key(one) for one in operations),
           tuple(sorted(tensor._id for tensor in feeds.keys_list)))
    with _lock:
        function = _cache.get(key)
        if function is None:
            function = _cache[key] = _make(fetches, operations, feeds.keys_list)
            if len(_cache) > 256:
                _cache.pop(next(iter(_cache)))
    return function.call(feeds.values_list)


def _key(one):
    return one._v.key if isinstance(one, Variable) else one._id


def _is_constant(tensor):
    return _records.find(tensor) is None and not _records.was_dropped(tensor)


class Feeds:
    """What a run is given for tensors."""

    def __init__(self, feed_dict):
        self.keys_list = []
        self.values_list = []
        for tensor, value in (feed_dict or {}).items():
            tensor = tensor.deref() if hasattr(tensor, "deref") else tensor
            self.keys_list.append(tensor)
            self.values_list.append(convert_to_tensor(value, dtype=tensor.dtype))

    def has(self, tensor):
        return any(one._id == tensor._id for one in self.keys_list)


def _make(fetches, operations, fed):
    records = _needed(list(fetches) + list(operations))

    def body(given):
        run = _Run({tensor._id: value for tensor, value in zip(fed, given)})
        for record in records:
            if not any(one._id in run.values for one in record.results):
                run.replay(record)
        values = []
        for one in fetches:
            if isinstance(one, UnreadVariable):
                one = one._assigned
            values.append(convert_to_tensor(run.value(one)))
        return values
    return _native.Function(body, "session")
