"""Variables."""

import enum
import functools
import weakref

from . import _input_graphs, _native, _records, _refused, device_spec, errors
from ._dtypes import BY_CODE, NAMED_BY_CODE, TensorShape, as_dtype


class VariableSynchronization(enum.Enum):
    """When the copies of a variable on several replicas are brought together."""
    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class _Aggregation(enum.Enum):
    """How the values that replicas assign become one; equal to the other version's of the name."""

    def __eq__(self, other):
        return isinstance(other, _Aggregation) and self.value == other.value

    def __hash__(self):
        return hash(self.value)


_HOW = {"NONE": 0, "SUM": 1, "MEAN": 2, "ONLY_FIRST_REPLICA": 3}
VariableAggregation = _Aggregation("VariableAggregationV2", _HOW, module=__name__, qualname="VariableAggregation")
VariableAggregationV1 = _Aggregation("VariableAggregation", _HOW, module=__name__, qualname="VariableAggregationV1")


def aggregation_number(how):
    """The number of an aggregation, or of its name ("mean"). Raises: ValueError for another."""
    if how is None:
        return 0
    if isinstance(how, str) and how.upper() in _HOW:
        return _HOW[how.upper()]
    if not isinstance(how, _Aggregation):
        raise ValueError(f"Invalid value for argument `aggregation`. Expected one of `None`, `'none'`, `'mean'`, `'sum'`, "
                         f"`'only_first_replica'`. Received: aggregation={how}")
    return how.value


_by_key = weakref.WeakValueDictionary()
_scatter = {"update": 0, "add": 1, "sub": 2, "mul": 3, "div": 4, "min": 5, "max": 6}
_creators = []  # of variable_creator_scope


class _Meta(type):
    def __call__(cls, *args, **kwargs):
        if cls is Variable and _creators:
            return _created(list(_creators), args, kwargs)
        if cls is Variable:
            from . import _open_variable
            if _open_variable.wanted(args, kwargs):
                return _open_variable.OpenVariable(*args, **kwargs)
            from .distribute import coordinator
            sharded = coordinator.shards_in_scope(*args, **kwargs)
            if sharded is not None:
                return sharded
        made = super().__call__(*args, **kwargs)
        if cls is Variable:
            made.__class__ = _kind_of(made)
        return made


def _created(creators, args, kwargs):
    def make(**kw):
        if creators:
            return creators.pop()(make, **kw)
        from . import _open_variable
        return type.__call__(_open_variable.OpenVariable if _open_variable.wanted((), kw) else Variable, **kw)
    if args:
        kwargs = dict(kwargs, **dict(zip(("initial_value", "trainable"), args)))
    return make(**kwargs)


class _Holder:
    """The op of a variable of a graph."""

    type = "VarHandleOp"

    def __init__(self, variable):
        self.variable, self.name, self.inputs, self.device = variable, variable._shared_name, [], variable.device

    graph = property(lambda self: self.variable.graph)
    outputs = property(lambda self: [self.variable.handle])

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


references = [False]  # whether variables of graphs show as references: what `disable_resource_variables` asks for


