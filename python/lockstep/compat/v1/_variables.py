"""Variables by name, and the scopes of their names."""

import threading

from ..._dtypes import as_dtype, TensorShape
from ..._tensor import convert_to_tensor, Tensor
from ..._variable import Variable
from ._graphs import get_default_graph, GraphKeys, in_graph, name_scope

AUTO_REUSE = "auto"
_eager_variables = {}
_scopes = threading.local()


class VariableScope:
    """A prefix of the names of `get_variable`, and whether they may exist already."""

    def __init__(self, name, reuse=False, initializer=None):
        self.name, self.reuse, self.initializer = name, reuse, initializer

    def reuse_variables(self):
        self.reuse = True

    original_name_scope = property(lambda self: self.name + "/")


def get_variable_scope():
    stack = getattr(_scopes, "stack", None)
    return stack[-1] if stack else VariableScope("")


class variable_scope:
    """A context in which names of `get_variable` begin with `name_or_scope/`."""

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None, reuse=None,
                 **kwargs):
        self._given, self._reuse, self._initializer = name_or_scope or default_name, reuse, initializer

    def __enter__(self):
        outer = get_variable_scope()
        if isinstance(self._given, VariableScope):
            name, reuse = self._given.name, self._given.reuse
        else:
            name = f"{outer.name}/{self._given}" if outer.name else self._given
            reuse = outer.reuse
        scope = VariableScope(name, self._reuse if self._reuse is not None else reuse,
                              self._initializer or outer.initializer)
        _scopes.stack = getattr(_scopes, "stack", []) + [scope]
        self._names = name_scope(name.rpartition("/")[2])
        scope.prefix = self._names.__enter__()
        return scope

    def __exit__(self, *error):
        self._names.__exit__(*error)
        _scopes.stack = _scopes.stack[:-1]


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                 collections=None, caching_device=None, partitioner=None, validate_shape=True,
                 use_resource=None, custom_getter=None, constraint=None, **kwargs):
    """The variable of a name: made at first, found again where the scope reuses.

    Raises: ValueError when it exists and the scope does not reuse, or the other way round."""
    scope = get_variable_scope()
    full = f"{scope.name}/{name}" if scope.name else name
    table = get_default_graph()._variables if in_graph() else _eager_variables
    known = table.get(full)
    if known is not None:
        if not scope.reuse:
            raise ValueError(f"Variable {full} already exists, disallowed. Did you mean to set reuse=True "
                             "or reuse=tf.AUTO_REUSE in VarScope?")
        return known
    if scope.reuse is True:
        raise ValueError(f"Variable {full} does not exist, or was not created with tf.get_variable(). Did "
                         "you mean to set reuse=tf.AUTO_REUSE in VarScope?")
    dtype = as_dtype(dtype or "float32")
    initializer = initializer if initializer is not None else scope.initializer
    if initializer is None:
        from ...keras import initializers
        initializer = initializers.GlorotUniform() if dtype.is_floating else initializers.Zeros()
    if isinstance(initializer, type):
        initializer = initializer()
    if callable(initializer) and not isinstance(initializer, (Tensor, Variable)):
        if shape is None:
            raise ValueError(f"Shape of a new variable ({full}) must be fully defined, but instead was "
                             "<unknown>.")
        sizes = TensorShape(shape).as_list()

        def first():
            try:
                return initializer(sizes, dtype=dtype)
            except TypeError:
                return initializer(sizes)
        value = first if not in_graph() else first()
    else:
        value = convert_to_tensor(initializer, dtype_hint=dtype)
    inside = in_graph() and getattr(scope, "prefix", None) == scope.name + "/"
    made = Variable(value, name=name if inside else full, trainable=True if trainable is None else trainable, dtype=dtype)
    table[full] = made
    return made


def global_variables(scope=None):
    """All variables of the default graph."""
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope=None):
    """Those that training changes."""
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


all_variables = global_variables


def local_variables(scope=None):
    return []


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)
