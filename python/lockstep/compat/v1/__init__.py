"""Version 1 style: graphs that are built first, sessions that run them, placeholders.

Names that version 2 has, too, are its own: `tf.compat.v1.constant` is `tf.constant`."""

import importlib as _importlib
import threading
import weakref

from ... import _native, errors, nest
from ..._dtypes import TensorShape, as_dtype
from ..._function import Operation
from ..._tensor import Tensor, convert_to_tensor
from ..._variable import UnreadVariable, Variable

_local = threading.local()


# ---- graphs ---------------------------------------------------------------------------------------


class Graph:
    """A graph that is built first and run later, by a `Session`."""

    def __init__(self, native=None):
        self._native = native or _native.Graph()
        self._collections = {}
        self._variables = {}  # by name, of get_variable
        self.seed = None

    def as_default(self):
        """A context in which everything that is computed becomes ops of the graph."""
        return _GraphContext(self)

    def get_operations(self):
        return [GraphOperation(one, self) for one in self._native.operations()]

    def get_operation_by_name(self, name):
        return GraphOperation(self._native.operation_by_name(name), self)

    def get_tensor_by_name(self, name):
        return self._native.tensor_by_name(name)

    version = property(lambda self: len(self._native.operations()))
    building_function = False

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The tensor or op of a name ("x:0", "x"), or the object itself. Raises: KeyError, ValueError."""
        if not isinstance(obj, str):
            return obj
        return self.get_tensor_by_name(obj) if ":" in obj else self.get_operation_by_name(obj)

    def unique_name(self, name, mark_as_used=True):
        """The name that the next op of this name would get."""
        taken = {one.name for one in self._native.operations()}
        made, count = name, 0
        while made in taken:
            count += 1
            made = f"{name}_{count}"
        return made

    def finalize(self):
        """From now on nothing may be added."""
        self._native.finalize()

    finalized = property(lambda self: self._native.finalized)

    def get_collection(self, name, scope=None):
        if name in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES):
            own = self._native.variables() if name == GraphKeys.GLOBAL_VARIABLES \
                else self._native.trainable_variables()
            hidden = self._collections.get("lockstep/optimizers", [])
            return [Variable._wrap(one) for one in own
                    if (scope is None or one.name.startswith(scope)) and one.key not in hidden]
        return list(self._collections.get(name, []))

    def add_to_collection(self, name, value):
        self._collections.setdefault(name, []).append(value)

    def control_dependencies(self, control_inputs):
        from ..._function import control_dependencies
        return control_dependencies(control_inputs)

    def device(self, name):
        from ..._function import device
        return device(name)

    def name_scope(self, name):
        return name_scope(name)

    def as_graph_def(self, *_, **__):
        raise NotImplementedError("graphs are written by `lockstep`'s C++ interface")

    def to_dot(self):
        """The graph in the language of Graphviz."""
        return self._native.dot()


def _whole_name(device):
    from ...device_spec import DeviceSpec
    return DeviceSpec.from_string(device).to_string()


class GraphOperation:
    """An op of a graph."""

    def __init__(self, native, graph):
        self._native = native
        self.graph = graph

    name = property(lambda self: self._native.name)
    type = property(lambda self: self._native.type)
    device = property(lambda self: _whole_name(self._native.device))
    outputs = property(lambda self: self._native.outputs())
    inputs = property(lambda self: self._native.inputs())
    control_inputs = property(lambda self: [GraphOperation(one, self.graph) for one in self._native.control_inputs()])

    def run(self, feed_dict=None, session=None):
        (session or get_default_session()).run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


def _graphs():
    try:
        return _local.graphs
    except AttributeError:
        _local.graphs = []
        return _local.graphs


class _GraphContext:
    def __init__(self, graph):
        self._graph = graph

    def __enter__(self):
        self._scope = _native.GraphScope(self._graph._native)
        self._scope.enter()
        _graphs().append(self._graph)
        return self._graph

    def __exit__(self, *_):
        _graphs().pop()
        self._scope.exit()


_global = Graph()
_without_eager = [False]


def in_graph():
    """Whether ops are added to a graph."""
    return _native.has_graph()


def get_default_graph():
    """The graph to which ops are added now."""
    graphs = _graphs()
    return graphs[-1] if graphs else _global


def reset_default_graph():
    """The process's graph becomes an empty one."""
    global _global
    _global = Graph()
    if _without_eager[0] and len(_graphs()) == 1:
        _leave()
        _enter()