class Variable(metaclass=_Meta):
    """A value that changes. Reading it takes a snapshot that no later assignment changes.

    Args:
      initial_value: what `convert_to_tensor` takes, or a function of no arguments that gives it.
      trainable: whether tapes watch it by themselves; by default True, False for ON_READ.
      name: shown in `name`, with ":0" behind.
      dtype, shape: the dtype, and the shape that the initial value must have.
      synchronization, aggregation: how copies on replicas are kept together.
    Raises: ValueError without an initial value, or when it is made in a second call of a function.
    """

    _after_assignment = _of_graph = False
    _is_reference = False  # whether it shows as the kind of version 1 that has no handle
    _is_whole = True  # no copy of a replica, and no assignment
    _has_copies = False  # whether each replica that assigns it has one, under every strategy
    part_of = None  # of a part of a partitioned variable of version 1: which

    def __init__(self, initial_value=None, trainable=None, validate_shape=True, caching_device=None,
                 name=None, variable_def=None, dtype=None, import_scope=None, constraint=None,
                 synchronization=VariableSynchronization.AUTO,
                 aggregation=VariableAggregation.NONE, shape=None,
                 experimental_enable_variable_lifting=True, collections=None, use_resource=None, expected_shape=None):
        _refused.only("Variable", variable_def=(variable_def, None), expected_shape=(expected_shape, None))
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be specified except when "
                             "you are not providing a `variable_def`. You provided neither.")
        from . import _function, distribute
        self._of_graph = _native.has_graph()
        self._is_reference = self._of_graph and references[0] and not use_resource
        if not self._of_graph:
            _function.variable_is_made()
        dtype = None if dtype is None else as_dtype(dtype)
        base = name or "Variable"
        if base.endswith(":0"):
            base = base[:-2]
        base = _function.variable_prefix() + base
        self._constraint = constraint
        with _function.anew(self._of_graph):
            self._v = _native.Variable.make(
                distribute.first_value(base, _initial(initial_value, dtype)), base, trainable,
                VariableSynchronization(synchronization).value,
                aggregation_number(aggregation), self._has_copies)
        if shape is not None and not TensorShape(shape).is_compatible_with(self.shape):
            raise ValueError(f"In this `tf.Variable` creation, the initial value's shape ({tuple(self.shape)}) is not compatible "
                             f"with the explicitly supplied `shape` argument ({shape}).")
        self._initial = initial_value
        self._initial_dtype = dtype
        self._declared_shape = None if shape is None else TensorShape(shape)
        self._keras_path = None
        self._strategy = _function.strategy_of_scope()
        self._of_one = _function.strategy_of_one()
        self._device_number = 0 if self._of_graph else _function.own_device_number()
        _by_key[self._v.key] = self
        _function.keep_variable(self)
        if collections is not None and self._of_graph:
            from .compat.v1._variables import _note
            _note(self, trainable, collections)

    @classmethod
    def _wrap(cls, native, strategy=None):
        """The Python object of a native variable; always the same while it lives."""
        found = _by_key.get(native.key)
        if found is None:
            found = object.__new__(cls)
            found._v = native
            found._initial = None
            found._initial_dtype = None
            found._constraint = None
            found._declared_shape = None
            found._keras_path = None
            found._strategy, found._of_one, found._device_number = strategy, None, 0
            _by_key[native.key] = found
        return found

    # ---- what it is

    @property
    def name(self):
        if self._keras_path is not None:
            return self._keras_path.rpartition("/")[2]
        return self._v.name + ":0"

    @property
    def _shared_name(self):
        return self._v.name

    @property
    def path(self):
        return self._keras_path or self._v.name

    @property
    def dtype(self):
        return (BY_CODE if self._keras_path is None else NAMED_BY_CODE)[self._v.dtype]

    @property
    def shape(self):
        return TensorShape(self._v.shape)

    @property
    def ndim(self):
        return len(self._v.shape)

    @property
    def trainable(self):
        return self.__dict__.get("_trainable", self._v.trainable)

    @trainable.setter
    def trainable(self, value):
        self._trainable = bool(value)

    @property
    def synchronization(self):
        return VariableSynchronization(self._v.synchronization)

    @property
    def aggregation(self):
        found = VariableAggregation(self._v.aggregation)
        return VariableAggregationV1.NONE if found.value == 0 else found

    @property
    def constraint(self):
        return self._constraint

    @property
    def device(self):
        placed = _native.server_device(self._v)
        if placed or self._of_graph:
            return placed
        strategy = self._strategy
        if strategy is None:
            return device_spec.own_device(self._device_number)
        return strategy.extended.parameter_devices[0]

    @property
    def handle(self):
        return self._v.handle

    @property
    def op(self):
        """The op that holds it in a graph, by its name; eagerly the variable."""
        if not self.__dict__.get("_of_graph"):
            return self
        return _Holder(self)

    @property
    def graph(self):
        """The graph of version 1 that it belongs to; None of other variables."""
        from .compat import v1
        found = _native.graph_of_variable(self._v)
        return found and v1.Graph.of(found)

    @property
    def initializer(self):
        """The op that assigns the first value, in a graph of version 1."""
        if not self.__dict__.get("_of_graph"):
            return None
        from .compat.v1._first_values import initializer_of
        return initializer_of(self)

    @property
    def _keras_path(self):
        """The name of a weight below its model and layer; None of a variable that a program makes."""
        return self.__dict__.get("_path_in_keras")

    @_keras_path.setter
    def _keras_path(self, path):
        self.__dict__["_path_in_keras"] = path
        if path is not None and isinstance(self, ResourceVariable):
            self.__class__ = Variable

    @property
    def initial_value(self):
        return self._initial

    @property
    def values(self):
        """The copies of this process's replicas; the variable itself where it has one alone."""
        if self._strategy is None or not self._is_whole:
            return (self,)
        from .distribute import CentralStorageStrategy, own_replicas
        if isinstance(self._strategy, CentralStorageStrategy):
            return (self,)
        first, last = own_replicas(self._strategy.num_replicas_in_sync)
        return tuple(Copy(self, i, i - first) for i in range(first, last))

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        self.shape.assert_is_compatible_with(shape)

    def is_initialized(self, name=None):
        """Whether it has a value, as a tensor; of a graph's variable, whether it has one in the session that runs it."""
        from ._tensor import convert_to_tensor
        if self.__dict__.get("_of_graph") and _native.has_graph():
            return _native.is_variable_initialized(self._v)
        return convert_to_tensor(True)

    def ref(self):
        from ._tensor import Reference
        return Reference(self, self._v.key)

    def experimental_ref(self):
        return self.ref()

    def describe(self):
        """Kind, aggregation, and where each copy lives and why."""
        return self._v.describe()

    # ---- reading

    @property
    def value(self):
        """A method that gives a snapshot of the value. Of a variable of Keras, as there, the variable that holds its value, which may
        be called like the method."""
        return self._snapshot if self._keras_path is None else KerasValue._of(self)

    def _snapshot(self):
        try:
            return self._v.value()
        except errors.FailedPreconditionError:
            return _input_graphs.again(lambda own: own._v.value(), self)

    def read_value(self):
        from ._tensor import op
        return op(_read, self)

    def numpy(self):
        if self.__dict__.get("_of_graph"):
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self._v.value().numpy()

    def initialized_value(self):
        """The value; of a graph's variable, what it begins with where it has none yet in the session that runs it."""
        from . import _function
        with _function.anew(self._of_graph):
            return self.value()

    def eval(self, session=None):
        from ._tensor import eval_tensor
        return eval_tensor(self, None, session)

    def sparse_read(self, indices, name=None):
        from ._tensor import convert_to_tensor, op
        return op(_native.gather, self.value(), convert_to_tensor(indices), 0, 0)

    def gather_nd(self, indices, name=None):
        from ._tensor import convert_to_tensor, op
        return op(_native.gather_nd, self.value(), convert_to_tensor(indices))

    # ---- writing

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Replaces the value. Shapes and dtype: the variable's. Raises: ValueError otherwise."""
        return self._write("assign", value, read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        """Adds to the value, at once: no other write comes between."""
        return self._write("assign_add", delta, read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        """Subtracts from the value, at once."""
        return self._write("assign_sub", delta, read_value)

    def _write(self, kind, value, read_value):
        from ._tensor import convert_to_tensor
        from . import distribute
        value = distribute._values.local_value(value)
        try:
            value = convert_to_tensor(value, dtype=self.dtype)
        except ValueError:
            if not hasattr(value, "dtype"):
                raise
            raise ValueError(f"Incompatible type conversion requested to type {self.dtype.name!r} "
                             f"for variable of type {value.dtype.name!r}") from None
        if not self.shape.is_compatible_with(value.shape):
            raise ValueError(f"Cannot {kind.replace('_', ' ') if kind == 'assign' else kind} value "
                             f"to variable ' {self.name}': Shape mismatch.The variable shape "
                             f"{self.shape}, and the assigned value shape {value.shape} are "
                             "incompatible.")
        try:
            result = self._put(kind, value)
        except errors.FailedPreconditionError:
            result = _input_graphs.again(Variable._put, self, kind, value)
        _records.remember(_WRITES[kind], (self, value), result, True)
        made = UnreadVariable(self, result)
        return made if read_value else made.op if result._symbolic else None  # the op that assigns, in a graph

    def _put(self, kind, value):
        """Writes, and gives what is held then."""
        return getattr(self._v, kind)(value)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("update", sparse_delta)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("add", sparse_delta)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("sub", sparse_delta)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("mul", sparse_delta)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("div", sparse_delta)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("min", sparse_delta)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("max", sparse_delta)

    def scatter_nd_update(self, indices, updates, name=None):
        from . import ops_array
        return self._become(lambda value: ops_array.tensor_scatter_nd_update(value, indices, updates))

    def scatter_nd_sub(self, indices, updates, name=None):
        from . import ops_array
        return self._become(lambda value: ops_array.tensor_scatter_nd_sub(value, indices, updates))

    def scatter_nd_max(self, indices, updates, name=None):
        from . import ops_array
        return self._become(lambda value: ops_array.tensor_scatter_nd_max(value, indices, updates))

    def scatter_nd_min(self, indices, updates, name=None):
        from . import ops_array
        return self._become(lambda value: ops_array.tensor_scatter_nd_min(value, indices, updates))

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Writes rows, each batch of them at the places of its own. Shapes: indices [b..., n] with known sizes b, values
        [b..., n, ...]: the rows [b..., indices[b..., i]] become values[b..., i]."""
        from . import ops_array
        from ._tensor import convert_to_tensor
        indices = convert_to_tensor(sparse_delta.indices)
        sizes = list(indices._shape)
        batches = [ops_array.broadcast_to(ops_array.reshape(convert_to_tensor(list(range(size)), dtype=indices.dtype), [
            size if axis == own else 1 for axis in range(len(sizes))]), sizes) for own, size in enumerate(sizes[:-1])]
        return self.scatter_nd_update(ops_array.stack([*batches, indices], -1), sparse_delta.values)

    def load(self, value, session=None):
        """Assigns, in a graph in the session or in the default one, as version 1 has it."""
        made = self.assign(value)
        if self.__dict__.get("_of_graph"):
            from .compat.v1 import get_default_session
            session = session or get_default_session()
            if session is None:
                raise ValueError("Either session argument should be provided or default session should be established")
            session.run(made)

    def count_up_to(self, limit):
        """Adds 1, and gives the value before. Raises: OutOfRangeError at the limit."""
        def checked(value):
            if value.numpy() >= limit:
                from .errors import OutOfRangeError
                raise OutOfRangeError(None, None, f"Reached limit of {limit}")
            return value

        def one_more(value):
            before[:] = [checked(value).numpy()]
            return value + 1
        before = []
        if not _native.is_tracing():
            from ._tensor import convert_to_tensor
            self._become(one_more)
            return convert_to_tensor(before[0], dtype=self.dtype)
        from ._function import control_dependencies
        from .ops_array import identity
        value, = _native.host_call(lambda values: [checked(values[0])], [self.value()], [self.dtype], [[]])
        with control_dependencies([self.assign(value + 1)]):
            return identity(value)

    def scatter_nd_add(self, indices, updates, name=None):
        from . import ops_array
        return self._become(lambda value: ops_array.tensor_scatter_nd_add(value, indices, updates))

    def _become(self, make):
        """Assigns what `make` gives for the value. Eagerly no write of another thread comes between, as `make` is
        called again then; a traced function or a session's run is one step anyway."""
        from . import _function
        eager = _function.executing_eagerly() and not _native.has_strategy()
        if not eager or self.dtype.name == "string":
            return self.assign(make(self.value()))
        while True:
            before = self.value()
            after = make(before)
            if self.compare_and_assign(before, after).numpy():
                _records.remember(_WRITES["assign"], (self, after), after, True)
                return UnreadVariable(self, after)

    def _scatter(self, kind, sparse_delta):
        from ._tensor import convert_to_tensor, IndexedSlices
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        result = self._v.scatter(_scatter[kind], convert_to_tensor(sparse_delta.indices),
                                 convert_to_tensor(sparse_delta.values, dtype=self.dtype))
        return UnreadVariable(self, result)

    def compare_and_assign(self, expected, desired):
        """Assigns `desired` if the value equals `expected`, in one step; whether it did."""
        from ._tensor import convert_to_tensor
        return self._v.compare_and_assign(convert_to_tensor(expected, dtype=self.dtype),
                                          convert_to_tensor(desired, dtype=self.dtype))

    # ---- as Python sees it

    def __repr__(self):
        from . import _function
        if self._keras_path is not None and type(self) is not UnreadVariable:
            shown = (f"<Variable path={self._keras_path}, shape={tuple(self.shape)}, "
                     f"dtype={self.dtype.name}")
            value = self._value_now()
            return shown + (">" if value is None else f", value={value.numpy()}>")
        shown = f"<tf.Variable '{self._shown_name()}' shape={self.shape} dtype={self.dtype.name}{'_ref' * self._is_reference}"
        value = self._value_now()
        if value is not None:
            from ._tensor import _text
            shown += f", numpy={_text(value, True)}"
        shown += ">"
        if self._strategy is not None and self._is_whole:
            return _function.describe_copies(self, shown)
        return shown

    __str__ = __repr__

    def _value_now(self):
        """The value, or None where it is a graph's, which only a run has."""
        if _native.is_tracing() or self._of_graph:
            return None
        try:
            return self.value()
        except errors.FailedPreconditionError:
            return None
        except errors.InvalidArgumentError:  # replicas hold values that nothing makes one of
            return self._v.copies()[0]

    def _shown_name(self):
        return self.name

    def __len__(self):
        return self.value().__len__()

    def __iter__(self):
        return iter(self.value())

    def __bool__(self):
        return bool(self.value())

    def __int__(self):
        return int(self.value())

    def __float__(self):
        return float(self.value())

    def __index__(self):
        return self.value().__index__()

    def __array__(self, dtype=None, copy=None):
        return self.value().__array__(dtype)

    def __getitem__(self, key):
        from ._tensor import get_item
        return get_item(self, key)

    def __format__(self, spec):
        return format(self.numpy(), spec) if spec else str(self)

    def __hash__(self):
        if self.__dict__.get("_of_graph"):
            return hash(self._v.key)
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key. "
                        f"(Variable: {self!r})")

    def __reduce__(self):
        return functools.partial(Variable, initial_value=self.numpy(), trainable=self._v.trainable, name=self._v.name,
                                 dtype=self.dtype.name, constraint=self._constraint, synchronization=self.synchronization,
                                 aggregation=VariableAggregation(self._v.aggregation)), ()

    def __deepcopy__(self, memo):
        made = Variable(self.value(), trainable=self._v.trainable, name=self._v.name)
        memo[id(self)] = made
        return made

    class SaveSliceInfo:
        pass


def _read(variable):
    from . import _native as native
    return native.identity(variable.value())


def _write_as(kind):
    def write(variable, value):
        return variable._put(kind, value)
    write.kind = kind
    return write


_WRITES = {kind: _write_as(kind) for kind in ("assign", "assign_add", "assign_sub")}


class Copy(Variable):
    """The copy of a variable that one replica has; it is read alone."""

    _is_whole = False

    def __init__(self, variable, replica, number):
        """`number`: which of this process's it is."""
        self.__dict__.update(variable.__dict__)
        self._whole = variable
        self._replica, self._number = replica, number
        self._strategy = None

    def value(self):
        values = self._v.copies()
        return values[self._replica if len(values) > 1 else 0]

    def numpy(self):
        return self.value().numpy()

    @property
    def name(self):
        name = self._v.name
        return f"{name}:0" if self._number == 0 else f"{name}/replica_{self._number}:0"

    @property
    def device(self):
        return device_spec.own_device(self._whole._strategy._device_numbers[self._number])

    def _write(self, kind, value, read_value):
        raise NotImplementedError(f"[variable] the copy of a replica is not written by itself; got {self.name}; "
                                  "assign to the variable, or inside of strategy.run")


class CountVariable(Variable):
    """What replicas count, each for itself: under every strategy each one that assigns it has a copy."""

    _has_copies = True


class ResourceVariable(Variable):
    """A variable that a program makes, and no layer."""


class KerasValue(ResourceVariable):
    """The variable that holds the value of a variable of Keras."""

    @classmethod
    def _of(cls, variable):
        made = object.__new__(cls)
        made.__dict__.update(variable.__dict__)
        made.__dict__.update(_path_in_keras=None, _variable=variable)
        return made

    def __getattr__(self, name):
        return getattr(self.__dict__["_variable"], name)  # such as the `_v` that a metric's variable finds for each replica

    def __call__(self):
        return self._variable._snapshot()


KerasValue.__name__ = "ResourceVariable"  # as TensorFlow calls it


class MirroredVariable(ResourceVariable):
    """One with a copy for each replica, which stay equal."""


class SyncOnReadVariable(ResourceVariable):
    """One with a value of its own for each replica."""


class AggregatingVariable(ResourceVariable):
    """One of `CentralStorageStrategy`, with one copy for all replicas."""


class CachingVariable(ResourceVariable):
    """One of a `ParameterServerStrategy` with a coordinator, on a server."""


def _kind_of(variable):
    """The class that TensorFlow names for a variable that a program makes."""
    from .distribute import CentralStorageStrategy, coordinator
    if coordinator.in_scope():
        return CachingVariable
    if variable._strategy is None:
        return ResourceVariable
    if isinstance(variable._strategy, CentralStorageStrategy):
        return AggregatingVariable
    return SyncOnReadVariable if variable.synchronization == VariableSynchronization.ON_READ else MirroredVariable


class UnreadVariable(Variable):
    """What an assignment gives: the variable, after the assignment."""

    _is_whole = False

    def __init__(self, variable, value):
        self.__dict__.update(variable.__dict__)
        self._assigned = variable
        self._value = value
        self._after_assignment = value._symbolic and _native.has_graph()

    def _shown_name(self):
        return self.name if self._after_assignment else "UnreadVariable"

    @property
    def values(self):
        return (self,) if self.synchronization == VariableSynchronization.ON_READ else self._assigned.values

    def value(self):
        """The value; in a graph of version 1 a run that takes it carries out the assignment before."""
        if not self._after_assignment:
            return self._snapshot()
        from ._function import control_dependencies
        with control_dependencies([self._value]):
            return self._v.value()

    def read_value(self):
        return self.value() if self._after_assignment else super().read_value()

    @property
    def op(self):
        """The op that assigns, in a graph; eagerly the variable."""
        if not self._value._symbolic:
            return self
        read = self._value.op
        before = read.control_inputs if self._after_assignment else ()
        return before[-1] if before else read

    @property
    def name(self):
        return self.op.name if self._after_assignment else self._assigned._v.name + ":0"


def by_handles(handles):
    """The variables that have these handles, in their order."""
    known = {}
    for one in list(_by_key.values()):
        try:
            known[one._v.handle._id] = one
        except errors.FailedPreconditionError:  # it belongs to another strategy than the one that is in force
            pass
    return tuple(known[one._id] for one in handles if one._id in known)


class NeedsValue(ValueError):
    """A variable that is made while a function is traced begins with what only a run gives."""


def _initial(value, dtype):
    from ._tensor import convert_to_tensor
    if callable(value) and not isinstance(value, (_native.Tensor, Variable)):
        if _native.is_tracing() and not _native.has_graph() and not _native.has_strategy():
            made = convert_to_tensor(value(), dtype=dtype)  # its random ops take the seeds of the function's
            known = _native.first_value(made) if made._symbolic else made
            if known is not None:
                return known

        def make():
            made = value()
            return convert_to_tensor(made, dtype=dtype)
        return make
    if isinstance(value, Variable):
        value = value.value()
    if isinstance(value, _native.Tensor):
        if value._symbolic and not _native.has_graph():
            known = _native.static_value(value)
            known = _native.first_value(value) if known is None else known
            if known is None:
                raise NeedsValue("Tensor-typed variable initializers must either be wrapped in an "
                                 "init_scope or callable (e.g., `tf.Variable(lambda : "
                                 "tf.truncated_normal([10, 40]))`) when building functions. Please "
                                 "file a feature request if this restriction inconveniences you.")
            value = known
        return convert_to_tensor(value, dtype=dtype)
    return convert_to_tensor(value, dtype=dtype)


def _refuse_in_place(name, text):
    def apply(self, other):
        if self._keras_path is not None or self._strategy is not None:  # those of Keras and of strategies give a tensor
            return NotImplemented
        raise RuntimeError(text)
    setattr(Variable, f"__{name}__", apply)


for _name, _sign in (("iadd", "+"), ("isub", "-")):
    _how = "add" if _name == "iadd" else "sub"
    _refuse_in_place(_name, f"`variable {_sign}= value` with `tf.Variable`s is not supported. Use `variable.assign_{_how}(value)` "
                     f"to modify the variable, or `out = variable {_sign} value` if you need to get a new output Tensor.")
for _name, _sign in (("imul", "*"), ("itruediv", "/"), ("ipow", "**")):
    _refuse_in_place(_name, f"`var {_sign}= value` with `tf.Variable`s is not supported. Use `var.assign(var {_sign} value)` to "
                     f"modify the variable, or `out = var {_sign} value` if you need to get a new output Tensor.")


class variable_creator_scope:
    """While it is open, `creator(next_creator, **kwargs)` makes variables."""

    def __init__(self, variable_creator):
        self._creator = variable_creator

    def __enter__(self):
        _creators.append(self._creator)

    def __exit__(self, *_):
        _creators.pop()
