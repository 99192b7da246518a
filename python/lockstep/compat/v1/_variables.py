"""Variables by name, and the scopes of their names."""

import collections
import contextlib
import enum
import inspect
import math
import threading
import typing

from ... import _native
from ..._dtypes import as_dtype, TensorShape
from ..._function import outermost_scope
from ..._tensor import convert_to_tensor, Tensor
from ..._variable import Variable, VariableAggregation, VariableSynchronization
from ._graphs import get_default_graph, GraphKeys, in_graph, name_scope
from ._initializers import glorot_uniform_initializer, zeros_initializer



class _ReuseMode(enum.Enum):
    """How a scope takes names that exist already, beside True and False."""
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
_eager_variables = {}
_scopes = threading.local()


class VariableScope:
    """A prefix of the names of `get_variable`, whether they may exist already, and what else variables get there."""

    def __init__(self, name, reuse=False, initializer=None, regularizer=None, custom_getter=None, partitioner=None,
                 dtype=None, constraint=None, caching_device=None, use_resource=None):
        self.name, self.reuse, self.initializer = name, reuse, initializer
        self.original_name_scope = name + "/" if name else ""
        self.regularizer, self.custom_getter, self.partitioner = regularizer, custom_getter, partitioner
        self.dtype, self.constraint = dtype or as_dtype("float32"), constraint
        self.caching_device, self.use_resource = caching_device, use_resource

    def reuse_variables(self):
        self.reuse = True

    def set_initializer(self, initializer):
        self.initializer = initializer

    def set_regularizer(self, regularizer):
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter):
        self.custom_getter = custom_getter

    def set_partitioner(self, partitioner):
        self.partitioner = partitioner

    def set_caching_device(self, caching_device):
        self.caching_device = caching_device

    def set_dtype(self, dtype):
        self.dtype = as_dtype(dtype)

    def set_use_resource(self, use_resource):
        self.use_resource = use_resource

    def get_collection(self, name):
        """What a collection holds below this scope."""
        return get_collection(name, self.name + "/" if self.name else None)

    def local_variables(self):
        return local_variables(self.name + "/")

    def global_variables(self):
        return global_variables(self.name + "/")

    def trainable_variables(self):
        return trainable_variables(self.name + "/")


def get_variable_scope():
    stack = getattr(_scopes, "stack", None)
    if stack:
        return stack[-1]
    graph = get_default_graph()
    return graph.__dict__.setdefault("_root_scope", VariableScope(""))


def _opened():
    """How often each scope of the graph has been opened; not those inside of a scope that has been left."""
    return get_default_graph().__dict__.setdefault("_scopes_opened", collections.Counter())


def _unique(prefix, name):
    """`name`, or `name_1`, ...: one that no scope of the graph has yet."""
    taken = _opened()
    made, count = name, 0
    while taken[prefix + made]:
        count += 1
        made = f"{name}_{count}"
    return made


def _chained(outer, inner):
    """A getter that calls the inner one, whose getter is the outer one."""
    if inner is None or outer is None:
        return inner or outer
    return lambda getter, *args, **kwargs: inner(lambda *a, **k: outer(getter, *a, **k), *args, **kwargs)


class variable_scope:
    """A context in which names of `get_variable` begin with `name_or_scope/`; with `default_name` alone they get a
    number where the name is taken."""

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None, regularizer=None,
                 caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None,
                 constraint=None, auxiliary_name_scope=True):
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        self._given, self._default, self._reuse = name_or_scope, default_name, reuse
        self._names_ops = auxiliary_name_scope
        self._own = {"initializer": initializer, "regularizer": regularizer, "partitioner": partitioner, "dtype": dtype,
                     "constraint": constraint, "caching_device": caching_device, "use_resource": use_resource}
        self._getter = custom_getter

    def __enter__(self):
        outer = get_variable_scope()
        prefix = outer.name + "/" if outer.name else ""
        if isinstance(self._given, VariableScope):
            outer = self._given
            name = outer.name
        else:
            name = prefix + (_unique(prefix, self._default) if self._given is None else self._given)
        opened = _opened()
        opened[name] += 1
        self._name, self._before = name, dict(opened) if isinstance(self._given, VariableScope) else None
        options = {key: getattr(outer, key) if value is None else value for key, value in self._own.items()}
        scope = VariableScope(name, outer.reuse if self._reuse is None else self._reuse,
                              custom_getter=_chained(outer.custom_getter, self._getter), **options)
        _scopes.stack = getattr(_scopes, "stack", []) + [scope]
        self._names = self._scope_of_ops(name)
        inside = self._names.__enter__()
        scope.original_name_scope = outer.original_name_scope if self._before is not None else inside
        return scope

    def _scope_of_ops(self, name):
        """The scope of the names of ops: a name as it is given, also one of several parts, or a scope's last part."""
        own = self._given or self._default if not isinstance(self._given, VariableScope) else name.rpartition("/")[2]
        if own and self._names_ops:
            return name_scope(own)
        return contextlib.nullcontext(get_default_graph().get_name_scope())

    def __exit__(self, *error):
        self._names.__exit__(*error)
        _scopes.stack = _scopes.stack[:-1]
        opened = _opened()
        for inner in [one for one in opened if one.startswith(self._name + "/")]:
            del opened[inner]
        if self._before is not None:
            opened.clear()
            opened.update(self._before)


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                 constraint=None, synchronization=None, aggregation=None):
    """The variable of a name: made at first, found again where the scope reuses.

    Raises: ValueError when it exists and the scope does not reuse, when it does not exist and the scope only reuses, and for
    another shape or dtype than it has."""
    scope = get_variable_scope()
    full = f"{scope.name}/{name}" if scope.name else name
    if dtype is not None and initializer is not None and not callable(initializer):
        given = convert_to_tensor(initializer).dtype
        if given != as_dtype(dtype):
            raise ValueError(f"Initializer type '{given}' and explicit dtype '{as_dtype(dtype)}' don't match.")
    options = {"shape": shape, "dtype": dtype or scope.dtype or "float32",
               "initializer": scope.initializer if initializer is None else initializer,
               "regularizer": scope.regularizer if regularizer is None else regularizer,
               "trainable": True if trainable is None else trainable, "collections": collections,
               "partitioner": scope.partitioner if partitioner is None else partitioner,
               "constraint": scope.constraint if constraint is None else constraint,
               "synchronization": synchronization, "aggregation": aggregation, "reuse": scope.reuse, "validate_shape": validate_shape,
               "caching_device": scope.caching_device if caching_device is None else caching_device,
               "use_resource": scope.use_resource if use_resource is None else use_resource}
    getter = _chained(scope.custom_getter, custom_getter)
    if getter is None:
        return _found_or_made(full, **options)
    return getter(_found_or_made, full, **options)