_permanent = []


def _enter():
    context = _global.as_default()
    context.__enter__()
    _permanent.append(context)


def _leave():
    _permanent.pop().__exit__()


def disable_eager_execution():
    """From now on what this thread computes becomes ops of the default graph."""
    if not _without_eager[0]:
        _without_eager[0] = True
        _enter()


def enable_eager_execution(*_, **__):
    """Ops happen at once again."""
    if _without_eager[0]:
        _without_eager[0] = False
        _leave()


disable_v2_behavior = disable_eager_execution
enable_v2_behavior = enable_eager_execution


def disable_v2_tensorshape():
    pass


def disable_resource_variables():
    pass


def enable_resource_variables():
    pass


def control(control_inputs):
    return None


def graph_group(inputs, options):
    """An op of the graph that is done when all inputs are; None outside of graphs."""
    if not in_graph():
        return None
    fetches = _targets(nest.flatten(list(inputs)))
    return GraphOperation(get_default_graph()._native.group(fetches), get_default_graph())


def graph_variable(args, kwargs):
    return None


def graph_gradients(*_):
    return None


# ---- sessions -------------------------------------------------------------------------------------


def _sessions():
    try:
        return _local.sessions
    except AttributeError:
        _local.sessions = []
        return _local.sessions


def get_default_session():
    """The session whose `with` is open on this thread, or None."""
    sessions = _sessions()
    return sessions[-1] if sessions else None


class _Initializers(Operation):
    """Gives eager variables their first values again."""

    def __init__(self, variables):
        super().__init__([], "init")
        self.variables = variables


def global_variables_initializer():
    """An operation that gives all variables their first values."""
    if in_graph():
        graph = get_default_graph()
        return GraphOperation(graph._native.initializer(), graph)
    return _Initializers(None)


initialize_all_variables = global_variables_initializer


def local_variables_initializer():
    """An operation that does nothing: there are no local variables."""
    if in_graph():
        graph = get_default_graph()
        return GraphOperation(graph._native.group([]), graph)
    return Operation([], "init_local")


tables_initializer = local_variables_initializer


