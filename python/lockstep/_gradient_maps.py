"""Gradients of one's own for kinds of ops of a graph: `RegisterGradient` and `Graph.gradient_override_map`."""

import contextlib

from . import _native
from ._thread_lists import ThreadList

_registered = {}  # by name: function(op, *upstream), or None
_maps = ThreadList()  # pairs of a graph and its map
_WRONG_MAP = "op_type_map must be a dictionary mapping strings to strings"


def _register(op_type, function):
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    if op_type in _registered:
        raise KeyError(f"Registering two gradient with name '{op_type}'! It has been registered before; take another name")
    _registered[op_type] = function


class RegisterGradient:
    """Decorates a function (op, *upstream) that gives a gradient for each input of the op, None for none, by a name for
    `Graph.gradient_override_map`. Raises: TypeError for a name that is none; KeyError for one that is taken."""

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f):
        _register(self._op_type, f)
        return f


def no_gradient(op_type):
    """Registers by a name that nothing flows back. Raises: as `RegisterGradient`."""
    _register(op_type, None)


def _named(op_type):
    """The name that the innermost map has for a kind of ops of the graph that is built, or None."""
    from .compat.v1._graphs import get_default_graph
    for graph, names in reversed(_maps()):
        if op_type in names and graph is get_default_graph():
            return names[op_type]
    return None


@contextlib.contextmanager
def override_map(graph, op_type_map):
    """While it is open, ops that are added to the graph have the gradients that are registered by the names of
    {kind of op: name}. Raises: TypeError for what is no such map."""
    if not isinstance(op_type_map, dict) or not all(
            isinstance(one, str) for pair in op_type_map.items() for one in pair):
        raise TypeError(_WRONG_MAP)
    _maps().append((graph, dict(op_type_map)))
    try:
        yield
    finally:
        _maps().pop()


def active():
    """Whether a map is open on this thread."""
    return bool(_maps())


def overridden(made):
    """What an op has given, with the gradient of the map for its kind; itself where there is none."""
    from ._tensor import name_symbol, Tensor
    if type(made) is not Tensor or not made._symbolic or _native.name_of(made) is None:
        return made
    op = made.op
    name = _named(op.type)
    if name is None or len(op.outputs) != 1:
        return made
    inputs = list(op.inputs)

    def backwards(upstream):
        if name not in _registered:
            raise LookupError(f"No gradient defined for operation'{op.name}' (op type: {op.type}); its map names {name!r}, which "
                              f"nothing has registered: tf.RegisterGradient({name!r})")
        function = _registered[name]
        given = [None] * len(inputs) if function is None else function(op, *upstream)
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(given) != len(inputs):
            raise ValueError(f"Num gradients {len(given)} generated for op {op.name} do not match num inputs {len(inputs)}")
        return [_native.zeros_like(one) if value is None else value for one, value in zip(inputs, given)]

    def call(_):
        return [_native.stop_gradient(made)], backwards
    result, = _native.custom_gradient(call, inputs, [])
    name_symbol(result, made.name)
    return result