def _found_or_made(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
                   partitioner=None, constraint=None, synchronization=None, aggregation=None, use_resource=None, **_):
    scope = get_variable_scope()
    table = get_default_graph()._variables if in_graph() else _eager_variables
    known = table.get(name)
    if known is None and scope.reuse is True:
        raise ValueError(f"Variable {name} does not exist, or was not created with tf.get_variable(). Did "
                         "you mean to set reuse=tf.AUTO_REUSE in VarScope?")
    if known is None:
        own = {"trainable": trainable, "constraint": constraint, "synchronization": synchronization or
               VariableSynchronization.AUTO, "aggregation": aggregation or VariableAggregation.NONE,
               "use_resource": use_resource}
        made = _made(name, shape, as_dtype(dtype or "float32"), initializer, own, partitioner)
        table[name] = made
        for one in made if isinstance(made, PartitionedVariable) else [made]:
            _note(one, trainable, collections)
        if regularizer is not None and in_graph():
            _note_penalty(regularizer, made, name)
        return made
    if not scope.reuse:
        raise ValueError(f"Variable {name} already exists, disallowed. Did you mean to set reuse=True "
                         "or reuse=tf.AUTO_REUSE in VarScope?")
    if shape is not None and not TensorShape(shape).is_compatible_with(known.shape):
        raise ValueError(f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found shape "
                         f"{known.shape}.")
    if dtype is not None and as_dtype(dtype) != known.dtype:
        raise ValueError(f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and found dtype "
                         f"{known.dtype.name}.")
    return known


def _note(variable, trainable, collections):
    """Puts a new variable into its collections."""
    graph = get_default_graph()
    for one in collections or []:
        if one not in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES):
            graph.add_to_collection(one, variable)
    if collections is not None and GraphKeys.GLOBAL_VARIABLES not in collections and in_graph():
        graph.keep_out_of_globals(variable)


def _note_penalty(regularizer, variable, name):
    with name_scope(name + "/Regularizer/"):  # below the variable, wherever it is made
        penalty = regularizer(convert_to_tensor(variable))
    if penalty is not None:
        get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)


def _named(value, name, own, dtype):
    """A variable of that whole name, with its own options: scopes of ops do not count."""
    with outermost_scope():
        return Variable(value, name=name, dtype=dtype, **own)


def _made(name, shape, dtype, initializer, own, partitioner):
    if shape is None and initializer is None:
        raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
    if initializer is None:
        initializer = glorot_uniform_initializer() if dtype.is_floating else zeros_initializer(dtype)
    if isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer) or isinstance(initializer, (Tensor, Variable)):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return _named(convert_to_tensor(initializer), name, own, None)
    if shape is None and _needs_nothing(initializer):
        return _named(initializer() if in_graph() else initializer, name, own, None)
    if shape is None or not TensorShape(shape).is_fully_defined():
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was "
                         f"{TensorShape(shape)}.")
    sizes = TensorShape(shape).as_list()
    if partitioner is not None:
        return _parts(name, sizes, dtype, initializer, own, partitioner)
    return _one(name, sizes, dtype, initializer, own)


def _needs_nothing(function):
    """Whether a function of the program can be called without arguments."""
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True