def variables_initializer(var_list, name="init"):
    """The same for some variables."""
    if in_graph():
        return GraphOperation(_native.variables_initializer([one._v for one in var_list]),
                              get_default_graph())
    return _Initializers(list(var_list))


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of variables that have no value in the session, a vector of texts."""
    from ... import ops_array
    variables = global_variables() if var_list is None else list(var_list)
    if not in_graph():
        return convert_to_tensor([], dtype="string")
    if not variables:
        return convert_to_tensor([], dtype="string")
    flags = ops_array.stack([_native.is_variable_initialized(one._v) for one in variables])
    names = [one.op.name if hasattr(one.op, "name") else one.name for one in variables]
    plain = [one.removesuffix(":0").encode() for one in names]

    def missing(values):
        have = values[0].numpy().tolist()
        return [convert_to_tensor([one for one, there in zip(plain, have) if not there], dtype="string")]
    return _native.host_call(missing, [flags], [7], [[-1]])[0]


def is_variable_initialized(variable):
    return _native.is_variable_initialized(variable._v)


def _initialize(variables):
    from ..._variable import _by_key, _initial
    if variables is None:
        variables = [one for one in list(_by_key.values()) if one._initial is not None]
    for one in variables:
        value = _initial(one._initial, one._initial_dtype)
        one.assign(value() if callable(value) and not isinstance(value, Tensor)
                   else convert_to_tensor(value))


class ConfigProto:
    """Options of a session, taken and without effect on results."""

    def __init__(self, **options):
        class GPUOptions:
            allow_growth = False
        self.gpu_options = GPUOptions()
        self.__dict__.update(options)


class GPUOptions:
    def __init__(self, **options):
        self.__dict__.update(options)


class RunOptions:
    def __init__(self, **options):
        self.__dict__.update(options)


class RunMetadata:
    pass


def _is_of_graph(one):
    if isinstance(one, (GraphOperation, str)):
        return True
    if isinstance(one, Operation):
        return any(tensor._symbolic for tensor in one.tensors)
    if isinstance(one, UnreadVariable):
        return one._value._symbolic
    if isinstance(one, Variable):
        return one.__dict__.get("_of_graph", False)
    return isinstance(one, Tensor) and one._symbolic


class Session:
    """Runs parts of a graph; without one, results that were computed eagerly, again.

    A run computes what its fetches need, each op at most once."""

    def __init__(self, target="", graph=None, config=None):
        self._closed_at = None
        self._given = graph
        self._made = None
        self._graph = graph or (get_default_graph() if in_graph() else None)

    @property
    def graph(self):
        return self._graph or get_default_graph()

    @property
    def _native(self):
        if self._made is None:
            self._made = _native.Session(self.graph._native)
        return self._made

    graph_def = property(lambda self: None)
    sess_str = property(lambda self: "")

    def __enter__(self):
        _sessions().append(self)
        self._entered = None
        if self._given is not None:
            self._entered = self._given.as_default()
            self._entered.__enter__()
        return self

    def __exit__(self, *_):
        if self._entered is not None:
            self._entered.__exit__()
        _sessions().remove(self)
        self.close()

    def close(self):
        """Ends the session; `run` is refused from then on."""
        import os
        import sys
        if self._closed_at is None:
            frame = sys._getframe(1)
            here = os.path.abspath(__file__)
            for _ in range(3):
                here = os.path.dirname(here)
            while frame is not None and frame.f_code.co_filename.startswith(here):
                frame = frame.f_back
            self._closed_at = ("?", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
            if self._made is not None:
                self._made.close()

    def as_default(self):
        session = self

        class Default:
            def __enter__(self):
                _sessions().append(session)
                return session

            def __exit__(self, *_):
                _sessions().remove(session)
        return Default()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of `fetches`, in their structure: NumPy arrays for tensors and variables, None for
        operations.

        Args: feed_dict: {tensor: value} for tensors that are not to be computed.
        Raises: RuntimeError when the session is closed; TypeError for other fetches; ValueError for
        values that do not fit; InvalidArgumentError for placeholders without a value."""
        if self._closed_at is not None:
            raise RuntimeError("Attempted to use a closed Session. It was closed where its `with` block "
                               f"ends, line {self._closed_at[1]} of {self._closed_at[0]}; move the call "
                               "into the block")
        if fetches is None:
            raise TypeError("Argument `fetches` = None has invalid type \"NoneType\". Cannot be None")
        leaves = nest.flatten(fetches)
        if any(_is_of_graph(one) for one in leaves):
            return _run_graph(self, fetches, leaves, feed_dict)
        return _run_eager(fetches, leaves, feed_dict)

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        return lambda *values: self.run(fetches, dict(zip(feed_list or [], values)))

    def list_devices(self):
        return []


