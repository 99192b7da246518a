"""Objects with variables: `tf.Module`."""

from . import _attribute_containers, _function, _late
from ._variable import Variable
from .keras._names import to_snake_case


def _walk(value, seen, kinds):
    """The objects of `kinds` that a value holds, in a fixed order."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, kinds):
        yield value
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _walk(one, seen, kinds)
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from _walk(value[key], seen, kinds)
    elif isinstance(value, Module):
        own = [vars(value)[name] for name in sorted(vars(value))]
        for one in own:  # what is its own, then what is inside of modules
            if not _holds_modules(one):
                yield from _walk(one, seen, kinds)
        for one in own:
            if _holds_modules(one):
                yield from _walk(one, seen, kinds)
    elif hasattr(value, "weights") and hasattr(value, "call"):
        for one in value.weights:
            yield from _walk(one, seen, kinds)


def _holds_modules(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_modules(one) for one in value)
    return isinstance(value, Module) or hasattr(value, "weights") and hasattr(value, "call")


class Module:
    """Keeps variables and other modules as attributes, and finds them again."""

    def __init__(self, name=None):
        self._name = name or to_snake_case(type(self).__name__)

    def __setattr__(self, name, value):
        """Keeps the attribute; variables in it get the values that a checkpoint, restored before, has for them."""
        value = _attribute_containers.wrap(value)
        object.__setattr__(self, name, value)
        if _late.waiting and next(_walk(value, set(), Variable), None) is not None:
            _late.restore()

    name = property(lambda self: self.__dict__.get("_name") or to_snake_case(type(self).__name__))

    @property
    def name_scope(self):
        """The scope of this module's names; its name ends in "/"."""
        return _function.name_scope(self.name + "/")

    @property
    def variables(self):
        """All variables, those of modules inside too, in the order of attributes' names."""
        return tuple(_walk(self, set(), Variable))

    @property
    def trainable_variables(self):
        return tuple(one for one in self.variables if one.trainable)

    @property
    def non_trainable_variables(self):
        return tuple(one for one in self.variables if not one.trainable)

    @property
    def submodules(self):
        return tuple(one for one in _walk(self, set(), Module) if one is not self)

    @classmethod
    def with_name_scope(cls, method):
        """Decorates a method: names of variables that it makes begin with the module's."""
        import functools

        @functools.wraps(method)
        def inside(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return inside
