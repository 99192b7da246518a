"""Containers that are attributes of layers. Layers, weights and metrics that a container receives later belong to its owner.

A list, dict or set that is set as an attribute is copied into a tracked container, nested ones too. As in Keras 3,
these changes are noticed: `append`, `insert`, `extend`, `add`, `update` and `d[key] = value` add; `pop`, `remove`,
`clear`, `popitem` and `del l[i]` take away. These are not: `l[i] = value`, `setdefault`, a local `+=` or `|=`, and
changes of a container that was itself appended. `untracked_layers` finds what they leave out, so that `fit` can warn."""

import collections
import weakref


class _Owned:
    """The layer that owns a container; None for a copy."""

    _reference = None

    def _own(self, owner):
        self._reference = None if owner is None else weakref.ref(owner)

    def _track(self, value):
        owner = None if self._reference is None else self._reference()
        return value if owner is None else owner._track(value)

    def _untrack(self, *values):
        owner = None if self._reference is None else self._reference()
        for one in values if owner is not None else ():
            owner._untrack(one)


class TrackedList(_Owned, list):
    """A list of a layer."""

    def __init__(self, values=(), owner=None):
        self._own(owner)
        super().__init__([self._track(one) for one in values])

    def __reduce_ex__(self, protocol):
        return type(self), (list(self),)

    def append(self, value):
        self._track(value)
        super().append(value)

    def insert(self, index, value):
        self._track(value)
        super().insert(index, value)

    def extend(self, values):
        super().extend([self._track(one) for one in values])

    def remove(self, value):
        place = next((place for place, one in enumerate(self) if one is value), None)
        place = self.index(value) if place is None else place
        self._untrack(super().pop(place))

    def pop(self, index=-1):
        value = super().pop(index)
        self._untrack(value)
        return value

    def clear(self):
        self._untrack(*self)
        super().clear()

    def __delitem__(self, index):
        value = self[index]
        super().__delitem__(index)
        self._untrack(value)


class _TrackedMapping(_Owned):
    def __reduce_ex__(self, protocol):
        return type(self), (list(self.items()),)

    def __setitem__(self, key, value):
        self._track(value)
        super().__setitem__(key, value)

    def update(self, *mappings, **named):
        super().update({key: self._track(one) for key, one in dict(*mappings, **named).items()})

    def pop(self, key, *default):
        there = key in self
        value = super().pop(key, *default)
        if there:
            self._untrack(value)
        return value

    def popitem(self, *args, **kwargs):
        key, value = super().popitem(*args, **kwargs)
        self._untrack(value)
        return key, value

    def clear(self):
        self._untrack(*self.values())
        super().clear()


class TrackedDict(_TrackedMapping, dict):
    """A dict of a layer."""

    def __init__(self, values=(), owner=None):
        self._own(owner)
        super().__init__({key: self._track(one) for key, one in dict(values).items()})

    def copy(self):
        return dict(self)


class TrackedOrderedDict(_TrackedMapping, collections.OrderedDict):
    """An `OrderedDict` of a layer."""

    def __init__(self, values=(), owner=None):
        self._own(owner)
        super().__init__()
        for key, one in collections.OrderedDict(values).items():
            collections.OrderedDict.__setitem__(self, key, self._track(one))


class TrackedSet(_Owned, set):
    """A set of a layer."""

    def __init__(self, values=(), owner=None):
        self._own(owner)
        super().__init__([self._track(one) for one in values])

    def __reduce_ex__(self, protocol):
        return type(self), (list(self),)

    def add(self, value):
        self._track(value)
        super().add(value)

    def update(self, values):
        super().update([self._track(one) for one in values])

    def remove(self, value):
        super().remove(value)
        self._untrack(value)

    def pop(self):
        value = super().pop()
        self._untrack(value)
        return value

    def clear(self):
        self._untrack(*self)
        super().clear()


_KINDS = ((list, TrackedList), (collections.OrderedDict, TrackedOrderedDict), (dict, TrackedDict), (set, TrackedSet))


def tracked(value, owner):
    """A container as its owner keeps it, after everything in it was tracked; other values as they are."""
    if isinstance(value, tuple):
        parts = [owner._track(one) for one in value]
        if all(one is other for one, other in zip(parts, value)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    kind = next((kind for plain, kind in _KINDS if isinstance(value, plain)), None)
    return value if kind is None else kind(value, owner)


def untracked_layers(model):
    """Names of the layers that stand in containers of a model's layers and belong to none of them."""
    from ._layer import Layer
    owned, todo = {id(model)}, [model]
    for layer in todo:
        todo.extend(one for one in layer._children if id(one) not in owned)
        owned.update(map(id, layer._children))
    found = {}

    def look(value):
        if isinstance(value, Layer):
            if id(value) not in owned:
                found[value.name] = None
        elif isinstance(value, (list, tuple, dict, set)):
            for one in value.values() if isinstance(value, dict) else value:
                look(one)
    for layer in todo:
        for value in list(vars(layer).values()):
            if isinstance(value, (TrackedList, _TrackedMapping, TrackedSet, tuple)):
                look(value)
    return list(found)