class InteractiveSession(Session):
    """A session that is the default one from the beginning."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        _sessions().append(self)

    def close(self):
        super().close()
        if self in _sessions():
            _sessions().remove(self)


def _targets(leaves):
    made = []
    for one in leaves:
        if one is None:
            continue
        if isinstance(one, GraphOperation):
            made.append(one._native)
        elif isinstance(one, UnreadVariable):
            made.append(one._value)
        elif isinstance(one, Variable):
            made.append(one._v)
        elif isinstance(one, Operation):
            made.extend(one.tensors)
        else:
            made.append(one)
    return made


def _fed(key, value):
    if hasattr(key, "deref"):
        key = key.deref()
    if isinstance(key, str):
        return key, convert_to_tensor(value)
    native = key._v if isinstance(key, Variable) else key
    try:
        tensor = convert_to_tensor(value, dtype=key.dtype) if not isinstance(value, Tensor) else value
    except ValueError:
        raise
    shape = TensorShape(native._shape if isinstance(native, Tensor) else native.shape)
    if not shape.is_compatible_with(tensor._shape):
        if isinstance(native, Tensor) and native._id in _unknown_shapes:
            sizes = ", ".join(["None"] * tensor._rank)
            raise errors.UnimplementedError(
                None, None, f"[placeholder] one without a shape is a scalar; got a value of shape {tuple(tensor._shape)} "
                f"for {key.name}; write tf.placeholder({key.dtype!r}, shape=[{sizes}])")
        raise ValueError(f"Cannot feed value of shape {tuple(tensor._shape)} for Tensor "
                         f"{key.name}, which has shape {shape}")
    return native, tensor


def _run_graph(session, fetches, leaves, feed_dict):
    wanted = []
    for one in leaves:
        if one is None or not (_is_of_graph(one) or isinstance(one, (Tensor, Variable, Operation))):
            raise TypeError(f"Argument `fetch` = {one!r} has invalid type {type(one).__name__!r} must be a "
                            f"string or Tensor. (Can not convert a {type(one).__name__} into a Tensor or "
                            "Operation.)")
        wanted.extend(_targets([one])[:1] or [None])
    feeds = [_fed(key, value) for key, value in (feed_dict or {}).items()]
    known = [isinstance(one, Tensor) and not one._symbolic for one in wanted]
    asked = [one for one, value in zip(wanted, known) if one is not None and not value]
    with _outside():
        try:
            values = iter(session._native.run(asked, feeds, []))
        except errors.NotFoundError as error:
            raise ValueError(str(error)) from None
    results = [one if value else (next(values) if one is not None else None)
               for one, value in zip(wanted, known)]
    made = [None if value is None or isinstance(one, (GraphOperation, Operation)) else value.numpy()
            for one, value in zip(leaves, results)]
    return nest._pack(fetches, iter(made))


class _outside:
    """Leaves the graph that is being built while a run is carried out."""

    def __enter__(self):
        self._scope = _native.EagerScope()
        self._scope.enter()

    def __exit__(self, *_):
        self._scope.exit()


def _run_eager(fetches, leaves, feed_dict):
    from ... import _replay
    wanted, operations = [], []
    for one in leaves:
        if isinstance(one, _Initializers):
            _initialize(one.variables)
        elif isinstance(one, Operation):
            operations.extend(one.tensors)
        elif isinstance(one, UnreadVariable):
            wanted.append(one._value)
        elif isinstance(one, (Tensor, Variable)):
            wanted.append(one)
        else:
            raise TypeError(f"Argument `fetch` = {one!r} has invalid type {type(one).__name__!r} must be a "
                            f"string or Tensor. (Can not convert a {type(one).__name__} into a Tensor or "
                            "Operation.)")
    values = []
    if wanted or operations:
        values = _replay.run(wanted, operations, _replay.Feeds(feed_dict))
    values = iter(values)
    made = [next(values).numpy() if not isinstance(one, Operation) else None for one in leaves]
    return nest._pack(fetches, iter(made))


# ---- placeholders and variables -------------------------------------------------------------------


_unknown_shapes = set()  # of placeholders without a shape


def placeholder(dtype, shape=None, name=None):
    """A value that a run must be fed with. Raises: RuntimeError outside of a graph."""
    if not in_graph():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    shape = TensorShape(shape)
    if shape.rank is None:  # taken for a scalar; `_fed` says how to write others
        made = _native.placeholder(as_dtype(dtype), [], name or "Placeholder")
        _unknown_shapes.add(made._id)
        return made
    return _native.placeholder(as_dtype(dtype), [-1 if s is None else s for s in shape],
                               name or "Placeholder")


def placeholder_with_default(input, shape, name=None):
    """A value that a run may be fed with; else it is `input`."""
    return _native.placeholder_with_default(
        convert_to_tensor(input), [-1 if s is None else s for s in TensorShape(shape)],
        name or "PlaceholderWithDefault")


class GraphKeys:
    GLOBAL_VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    LOSSES = "losses"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"
    GLOBAL_STEP = "global_step"
    REGULARIZATION_LOSSES = "regularization_losses"


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


class name_scope:
    """A prefix of the names of ops in graphs."""

    def __init__(self, name=None, default_name=None, values=None):
        self._name = name or default_name or ""

    def __enter__(self):
        if in_graph() and self._name:
            self._inner = _native.NameScope(self._name)
            return self._inner.enter()
        self._inner = None
        return self._name + "/"

    def __exit__(self, *error):
        if self._inner is not None:
            self._inner.exit()


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


def set_random_seed(seed):
    """The global seed."""
    from ... import random
    random.set_seed(seed)


def get_seed(op_seed):
    """The two seeds of an op: the global one and its own; (None, None) without any. Source: get_seed of version 1."""
    own = _native.global_seed()
    if own is None:
        return (None, None) if op_seed is None else (87654321, int(op_seed))
    number = len(get_default_graph()._native.operations()) if in_graph() else 0
    pair = own, (number if op_seed is None else int(op_seed))
    return (0, 2**31 - 1) if pair == (0, 0) else pair


def random_normal_initializer(mean=0.0, stddev=1.0, seed=None, dtype=None):
    from ...keras import initializers
    return initializers.RandomNormal(mean, stddev, seed)


def random_uniform_initializer(minval=0.0, maxval=1.0, seed=None, dtype=None):
    from ...keras import initializers
    return initializers.RandomUniform(minval, maxval, seed)


def truncated_normal_initializer(mean=0.0, stddev=1.0, seed=None, dtype=None):
    from ...keras import initializers
    return initializers.TruncatedNormal(mean, stddev, seed)


def constant_initializer(value=0, dtype=None, verify_shape=False):
    from ..._dtypes import float32
    return lambda shape, dtype=float32: _full(shape, value, dtype)


def _full(shape, value, dtype):
    from ... import ops_array
    made = convert_to_tensor(value, dtype=dtype)
    return ops_array.fill(shape, made) if made._rank == 0 else ops_array.reshape(made, shape)


def zeros_initializer(dtype=None):
    return constant_initializer(0)


def ones_initializer(dtype=None):
    return constant_initializer(1)


def glorot_uniform_initializer(seed=None, dtype=None):
    from ...keras import initializers
    return initializers.GlorotUniform(seed)


def while_loop(cond, body, loop_vars, *args, **kwargs):
    """`tf.while_loop`; a single variable comes without its list."""
    from ..._control_flow import while_loop as loop
    results = loop(cond, body, loop_vars, *args, **kwargs)
    return results[0] if isinstance(results, (list, tuple)) and len(results) == 1 else results


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`, printing `data` when it is computed."""
    from ..._function import control_dependencies
    from ..._host_calls import print_v2
    from ...ops_array import identity
    with control_dependencies([print_v2(message or "", *data)] if in_graph() else []):
        return identity(input_)


