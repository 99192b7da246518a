"""Containers that are attributes of a `tf.Module` or a `tf.train.Checkpoint`.

A list or dict that is set as an attribute is wrapped, nested ones too, so that variables which it receives later get the
values that a checkpoint, restored before, has for them. The wrapper keeps the container that it was made of and reads from
it: what the program changes there afterwards is seen in the wrapper, too."""

import collections

from . import _late


def wrap(value):
    """A container of an attribute as its object keeps it; other values as they are."""
    if isinstance(value, (ListWrapper, _DictWrapper)):
        return value
    if type(value) is list:
        return ListWrapper(value)
    if type(value) in (dict, collections.OrderedDict):
        return _DictWrapper(value)
    if isinstance(value, tuple) and value:
        parts = [wrap(one) for one in value]
        if any(one is not other for one, other in zip(parts, value)):
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _restore():
    if _late.waiting:
        _late.restore()


class ListWrapper(list):
    """A list that is an attribute."""

    def __init__(self, values=()):
        self._outside = values if isinstance(values, list) else list(values)
        self._outside[:] = [wrap(one) for one in self._outside]
        super().__init__(self._outside)

    def __reduce_ex__(self, protocol):
        return type(self), (list(self._outside),)

    def __repr__(self):
        return f"ListWrapper({self._outside!r})"

    def copy(self):
        return ListWrapper(list(self._outside))

    __hash__ = None


class _DictWrapper(dict):
    """A dict that is an attribute."""

    def __init__(self, values=()):
        self._outside = values if isinstance(values, dict) else dict(values)
        for key, one in self._outside.items():
            self._outside[key] = wrap(one)
        super().__init__(self._outside)

    def __reduce_ex__(self, protocol):
        return dict, (dict(self._outside),)

    def __copy__(self):
        return _DictWrapper(self._outside.copy())

    def __deepcopy__(self, memo):
        import copy
        return _DictWrapper(copy.deepcopy(self._outside, memo))

    def __repr__(self):
        return f"DictWrapper({self._outside!r})"

    def __str__(self):
        return str(self._outside)

    def copy(self):
        return _DictWrapper(self._outside.copy())

    __hash__ = None


def _reading(kind, name):
    def read(self, *args, **kwargs):
        return getattr(self._outside, name)(*args, **kwargs)
    read.__name__ = name
    setattr(kind, name, read)


def _changing(kind, name, plain, in_place=False):
    def change(self, *args, **kwargs):
        args, kwargs = [wrap(one) for one in args], {key: wrap(one) for key, one in kwargs.items()}
        result = getattr(self._outside, name)(*args, **kwargs)
        plain.clear(self)  # what native code reads
        (plain.extend if plain is list else plain.update)(self, self._outside)
        _restore()
        return self if in_place else result
    change.__name__ = name
    setattr(kind, name, change)


for _name in ("__iter__ __len__ __getitem__ __contains__ __reversed__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __mul__ "
              "__rmul__ index count").split():
    _reading(ListWrapper, _name)
for _name in "append extend insert remove pop clear sort reverse __setitem__ __delitem__".split():
    _changing(ListWrapper, _name, list)
for _name in ("__iadd__", "__imul__"):
    _changing(ListWrapper, _name, list, in_place=True)
for _name in "__iter__ __len__ __getitem__ __contains__ __reversed__ __eq__ __ne__ __or__ __ror__ get keys values items".split():
    _reading(_DictWrapper, _name)
for _name in "pop popitem clear update setdefault __setitem__ __delitem__".split():
    _changing(_DictWrapper, _name, dict)
_changing(_DictWrapper, "__ior__", dict, in_place=True)
