"""The objects that a SavedModel holds: what the saved object holds, numbered, with the names by which they are reached."""

import inspect

from .._function import Function
from .._tensor import Tensor
from .._variable import Variable
from ..module import Module
from ._restored import SignatureMap
from ._traces import is_function

_KINDS = {list: "trackable_list_wrapper", dict: "trackable_dict_wrapper", tuple: "trackable_tuple_wrapper"}


class Numbered:
    """One object: its children, [(name, number)], and for variables the key in the checkpoint."""

    def __init__(self, value, path):
        self.value, self.path, self.children = value, path, []
        self.functions = []  # of a Function: the names of its concrete functions
        self.concrete = None  # of a concrete function: (name, keywords, how many may be positional, FullArgSpec)

    @property
    def kind(self):
        """TensorFlow's name of the class of a container or object."""
        if isinstance(self.value, SignatureMap):
            return "signature_map"
        return next((name for of, name in _KINDS.items() if isinstance(self.value, of)), "_generic_user_object")


class ObjectGraph:
    """The objects in the order of their numbers; breadth first, as TensorFlow numbers them."""

    def __init__(self, root):
        self.objects, self._numbers = [], {}
        self._add(root, "")
        place = 0
        while place < len(self.objects):
            self._visit(place)
            place += 1

    def _add(self, value, path):
        key = value._v.key if isinstance(value, Variable) else id(value)
        if key not in self._numbers:
            self._numbers[key] = len(self.objects)
            self.objects.append(Numbered(value, path))
        return self._numbers[key]

    def number_of(self, value):
        """The number of an object that is there; None of others."""
        return self._numbers.get(value._v.key if isinstance(value, Variable) else id(value))

    def append(self, value, parent, name):
        """A further object, as the child of another one. Returns: its number."""
        owner = self.objects[parent]
        number = self._add(value, f"{owner.path}/{_escaped(name)}" if owner.path else _escaped(name))
        owner.children.append((name, number))
        return number

    def _visit(self, place):
        owner = self.objects[place]
        for name, one in children_of(owner.value):
            self.append(one, place, name)


def _escaped(name):
    """A name as a part of a checkpoint's key."""
    return name.replace(".", "..").replace("/", ".S")


def children_of(value):
    """[(name, object)]: variables, functions, modules, layers, optimizers and their containers, as checkpoints have them, and functions."""
    from .. import train
    from ..distribute.coordinator import ShardedVariable
    if isinstance(value, (Variable, Tensor)) or is_function(value):
        return []
    if isinstance(value, ShardedVariable):
        raise NotImplementedError("[saved_model] variables in shards cannot be written; save the model without a partitioner")
    found = dict(train._parts(value))
    if isinstance(value, Module):
        found = {name: one for name, one in vars(value).items() if is_kept(one)}
    made = [(name, one) for name, one in found.items() if is_kept(one)]
    return made + [(name, one) for name, one in functions_of(value) if name not in found]


def functions_of(value):
    """[(name, Function)] of the attributes of an object and its classes' methods."""
    if isinstance(value, (list, tuple, dict)):
        return []
    found = {}
    for kind in reversed(type(value).__mro__):
        for name, one in vars(kind).items():
            if isinstance(one, Function):
                found[name] = getattr(value, name)
            else:
                found.pop(name, None)
    found.update({name: one for name, one in getattr(value, "__dict__", {}).items() if is_function(one)})
    return sorted(found.items())


def is_kept(value):
    """Whether an attribute is an object of a SavedModel."""
    from .. import train
    from ..distribute.coordinator import ShardedVariable
    from ..keras._layer import Layer
    from ..keras.optimizers import Optimizer
    if isinstance(value, (Variable, ShardedVariable, Module, Layer, Optimizer, train.Checkpoint)) or is_function(value):
        return not inspect.isclass(value)
    if isinstance(value, SignatureMap):
        return False
    if isinstance(value, (list, tuple, dict)):
        values = value.values() if isinstance(value, dict) else value
        return not values or any(is_kept(one) for one in values)
    return getattr(value, "state", None) is not None and bool(train._parts(value))