def py_func(func, inp, Tout, stateful=True, name=None):
    """What a function of NumPy arrays gives."""
    from ..._host_calls import numpy_function
    return numpy_function(func, inp, Tout)


def string_split(source, sep=None, skip_empty=True, delimiter=" ", result_type="SparseTensor", name=None):
    """The parts of a vector of texts, as a sparse matrix."""
    from ...ragged import RaggedTensor
    from ...strings import split
    parts = split(source, delimiter if sep is None else sep)
    if skip_empty:
        rows = [[one for one in row if one] for row in parts.to_list()]
        parts = RaggedTensor.from_row_lengths(convert_to_tensor([one for row in rows for one in row], dtype="string"),
                                              [len(row) for row in rows])
    return parts.to_sparse() if result_type == "SparseTensor" else parts


def to_float(x, name=None):
    from ...ops_math import cast
    return cast(x, "float32")


def where_v2(condition, x=None, y=None):
    from ...ops_array import where
    return where(condition, x, y)


def random_uniform(*args, **kwargs):
    from ... import random
    return random.uniform(*args, **kwargs)


def random_normal(*args, **kwargs):
    from ... import random
    return random.normal(*args, **kwargs)


def truncated_normal(*args, **kwargs):
    from ... import random
    return random.truncated_normal(*args, **kwargs)