def _one(name, sizes, dtype, initializer, own):
    """A variable that an initializer fills."""
    def first():
        try:
            return initializer(sizes, dtype=dtype)
        except TypeError:
            return initializer(sizes)
    return _named(first() if in_graph() else first, name, own, dtype)


def _parts(name, sizes, dtype, initializer, own, partitioner):
    counts = [int(one) for one in partitioner(shape=TensorShape(sizes), dtype=dtype)]
    axes = [axis for axis, count in enumerate(counts) if count > 1]
    if len(axes) > 1:
        raise NotImplementedError(f"a variable is cut along one axis; got the partitions {counts} of {name}")
    axis = axes[0] if axes else 0
    count, size = counts[axis], sizes[axis]
    lengths = [size // count + (place < size % count) for place in range(count)]
    made = []
    for place, length in enumerate(lengths):
        piece = sizes[:axis] + [length] + sizes[axis + 1:]
        made.append(_one(f"{name}/part_{place}", piece, dtype, initializer, own))
        note_part(made[-1], PartOf(name, sizes[axis], axis, sum(lengths[:place])))
    return PartitionedVariable(name, sizes, dtype, made, counts, axis)


def note_part(variable, part):
    """Records which part of a partitioned variable `variable` is. The graph keeps the object, because another one that is made
    later for the same variable has no such record."""
    from . import get_default_graph, in_graph
    variable.part_of = part
    if in_graph():
        get_default_graph().parts_of_variables.append(variable)


class PartOf(typing.NamedTuple):
    """Which rows of a whole a part is, along an axis that is `size` long there; checkpoints have the whole."""
    name: str
    size: int
    axis: int
    begin: int


class PartitionedVariable:
    """A variable in parts along one axis; as a tensor it is whole."""

    def __init__(self, name, sizes, dtype, parts, partitions, axis):
        self.name, self.shape, self.dtype = name, TensorShape(sizes), as_dtype(dtype)
        self._parts, self.partitions, self._axis = parts, partitions, axis

    def __iter__(self):
        return iter(self._parts)

    def __len__(self):
        return len(self._parts)

    def as_tensor(self):
        """The whole value."""
        from ... import ops_array
        return ops_array.concat([one.value() for one in self._parts], self._axis)

    def __tensor__(self):
        return self.as_tensor()

    def get_shape(self):
        return self.shape

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns each part its own piece of `value`: a tensor, a list with a piece for each part, or a partitioned variable.
        Returns: what the assignments of the parts give; with `read_value=False` their ops."""
        from ... import ops_array
        if isinstance(value, (list, PartitionedVariable)):
            pieces = list(value)
            if len(pieces) != len(self._parts):
                raise AssertionError(f"[PartitionedVariable.assign] value must have {len(self._parts)} pieces; got {len(pieces)}")
        else:
            pieces = ops_array.split(convert_to_tensor(value), [one.shape[self._axis] for one in self._parts], self._axis)
        return [one.assign(piece, use_locking, name, read_value) for one, piece in zip(self._parts, pieces)]


def fixed_size_partitioner(num_shards, axis=0):
    """Cuts variables into `num_shards` parts along `axis`."""
    def partitions(shape, **_):
        made = [1] * TensorShape(shape).rank
        made[axis] = min(num_shards, TensorShape(shape)[axis])
        return made
    return partitions


def _element_bytes(dtype, of_text):
    dtype = as_dtype(dtype)
    return of_text if dtype == "string" else dtype.size


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
    """Cuts variables along `axis` into as few parts as have at most `max_shard_bytes` each, and into at most `max_shards`.
    Raises: ValueError for sizes below 1."""
    for name, value in (("max_shard_bytes", max_shard_bytes), ("bytes_per_string_element", bytes_per_string_element),
                        ("max_shards", max_shards or 1)):
        if value < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {value}")

    def partitions(shape, dtype):
        sizes = TensorShape(shape).as_list()
        row = math.prod(sizes) // sizes[axis] * _element_bytes(dtype, bytes_per_string_element)
        count = math.ceil(sizes[axis] / max(1, max_shard_bytes // row))
        made = [1] * len(sizes)
        made[axis] = min(count, max_shards or count)
        return made
    return partitions


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16):
    """Cuts variables along `axis` into at most `max_partitions` parts, each of at least `min_slice_size` bytes."""
    def partitions(shape, dtype):
        sizes = TensorShape(shape).as_list()
        if axis >= len(sizes):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        size = math.prod(sizes) * _element_bytes(dtype, bytes_per_string_element)
        made = [1] * len(sizes)
        made[axis] = max(1, min(sizes[axis], max_partitions, -(-size // min_slice_size)))
        return made
    return partitions


def global_variables(scope=None):
    """All variables of the default graph."""
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope=None):
    """Those that training changes."""
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


all_variables = global_variables


def local_variables(scope=None):
    """Variables of the graph that are not saved, such as the sums of metrics."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope=None):
    """Those of which running averages are kept."""
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)


def get_collection_ref(key):
    return get_default_graph().get_collection_ref(key)


def add_to_collections(names, value):
    get_default_graph().add_to_collections(names, value)