def executing_eagerly_outside_functions():
    return not _without_eager[0]


def app_run(main, argv=None):
    import sys
    sys.exit(main(argv or sys.argv))


class logging:
    DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

    @staticmethod
    def set_verbosity(level):
        """Of Python's logger "tensorflow"."""
        import logging as python
        python.getLogger("tensorflow").setLevel(level)

    @staticmethod
    def get_verbosity():
        import logging as python
        return python.getLogger("tensorflow").getEffectiveLevel()

    @staticmethod
    def info(message, *args):
        import sys
        sys.stderr.write("INFO:tensorflow:" + (message % args if args else message) + "\n")

    warn = warning = error = debug = info


_MOVED = {  # what version 1 has at the top
    "matrix_inverse": ("linalg", "inv"), "matrix_determinant": ("linalg", "det"),
    "matrix_solve": ("linalg", "solve"), "cholesky": ("linalg", "cholesky"), "trace": ("linalg", "trace"),
    "diag": ("linalg", "tensor_diag"), "diag_part": ("linalg", "tensor_diag_part"),
    "matrix_transpose": ("linalg", "matrix_transpose"), "log": ("math", "log"), "log1p": ("math", "log1p"),
    "is_nan": ("math", "is_nan"), "is_inf": ("math", "is_inf"), "is_finite": ("math", "is_finite"),
    "floordiv": ("math", "floordiv"), "mod": ("math", "mod"), "erf": ("math", "erf"),
    "segment_sum": ("math", "segment_sum"), "unsorted_segment_sum": ("math", "unsorted_segment_sum"),
    "cumprod": ("math", "cumprod"), "lgamma": ("math", "lgamma"), "rsqrt": ("math", "rsqrt"),
    "confusion_matrix": ("math", "confusion_matrix"), "reciprocal": ("math", "reciprocal"),
    "check_numerics": ("debugging", "check_numerics"), "assert_equal": ("debugging", "assert_equal"),
    "assert_less": ("debugging", "assert_less"), "assert_greater": ("debugging", "assert_greater"),
    "string_to_number": ("strings", "to_number"), "string_join": ("strings", "join"),
    "read_file": ("io", "read_file"), "write_file": ("io", "write_file"), "decode_raw": ("io", "decode_raw"),
    "parse_example": ("io", "parse_example"), "parse_single_example": ("io", "parse_single_example"),
    "FixedLenFeature": ("io", "FixedLenFeature"), "VarLenFeature": ("io", "VarLenFeature"),
    "FIFOQueue": ("queue", "FIFOQueue"), "RandomShuffleQueue": ("queue", "RandomShuffleQueue"),
    "PaddingFIFOQueue": ("queue", "PaddingFIFOQueue"), "PriorityQueue": ("queue", "PriorityQueue"),
    "random_shuffle": ("random", "shuffle"), "gfile": ("io", "gfile")}


def __getattr__(name):
    if name in ("train", "summary", "data", "losses"):
        module = _importlib.import_module("." + name, __name__)
        globals()[name] = module
        return module
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "layers":
        raise AttributeError("tf.compat.v1.layers went with Keras 3, as in TensorFlow: use tf.keras.layers")
    import lockstep
    if name in _MOVED:
        module, name = _MOVED[name]
        return getattr(getattr(lockstep, module), name)
    try:
        return getattr(lockstep, name)
    except AttributeError:
        raise AttributeError(f"module 'lockstep.compat.v1' has no attribute {name!r}") from None


_ = weakref
