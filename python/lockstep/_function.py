"""Traced functions, control flow, and what surrounds a trace."""

import contextlib
import functools
import inspect
import sys
import threading
import weakref

from . import _composites, _native, _records, _trace_types, errors, nest
from ._dtypes import BY_CODE, TensorShape, as_dtype
from ._tensor import Tensor, convert_to_tensor, name_symbol
from ._thread_lists import ThreadList
from ._variable import NeedsValue, UnreadVariable, Variable

_local = threading.local()
_eager_functions = False
_traces = ThreadList()


class _Trace:
    """What happens while one function is traced."""

    def __init__(self, function, may_create):
        self.function = function
        self.may_create = may_create
        self.variables = []
        self._elements = 0

    def takes_element(self):
        """Called for each element that an iterator gives to the trace. Raises: OperatorNotAllowedInGraphError where there are so
        many that a loop must be running in Python, which the trace never ends."""
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            from . import errors
            raise errors.OperatorNotAllowedInGraphError(
                f"[function] a loop over a dataset must be traced as a loop; {self.function.__qualname__!r} has taken {_MOST_ELEMENTS} "
                "elements one by one while it was traced, as Python's own loop does where the function's source is not there "
                "(`python -c`, exec) or autograph is off; keep it in a file, or loop outside of the function")


_MOST_ELEMENTS = 4096  # of iterators in one trace


def variable_is_made():
    """Called for each new variable: a function may make them in its first call alone."""
    if not _native.is_tracing():
        return
    for trace in _traces():
        if not trace.may_create:
            raise ValueError("tf.function only supports singleton tf.Variables created on the first "
                             "call. Make sure the tf.Variable is only created once or created outside "
                             "tf.function. See https://www.tensorflow.org/guide/function"
                             "#creating_tfvariables for more information.")


def keep_variable(variable):
    for trace in _traces():
        trace.variables.append(variable)


def name_scope_prefix():
    """What the open scopes put before names: "a/b/"."""
    if _native.has_graph():
        return getattr(_local, "graph_scope", "")
    return variable_prefix()


def variable_prefix():
    """The same for variables, whose names a graph gives itself the prefix of its scopes."""
    scopes = getattr(_local, "scopes", None)
    return "".join(one + "/" for one in scopes) if scopes else ""


def get_current_name_scope():
    """The names of the open scopes, "a/b"."""
    return name_scope_prefix().removesuffix("/")


class name_scope:
    """A prefix of the names of variables, and of ops in graphs, where a second scope of a name is "name_1"; "name/" is the
    scope of that name again."""

    def __init__(self, name=None, *_, **__):
        self._name = name or ""

    @property
    def name(self):
        return self._name

    def __enter__(self):
        self._of_graph = _native.NameScope(self._name) if _native.has_graph() else None
        if self._of_graph is not None:
            self._outer = getattr(_local, "graph_scope", "")
            _local.graph_scope = self._of_graph.enter()
            return _local.graph_scope
        self._outer = getattr(_local, "scopes", [])
        own = self._name.rstrip("/")
        _local.scopes = self._outer + [own] if own else self._outer
        return variable_prefix()

    def __exit__(self, *_):
        if self._of_graph is not None:
            self._of_graph.exit()
            _local.graph_scope = self._outer
        else:
            _local.scopes = self._outer


@contextlib.contextmanager
def outermost_scope():
    """A context in which names have no prefix."""
    if _native.has_graph():
        root = _native.NameScope("")
        root.enter()
        try:
            yield
        finally:
            root.exit()
        return
    outer, _local.scopes = getattr(_local, "scopes", []), []
    try:
        yield
    finally:
        _local.scopes = outer


def strategy_of_scope():
    from . import distribute
    strategy = distribute.scope_in_force()
    if strategy is None or distribute.coordinator.in_scope() or isinstance(strategy, distribute.OneDeviceStrategy) or (
            isinstance(strategy, distribute.CentralStorageStrategy)
            and strategy.num_replicas_in_sync == 1):
        return None
    return strategy


def strategy_of_one():
    """The strategy of one device whose scope is open, or None."""
    from . import distribute
    strategy = distribute.scope_in_force() if _native.has_strategy() else None
    return strategy if isinstance(strategy, distribute.OneDeviceStrategy) else None


def describe_copies(variable, shown):
    """A strategy's variable with the copy of each of this process's replicas."""
    from . import distribute
    strategy = variable._strategy
    if isinstance(strategy, distribute.CentralStorageStrategy):
        return shown
    first, last = distribute.own_replicas(strategy.num_replicas_in_sync)
    kind = "SyncOnReadVariable" if variable._v.synchronization == 3 else "MirroredVariable"
    name = variable._v.name
    copies = variable._v.copies() if not _native.is_tracing() and "numpy=" in shown else [None]
    lines = []
    for replica in range(first, last):
        place = replica - first
        own = f"{name}:0" if place == 0 else f"{name}/replica_{place}:0"
        shown_rest = shown[shown.index("' ") + 2:]
        if len(copies) > 1:
            from ._tensor import _text
            shown_rest = shown_rest[:shown_rest.index(" numpy=")] + \
                f" numpy={_text(copies[replica], True)}>"
        lines.append(f"  {place}: <tf.Variable '{own}' {shown_rest}")
    return kind + ":{\n" + ",\n".join(lines) + "\n}"


# ---- function -----------------------------------------------------------------------------------


class TensorSpec:
    """The shape and dtype of a tensor that is to come; None sizes are not known."""

    def __init__(self, shape, dtype="float32", name=None):
        self.shape = TensorShape(shape)
        self.dtype = as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, value):
        value = value if isinstance(value, (TensorSpec, Tensor)) else convert_to_tensor(value)
        return self.dtype == value.dtype and self.shape.is_compatible_with(value.shape)

    def most_specific_compatible_shape(self, other):
        """The shape that fits this one's and another spec's tensors."""
        return self.shape.most_specific_compatible_shape(other.shape)

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def __eq__(self, other):
        return (isinstance(other, TensorSpec) and self.shape == other.shape
                and self.dtype == other.dtype)

    def __hash__(self):
        return hash((self.shape, int(self.dtype)))


_TENSOR = "tensor"


def _printed_before():
    """A context that drops what Python prints, where a concrete function has printed it when it was asked for."""
    import io
    return contextlib.redirect_stdout(io.StringIO()) if getattr(_local, "quiet", False) else contextlib.nullcontext()


class _Concrete:
    """One structure of arguments, and what the function gives for it."""

    def __init__(self, owner, structure, leaves):
        self.owner = owner
        self.structure = structure
        self.composite = _composites.has_parts(structure)
        self.leaves = leaves  # _TENSOR, or a Python value
        self.single = False
        self.results = None  # the structure of results; leaves are numbers or None
        self.variables = []
        self.native = None
        self.traces = []  # the dtypes and shapes of the tensors, trace by trace
        self.scheduled = None  # the same for workers
        self.first = True
        self.may_repeat = False  # a first trace that makes variables is dropped, and the function is traced again
        self.rigid = False  # it needs the sizes: a trace for each
        self.open_specs = None  # (dtype, shape) of each tensor, where one trace is for any number of rows of some
        self.streams = None  # of random ops, where several traces share them

    def rebuild(self, tensors):
        tensors = iter(tensors)
        leaves = [next(tensors) if one is _TENSOR else one for one in self.leaves]
        made = nest._pack(self.structure, iter(leaves))
        return _composites.whole(made) if self.composite else made

    def body(self, parameters):
        args, kwargs = self.rebuild(parameters)
        self.owner._name_parameters(args, kwargs)
        trace = _Trace(self.owner, self.first)
        traces = _traces()
        traces.append(trace)
        try:
            with _printed_before():
                value = self.owner._converted()(*args, **kwargs)
            flat, self.results = _flatten_results(value, whole=True)
        finally:
            traces.pop()
        self.variables.extend(trace.variables)
        self.owner._traced += 1
        self.single = self.results == 0
        return flat

    def pack(self, tensors):
        if self.single:
            return tensors[0]
        return _pack_results(self.results, tensors)


class _Made:
    """In a structure of results a value that `make` makes of several tensors, the first of which has the number `first`."""

    def __init__(self, make, first, count):
        self.make, self.first, self.last = make, first, first + count

    def value(self, tensors):
        return self.make(tensors[self.first:self.last])


class _OfReplicas:
    """In a structure of results a value of each replica."""

    def __init__(self, values):
        self.values = values

    def value(self, tensors):
        from . import distribute
        return distribute.PerReplica(_pack_results(one, tensors) for one in self.values)


def _flatten_results(value, whole=False):
    """(tensors, the structure with their numbers in place of them). `whole`: IndexedSlices and tensor arrays stay such ones."""
    tensors = []

    def take(leaf):
        if leaf is None:
            return None
        if isinstance(leaf, Operation):
            return None
        from . import distribute
        if isinstance(leaf, distribute.PerReplica):
            if len(leaf._values) != 1:
                return _OfReplicas([_map_leaves(take, one) for one in leaf._values])
            leaf = leaf._values[0]
        if _composites.is_composite(leaf):
            return _map_leaves(take, leaf._parts())
        apart = _composites.taken_apart(leaf) if whole and not isinstance(leaf, Tensor) else None
        if apart is not None:
            made = _Made(apart[1], len(tensors), len(apart[0]))
            tensors.extend(apart[0])
            return made
        tensors.append(convert_to_tensor(leaf))
        return len(tensors) - 1

    return tensors, _map_leaves(take, value)


def _map_leaves(function, value):
    if isinstance(value, (list, tuple)):
        return nest._like(value, [_map_leaves(function, one) for one in value])
    if isinstance(value, dict):
        made = {key: _map_leaves(function, value[key]) for key in sorted(value)}  # the order of `nest.flatten`
        return type(value)((key, made[key]) for key in value)
    return function(value)


def _pack_results(structure, tensors):
    if structure is None:
        return None
    if isinstance(structure, int):
        return tensors[structure]
    if isinstance(structure, (_Made, _OfReplicas)):
        return structure.value(tensors)
    if isinstance(structure, dict):
        return type(structure)((key, _pack_results(one, tensors)) for key, one in structure.items())
    made = nest._like(structure, [_pack_results(one, tensors) for one in structure])
    return made.whole() if isinstance(made, _composites.Parts) else made


def _open_specs(structure, leaves, tensors):
    """(dtype, shape) of each tensor among the leaves, -1 for the rows of parts whose number the trace does not depend on; None
    where it depends on all."""
    if not _composites.has_parts(structure):
        return None
    open_ = [one for one, leaf in zip(_composites.open_rows(structure), leaves) if leaf is _TENSOR]
    if not any(open_) or any(one._rank is None for one in tensors):
        return None
    sizes = [[-1 if size is None else size for size in one._shape] for one in tensors]
    return tuple((int(one.dtype), (-1, *shape[1:]) if is_open and shape else tuple(shape))
                 for one, shape, is_open in zip(tensors, sizes, open_))


def _key_of(leaf):
    """(key, leaf): what an argument says of the trace, and what it is called with."""
    kind = type(leaf)
    if kind is Tensor:
        return _TENSOR, _TENSOR
    if isinstance(leaf, Variable):
        return ("variable", leaf._v.key), leaf
    if kind in (int, float, bool, str, bytes, type(None)):
        return (kind, leaf), leaf
    if hasattr(leaf, "__array__") and hasattr(leaf, "dtype"):
        return _TENSOR, _TENSOR
    try:
        hash(leaf)
        return (kind, leaf), leaf
    except TypeError:
        return (kind, id(leaf)), leaf


class _MadeVariables(Exception):
    """The first trace of a function has made variables, so it is not the one that runs."""


class Function:
    """A Python function that is traced once for each kind of arguments; from then on the traced
    graph runs, compiled. See `function`."""

    def __init__(self, python_function, input_signature=None, autograph=True, name=None, reduce_retracing=False):
        self._reduce_retracing, self._has_created = reduce_retracing, False
        self._python_function = python_function
        self._signature = None if input_signature is None else tuple(input_signature)
        self._specs = _composites.apart(self._signature)
        self._autograph = autograph
        self._concrete = {}
        self._asked = []  # the concrete functions that get_concrete_function has made
        self._streams = None  # of random ops, where traces for all signatures share them
        self._by_count = {}
        self._traced = 0
        self._convertible = None
        self._bound = None
        self._lock = threading.RLock()
        self.__name__ = name or getattr(python_function, "__name__", "function")
        functools.update_wrapper(self, python_function, updated=())

    name = property(lambda self: self.__name__)
    python_function = property(lambda self: self._python_function)
    input_signature = property(lambda self: self._signature)
    function_spec = property(lambda self: inspect.signature(self._python_function))

    def _converted(self):
        if self._convertible is None:
            function = self._python_function
            if self._autograph:
                from . import autograph
                function = autograph.convert_callable(function)
            self._convertible = function
        return self._convertible

    def _name_parameters(self, args, kwargs):
        names = getattr(self, "_parameter_names", None)
        if names is None:
            try:
                names = [p.name for p in inspect.signature(self._python_function).parameters.values()
                         if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            except (TypeError, ValueError):
                names = []
            self._parameter_names = names
        for name, one in list(zip(names, args)) + list(kwargs.items()):
            for leaf in nest.flatten(one):
                if type(leaf) is Tensor and leaf._symbolic:
                    name_symbol(leaf, name + ":0")

    def __call__(self, *args, **kwargs):
        if not kwargs and self._signature is None and not _eager_functions:
            for one in args:
                if type(one) is not Tensor:
                    break
            else:
                concrete = self._by_count.get(len(args))
                if concrete is not None:
                    if concrete.single:
                        return concrete.native.call(args)[0]
                    return concrete.pack(concrete.native.call(args))
        return self._call(args, kwargs)

    def _call(self, args, kwargs):
        if _eager_functions:
            return self._python_function(*args, **kwargs)
        concrete, tensors = self._prepare(args, kwargs)
        may_create = self._traced == 0 and not self._has_created and not _native.is_tracing() and not _native.has_strategy()
        concrete.may_repeat = may_create
        try:
            return self._run(concrete, tensors)
        except _MadeVariables:
            return self._run_again(concrete, tensors)
        except NeedsValue:
            if not may_create:
                raise
        # The first call as plain Python gives such variables the values that only a run has; the next one is traced.
        self._traced, self._has_created = 0, True
        self._concrete.clear()
        self._by_count.clear()
        return nest.map_structure(lambda one: None if one is None else convert_to_tensor(one),
                                  self._python_function(*args, **kwargs))

    def _run_again(self, concrete, tensors):
        """Traces a function whose first trace has made variables once more, and runs that: its random ops count from the first."""
        with self._lock:
            concrete.native, concrete.may_repeat, self._has_created = None, False, True
            if self._streams is not None:
                self.share_streams()
            self._by_count.clear()
        return self._run(concrete, tensors)

    def _make_native(self, concrete):
        with self._lock:
            if concrete.native is None:
                concrete.native = self._native_for(concrete)
                if not self._reduce_retracing and all(one is _TENSOR for one in concrete.leaves) and _shape_of(
                        concrete.structure) == ((None,) * len(concrete.leaves), ()):
                    self._by_count[len(concrete.leaves)] = concrete

    def _prepare_for(self, *args):
        """Traces it for these arguments, unless it is traced, and runs nothing."""
        concrete, tensors = self._prepare(args, {})
        if concrete.native is None:
            self._make_native(concrete)
        concrete.native.prepare(tensors)

    def _natives(self):
        """What it has been traced as, in the order of the traces."""
        return [one.native for one in self._concrete.values() if one.native is not None]

    def _run(self, concrete, tensors):
        if concrete.native is None:
            self._make_native(concrete)
        if self._reduce_retracing and self._signature is None:
            with self._lock:
                self._relax(concrete, tensors)
        return concrete.pack(concrete.native.call(tensors))

    def _relax(self, concrete, tensors):
        """From the second call with other sizes on one trace serves all sizes of the axes that changed."""
        if concrete.rigid or any(one._symbolic for one in tensors) or _native.has_strategy():
            return
        given = [list(one._shape) for one in tensors]
        seen = concrete.__dict__.setdefault("seen", given)
        if any(len(a) != len(b) for a, b in zip(seen, given)) or all(
                x in (None, y) for a, b in zip(seen, given) for x, y in zip(a, b)):
            return
        open_ = [[x if x == y else None for x, y in zip(a, b)] for a, b in zip(seen, given)]
        try:
            concrete.native = _native.SpecFunction(self._first_body(concrete), [
                (one._dtype, [-1 if size is None else size for size in shape]) for one, shape in zip(tensors, open_)],
                self.__name__).function
        except (errors.OpError, TypeError, ValueError):
            concrete.native, concrete.rigid = _native.Function(self._first_body(concrete), self.__name__), True
        else:
            concrete.seen = open_

    def _prepare(self, args, kwargs):
        """(the concrete function for these arguments, the tensors among them)"""
        if kwargs or self._has_defaults():
            args, kwargs = self._canonical(args, kwargs)
        if self._signature is not None:
            args = self._checked(args, kwargs)
            kwargs = {}
        from . import distribute
        structure = (tuple(args), kwargs)
        flat = [distribute._values.local_value(one) for one in nest.flatten(structure)]
        if any(hasattr(type(one), "_key_parts") for one in flat):
            structure = _composites.map_found(structure, lambda one: hasattr(type(one), "_key_parts"),
                                              lambda one: one._key_parts())
            flat = [distribute._values.local_value(one) for one in nest.flatten(structure)]
        keys, leaves = [], []
        for one in flat:
            key, leaf = _key_of(one)
            keys.append(key)
            leaves.append(leaf)
        tensors = [one if type(one) is Tensor else convert_to_tensor(one)
                   for one, leaf in zip(flat, leaves) if leaf is _TENSOR]
        specs = None if self._signature is not None else _open_specs(structure, leaves, tensors)
        concrete = self._concrete_for(structure, keys if specs is None else keys + [specs], leaves)
        concrete.open_specs = specs
        return concrete, tensors

    def _has_defaults(self):
        function = getattr(self._python_function, "__func__", self._python_function)
        return bool(getattr(function, "__defaults__", None)) and self._signature is None

    def _canonical(self, args, kwargs):
        try:
            bound = inspect.signature(self._python_function).bind(*args, **kwargs)
        except ValueError:
            return args, kwargs
        if self._signature is None:
            bound.apply_defaults()
        return bound.args, bound.kwargs

    def _checked(self, args, kwargs):
        """The arguments as the input signature wants them."""
        if kwargs:
            args, kwargs = self._canonical(args, kwargs)
        specs = self._specs
        names = list(inspect.signature(self._python_function).parameters)

        def refuse(cause):
            shown = ", ".join(f"{name}: {spec}" for name, spec in zip(names, self._signature))
            raise TypeError(f"Binding inputs to tf.function failed due to `{cause}`. Received args: {args} and kwargs: {kwargs} "
                            f"for signature: ({shown}).")
        if len(args) < len(specs):
            refuse(f"missing a required argument: {names[len(args)]!r}" if len(args) < len(names) else
                   f"missing a required argument: {len(args)} of {len(specs)} are given")
        if len(args) > len(specs):
            refuse("too many positional arguments")
        from . import distribute
        wanted = nest.flatten(specs)
        try:
            given = nest.flatten_up_to(specs, _composites.apart(tuple(args)))
        except ValueError as error:
            refuse(error)
        made = []
        for value, spec in zip(given, wanted):
            if isinstance(spec, distribute.PerReplicaSpec):
                if not spec.is_compatible_with(value):
                    refuse(f"Can not cast {value!r} to {spec!r}")
                made.append(value)
                continue
            if type(value) is not Tensor:
                value = convert_to_tensor(value, dtype_hint=spec.dtype)
            if value._dtype != int(spec.dtype) or not spec.shape.is_compatible_with(value.shape):
                refuse(f"Can not cast {TensorSpec(value.shape, value.dtype, spec.name)!r} to {spec!r}")
            made.append(value)
        return nest._pack(tuple(specs), iter(made))

    def _concrete_for(self, structure, keys, leaves):
        shape = _shape_of(structure)
        key = (shape, tuple(keys))
        concrete = self._concrete.get(key)
        if concrete is None:
            with self._lock:
                concrete = self._concrete.get(key)
                if concrete is None:
                    concrete = _Concrete(self, structure, leaves)
                    self._concrete[key] = concrete
        return concrete

    def _native_for(self, concrete):
        """With an input signature that leaves sizes open one trace serves all shapes, or its random ops go on from trace to
        trace."""
        if self._streams is not None or self._signature is not None:
            concrete.streams = self._streams or _native.StreamPool()
        if self._signature is not None and not _native.is_tracing() and not _native.has_strategy():
            specs = [spec for one in nest.flatten(self._specs) for spec in getattr(one, "_component_specs", [one])]
            if any(None in (one.shape._dims or ()) for one in specs) and all(
                    one.shape.rank is not None for one in specs):
                try:
                    return _native.SpecFunction(self._first_body(concrete), [
                        (int(one.dtype), [-1 if s is None else s for s in one.shape]) for one in specs], self.__name__).function
                except (errors.OpError, TypeError, ValueError):
                    self._traced = 0  # something in it needs the sizes: a trace for each shape
                    concrete.variables.clear()
        if concrete.open_specs is not None and not _native.is_tracing() and not _native.has_strategy():
            try:
                return _native.SpecFunction(self._first_body(concrete), [
                    (dtype, list(shape)) for dtype, shape in concrete.open_specs], self.__name__).function
            except (errors.OpError, TypeError, ValueError):
                concrete.variables.clear()  # something in it needs the sizes: a trace for each
        return _native.Function(self._first_body(concrete), self.__name__)

    def _first_body(self, concrete):
        """The body. Where its first trace makes variables, it is traced once more, so that a
        function that makes new ones each time is told."""
        may_create = self._traced == 0 and not self._has_created
        # What is native keeps the body, unseen by Python's collector, so the body keeps nothing that keeps what is native.
        weak_self, weak_concrete = weakref.ref(self), weakref.ref(concrete)

        def body(parameters):
            self, concrete = weak_self(), weak_concrete()
            concrete.first = may_create and self._traced == 0
            trace = [TensorSpec(one.shape, one.dtype) for one in parameters]
            if trace not in concrete.traces:
                concrete.traces.append(trace)
            traced = _native.trace_with(concrete.streams, concrete.body, parameters)
            if concrete.first and concrete.variables and _native.is_tracing():
                concrete.first = False
                if concrete.may_repeat:
                    raise _MadeVariables
                results = concrete.results
                _native.scratch(lambda: _native.trace_with(concrete.streams, concrete.body, parameters))
                concrete.results = results
                self._traced -= 1
            return traced
        return body

    def share_streams(self, other=None):
        """From now on random ops go on from trace to trace, as those of steps on batches of different sizes, and from the traces
        of `other`, where it is given. Returns: itself."""
        self._streams = _native.StreamPool() if other is None else other._streams
        return self

    def experimental_get_tracing_count(self):
        """How often the function has been traced."""
        return self._traced

    def get_concrete_function(self, *args, **kwargs):
        """The trace for these arguments; `TensorSpec`s stand for tensors. Raises: TypeError where one is missing."""
        if not args and not kwargs and self._signature is not None:
            args = self._signature
        args, kwargs = self._as_asked(*self._canonical(args, kwargs))
        made = ConcreteFunction(self, args, kwargs)
        signature = repr(made.structured_input_signature)
        before = next((one for one in self._asked if repr(one.structured_input_signature) == signature), None)
        if before is not None:
            return before
        self._asked.append(made)
        if all(repr(one.structured_input_signature) != signature for one in self._called()):
            made._try()
        return made

    def _as_asked(self, args, kwargs):
        """The arguments of the trace for these: those of the input signature, where there is one."""
        if self._signature is None:
            return args, kwargs
        if all(isinstance(one, Tensor) for one in nest.flatten((args, kwargs))):
            self._checked(args, kwargs)
        return self._signature, {}

    def _called(self):
        """The concrete functions of the calls so far."""
        made = []
        for concrete in self._concrete.values():
            for trace in concrete.traces:
                specs = iter(trace)
                flat = [next(specs) if one is _TENSOR else one for one in concrete.leaves]
                args, kwargs = nest._pack(concrete.structure, iter(flat))
                made.append(ConcreteFunction(self, args, kwargs))
        return made

    def _known(self):
        """The concrete functions of the calls so far, and those asked for."""
        made = self._called()
        called = {repr(one.structured_input_signature) for one in made}
        return made + [one for one in self._asked if repr(one.structured_input_signature) not in called]

    def pretty_printed_concrete_signatures(self, *_, **__):
        return "\n\n".join(one.pretty_printed_signature() for one in self._known())

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        found = _MethodsOf.of(instance).functions.get(self)
        if found is None:
            made = Function(self._python_function.__get__(instance, owner), self._signature, self._autograph, self.__name__,
                            self._reduce_retracing)
            found = _MethodsOf.of(instance).functions.setdefault(self, made)
        return found


class _MethodsOf:
    """The methods of one instance that are traced functions. The instance itself keeps them, so that they go together."""

    __slots__ = ("_instance", "functions")
    _without_attributes = {}  # by the instance's id, where it takes no attributes; kept for good
    _lock = threading.Lock()

    def __init__(self, instance=None):
        self._instance = (lambda: None) if instance is None else weakref.ref(instance)
        self.functions = {}

    @classmethod
    def of(cls, instance):
        place = getattr(instance, "__dict__", None)
        if type(place) is not dict:  # a class, or of slots alone
            return cls._without_attributes.setdefault(id(instance), (cls(), instance))[0]
        found = place.get("_lockstep_methods")
        if found is None or found._instance() is not instance:  # none yet, or what a copy of the instance has taken over
            with cls._lock:
                found = place.get("_lockstep_methods")
                if found is None or found._instance() is not instance:
                    found = place["_lockstep_methods"] = cls(instance)
        return found

    def __deepcopy__(self, memo):
        return _MethodsOf()

    def __reduce__(self):
        return _MethodsOf, ()


def _shape_of(value):
    if isinstance(value, (list, tuple)):
        inner = tuple(_shape_of(one) for one in value)
        return inner if type(value) is tuple else (type(value).__name__, inner)
    if isinstance(value, dict):
        return tuple((key, _shape_of(value[key])) for key in sorted(value))
    return None


class ConcreteFunction:
    """One trace of a function."""

    def __init__(self, function, args, kwargs):
        self._function = function
        self._args = args
        self._kwargs = kwargs

    name = property(lambda self: "__inference_" + self._function.__name__)

    def _named(self):
        """[(name, kind, value)] of the arguments, with specs in place of tensors."""
        try:
            bound = inspect.signature(self._function.python_function).bind(*self._args, **self._kwargs)
        except (TypeError, ValueError):
            return [(f"arg_{i}", "POSITIONAL_ONLY", _trace_types.spec_of(one)) for i, one in enumerate(self._args)]
        bound.apply_defaults()
        return [(name, bound.signature.parameters[name].kind.name, nest.map_structure(_trace_types.spec_of, value))
                for name, value in bound.arguments.items()]

    @property
    def structured_input_signature(self):
        """(arguments, keyword arguments) as specs with the names of the parameters."""
        def called(value, name):
            return TensorSpec(value.shape, value.dtype, name) if isinstance(value, TensorSpec) else value
        kinds = self._named()
        return (tuple(called(value, name) for name, kind, value in kinds if kind != "KEYWORD_ONLY"),
                {name: called(value, name) for name, kind, value in kinds if kind == "KEYWORD_ONLY"})

    @property
    def structured_outputs(self):
        """The results in their structure, as tensors of `graph`."""
        self._traced()
        return self._structure

    def pretty_printed_signature(self, verbose=True):
        """The parameters, results and captures, line by line."""
        lines = ["Input Parameters:"]
        for name, kind, value in self._named():
            lines.append(f"  {name} ({kind}): {_trace_types.text(value)}")
        return "\n".join(lines + ["Output Type:", f"  {_trace_types.text(self.structured_outputs)}", "Captures:", "  None"])

    @property
    def inputs(self):
        """The parameters as tensors of `graph`, flat."""
        return self.graph.inputs

    @property
    def graph(self):
        """A graph of version 1 that holds the trace, with placeholders for its inputs."""
        return self._traced()[0]

    @property
    def outputs(self):
        """The results as tensors of `graph`, flat."""
        return self._traced()[1]

    def _try(self):
        """Traces it. Raises: InvalidArgumentError for shapes that do not fit; whoever asks for the graph is told the rest."""
        specs = [one for one in nest.flatten((self._args, self._kwargs)) if isinstance(one, (TensorSpec, Tensor))]
        try:
            self._traced(False)
        except errors.InvalidArgumentError:
            if all(one.shape.rank is not None for one in specs):
                self._function._asked.remove(self)
                raise
        except Exception:  # noqa: S110
            pass

    def _traced(self, quiet=True):
        """(graph, results): Python runs once more; what it prints is dropped where it has printed that before."""
        import io
        with contextlib.redirect_stdout(io.StringIO()) if quiet else contextlib.nullcontext():
            return self._trace_now()

    def _trace_now(self):
        if "_trace" not in self.__dict__:
            from ._tensor import named
            from .compat import v1
            graph = v1.Graph()
            with graph.as_default():
                names = iter([name for name, _, value in self._named() for _ in nest.flatten(value)])

                def place(one):
                    name = next(names, None)
                    return v1.placeholder(one.dtype, one.shape, name) if isinstance(one, (TensorSpec, Tensor)) else one
                args, kwargs = nest.map_structure(place, (tuple(self._args), dict(self._kwargs)))
                made = self._function._converted()(*args, **kwargs)
                made = nest.map_structure(lambda one: None if one is None else named(
                    _native.identity(convert_to_tensor(one)), "Identity"), made)
            self._structure = made
            self._trace = graph, [one for one in nest.flatten(made) if isinstance(one, Tensor)]
            graph.inputs = [one for one in nest.flatten((args, kwargs)) if isinstance(one, Tensor)]
            graph.outputs = self._trace[1]
        return self._trace

    def __call__(self, *args, **kwargs):
        wanted = [one for one in nest.flatten((tuple(self._args), dict(self._kwargs))) if hasattr(one, "dtype")]
        given = [one for one in nest.flatten((args, kwargs)) if isinstance(one, Tensor)]
        for place, (one, spec) in enumerate(zip(given, wanted)):
            if len(given) == len(wanted) and one.dtype != spec.dtype:
                raise errors.InvalidArgumentError(
                    None, None, f"cannot compute {self.name} as input #{place}(zero-based) was expected to be a "
                    f"{spec.dtype.name} tensor but is a {one.dtype.name} tensor")
        try:
            args, kwargs = self._filled(args, kwargs)
        except TypeError as error:  # the tensors alone, in their order, are enough
            flat = self._with_tensors(args, kwargs)
            if flat is None:
                raise error
            args, kwargs = flat
        _local.quiet = "_trace" in self.__dict__
        try:
            return self._function(*args, **kwargs)
        finally:
            _local.quiet = False

    def _with_tensors(self, args, kwargs):
        """The arguments that the trace was asked for with `args` and `kwargs` in place of its tensors: values of Python, as bound
        objects, stay. None where there are more or fewer of them than tensors."""
        given = list(args)
        if not all(isinstance(one, (Tensor, Variable)) or hasattr(one, "__array__") for one in [*given, *kwargs.values()]):
            return None
        names = [name for name, _, value in self._named() for one in nest.flatten(value) if isinstance(one, TensorSpec)]
        for name in names[len(given):]:
            if name not in kwargs:
                return None
            given.append(kwargs[name])
        if len(given) != len(names):
            return None
        given = iter(given)
        return nest.map_structure(lambda one: next(given) if isinstance(one, (TensorSpec, Tensor)) else one,
                                  (tuple(self._args), dict(self._kwargs)))

    def _filled(self, args, kwargs):
        """The arguments of a call, and the Python values that the trace was asked for with."""
        try:
            signature = inspect.signature(self._function.python_function)
            asked = signature.bind(*self._args, **self._kwargs).arguments
            given = signature.bind_partial(*args, **kwargs)
        except (TypeError, ValueError):
            return args, kwargs
        for name, value in asked.items():
            literal = not any(isinstance(one, (TensorSpec, Tensor)) for one in nest.flatten(value))
            if literal and name not in given.arguments:
                given.arguments[name] = value
            elif literal and repr(given.arguments[name]) != repr(value):
                raise TypeError(f"{self.name} was traced for {name}={value!r}; got {name}={given.arguments[name]!r}; leave the "
                                "argument out, or ask get_concrete_function for that value")
            elif name not in given.arguments:
                raise TypeError(f"{self.name} missing required arguments: {name}")
            elif not literal and _shape_of(given.arguments[name]) != _shape_of(value):
                raise TypeError(f"{self.name} was traced for {name} of another structure; got {given.arguments[name]!r}")
        return given.args, given.kwargs

    output_shapes = property(lambda self: nest.map_structure(lambda one: one.shape, self.structured_outputs))
    output_dtypes = property(lambda self: nest.map_structure(lambda one: one.dtype, self.structured_outputs))

    def __repr__(self):
        named = self._named()
        parameters = [f"{name}: {_trace_types.text(value)}" for name, _, value in named]
        by_name = [kind for _, kind, _ in named].count("KEYWORD_ONLY")
        if by_name:
            parameters.insert(len(named) - by_name, "*")
        return f"<ConcreteFunction ({', '.join(parameters)}) -> {_trace_types.text(self.structured_outputs)} at 0x{id(self):X}>"

    def __str__(self):
        return "ConcreteFunction " + self.pretty_printed_signature()


def function(func=None, input_signature=None, autograph=True, jit_compile=None,
             reduce_retracing=False, experimental_implements=None,
             experimental_autograph_options=None, experimental_attributes=None,
             experimental_relax_shapes=None, experimental_compile=None, experimental_follow_type_hints=None):
    """Traces a Python function into a graph, and runs that. Python runs once for each kind of
    arguments (dtypes and shapes of tensors, values of everything else); `if`, `while`, `for` over
    tensors become part of the graph.

    Args:
      func: the function; without it a decorator is given.
      input_signature: `TensorSpec`s that all calls must fit.
      autograph: whether Python's control flow over tensors is taken over.
      reduce_retracing: whether a call with other sizes makes one trace for all sizes of these axes.
    Raises: what the function raises; ValueError when it makes variables in a later call."""
    def decorate(inner):
        if isinstance(inner, Function):
            return inner
        return Function(inner, input_signature, autograph, None, bool(reduce_retracing or experimental_relax_shapes))
    return decorate if func is None else decorate(func)


def run_functions_eagerly(run_eagerly):
    """Whether functions are called as Python, without tracing."""
    global _eager_functions
    _eager_functions = bool(run_eagerly)


def functions_run_eagerly():
    return _eager_functions


def executing_eagerly():
    """Whether ops happen at once: False while a function is traced."""
    from .compat import v1
    return not _native.is_tracing() and not v1.in_graph()


def inside_function():
    return _native.is_tracing()


class init_scope:
    """Leaves the functions that are being traced: ops inside happen at once."""

    def __enter__(self):
        self._scope = _native.EagerScope()
        self._scope.enter()

    def __exit__(self, *_):
        self._scope.exit()


# ---- ordering -----------------------------------------------------------------------------------


class Operation:
    """Something that happens and gives no value, such as a group of ops."""

    def __init__(self, tensors, name="group_deps"):
        self.tensors = tensors
        self.name = name
        self.type = "NoOp"

    def run(self, feed_dict=None, session=None):
        from .compat.v1 import get_default_session
        return (session or get_default_session()).run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type=NoOp>"


def host_operation(call, tensors, name, elsewhere=None):
    """An op of the host that gives nothing, so that a session can run it. `elsewhere`: (op, attributes) that does the same
    on tasks without Python."""
    if not _native.has_graph():
        return Operation(_native.host_call(call, tensors, [], [], elsewhere), name)

    def run(values):
        call(values)
        return [convert_to_tensor(True)]
    return Operation(_native.host_call(run, tensors, [10], [[]], elsewhere), name)


def _is_graph_op(one):
    return hasattr(one, "_native") and hasattr(one, "outputs")


def _as_tensors(values):
    tensors = []
    for one in nest.flatten(values if isinstance(values, (list, tuple)) else [values]):
        if isinstance(one, UnreadVariable):
            tensors.append(one._value)
        elif isinstance(one, Variable):
            tensors.append(one.value())
        elif isinstance(one, Operation):
            tensors.extend(one.tensors)
        elif _is_graph_op(one):
            tensors.extend(one.outputs)
        elif isinstance(one, Tensor):
            tensors.append(one)
        elif callable(one) and not _native.is_tracing():
            made = one()
            if made is not None:
                tensors.extend(_as_tensors([made]))
        elif hasattr(one, "_as_graph_operation"):
            tensors.append(one)
    return tensors


_open_controls = ThreadList()  # the control dependencies that this thread's trace is in


class control_dependencies:
    """While it is open, ops wait for everything listed; nested ones add up, None begins anew."""

    def __init__(self, control_inputs):
        from .compat import v1
        self._native = None
        self._left = []
        self._graph = v1.control(control_inputs)
        self._tensors = None
        if self._graph is None:
            self._tensors = None if control_inputs is None else _as_tensors(control_inputs)
            self._operations = [one._native for one in nest.flatten(control_inputs) if _is_graph_op(one) and not one.outputs]

    def __enter__(self):
        if self._graph is not None:
            return self._graph.__enter__()
        self._outer = _records.controls()
        if _native.is_tracing():
            open_ = _open_controls()
            if self._tensors is None:
                self._left, open_[:] = list(open_), []
                for one in reversed(self._left):
                    one.exit()
            symbolic = [one for one in self._tensors or [] if one._symbolic]
            if symbolic or self._operations:
                self._native = _native.Control(symbolic, self._operations)
                self._native.enter()
                open_.append(self._native)
        else:
            _records.set_controls(() if self._tensors is None else self._outer + tuple(self._tensors))
        return None

    def __exit__(self, *error):
        if self._graph is not None:
            return self._graph.__exit__(*error)
        if self._native is not None:
            self._native.exit()
            _open_controls().remove(self._native)
            self._native = None
        for one in self._left:
            one.enter()
            _open_controls().append(one)
        self._left = []
        _records.set_controls(self._outer)
        return None


def group(*inputs, **kwargs):
    """An operation that is done when all inputs are."""
    from .compat import v1
    made = v1.graph_group(inputs, kwargs)
    if made is not None:
        return made
    tensors = _as_tensors(list(inputs))
    if _native.is_tracing() and tensors:
        return Operation([_native.group(tensors)])
    return Operation(tensors)


def no_op(name=None):
    """An operation that does nothing."""
    return group(name=name or "NoOp")


def tuple_of(tensors, control_inputs=None, name=None):
    """The same tensors, there when all of them are."""
    from . import ops_array
    with control_dependencies([one for one in tensors if one is not None] + list(control_inputs or [])):
        return [None if one is None else ops_array.identity(one) for one in tensors]


class _OpToPlace:
    """What a function of devices is asked about: `type`, `device` (what inner scopes have said), and of a variable its
    shape and dtype as those of `outputs[0]`."""

    def __init__(self, asked):
        self.type, self.device, self.name = asked.type, asked.device, ""
        self.outputs = [] if asked.variable is None else [TensorSpec(asked.variable[1], BY_CODE[asked.variable[0]])]
        self.node_def = self
        self.op = self.type


def _device_name(given):
    """A name or a DeviceSpec as a name. Raises: ValueError for what is no device's name."""
    from .device_spec import DeviceSpec
    spec = given if hasattr(given, "to_string") else DeviceSpec.from_string(given or "")
    return spec.to_string()


class device:
    """The device of the ops and variables that are made inside: a name or a part of it, a function of each op that gives one
    (as `tf.compat.v1.train.replica_device_setter`'s), or None, which sets the scopes around it aside. Devices that do not
    exist are taken as the processor. Raises: ValueError for what is no device's name."""

    def __init__(self, device_name):
        self._name = None
        if callable(device_name):
            device_name, function = None, device_name
            self._native = _native.Device(lambda asked: _device_name(function(_OpToPlace(asked))))
        else:
            self._name = None if device_name is None else _device_name(device_name)
            self._native = _native.Device(self._name)

    def __enter__(self):
        self._native.enter()
        _devices().append(self._name)

    def __exit__(self, *_):
        _devices().pop()
        self._native.exit()


_devices = ThreadList()  # names of scopes


def own_device_number():
    """The logical device of this process that the innermost scope names, or the strategy of one device; else 0."""
    from . import config
    from .device_spec import DeviceSpec
    for name in reversed(_devices()):
        if not name:
            break
        spec = DeviceSpec.from_string(name)
        if spec.device_index is not None:
            return spec.device_index if spec.device_type == "CPU" and spec.device_index < config._logical[0] else 0
    strategy = strategy_of_one()
    return 0 if strategy is None else strategy._device_numbers[0]


def anew(in_graph):
    """In a graph a scope without control dependencies: a variable's first value waits for nothing."""
    import contextlib
    return control_dependencies(None) if in_graph else contextlib.nullcontext()


# ---- gradients of one's own ---------------------------------------------------------------------


def custom_gradient(f=None):
    """Decorates a function that gives (result, gradient), where gradient(*upstream) gives what flows
    to its arguments; with `variables=` in it also a list for the variables that it reads."""
    if f is None:
        return custom_gradient

    watched = _requires_variables(f)

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        tensors = [convert_to_tensor(one) for one in args]
        variables = _variables_of(f, tensors, kwargs)
        structure = []

        def call(given):
            result, gradient = watched(*given, **kwargs)
            flat, form = _flatten_results(result)
            structure[:] = [form]

            def backwards(upstream):
                if not variables:
                    made = gradient(*upstream)
                    return list(made) if isinstance(made, (list, tuple)) else [made]
                made, of_variables = gradient(*upstream, variables=variables)
                return (list(made) if isinstance(made, (list, tuple)) else [made]) + list(of_variables)
            return flat, backwards
        results = _native.custom_gradient(call, tensors, [one._v for one in variables])
        return _pack_results(structure[0], results)
    return decorated


def _requires_variables(f):
    """`f`, which raises TypeError in its first call where it reads variables and its gradient does not take them."""
    seen = []

    def call(*args, **kwargs):
        if seen:
            return f(*args, **kwargs)
        seen.append(True)
        from ._tape import GradientTape
        with GradientTape() as tape:
            result, gradient = f(*args, **kwargs)
        taken = inspect.signature(gradient).parameters.values()
        if not any(one.name == "variables" or one.kind is one.VAR_KEYWORD for one in taken) and tape.watched_variables():
            seen.clear()
            raise TypeError("@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
                            f"variables: {list(tape.watched_variables())}.")
        return result, gradient
    return call


def _variables_of(f, tensors, kwargs):
    """The variables that `f` reads, where the gradient that it gives takes them: found by a call beforehand."""
    def takes(code):
        names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        return "variables" in names or code.co_flags & inspect.CO_VARKEYWORDS
    code = getattr(f, "__code__", None)
    if code is None or not any(takes(one) for one in code.co_consts if hasattr(one, "co_varnames")):
        return []
    from ._tape import GradientTape
    with GradientTape() as tape:
        f(*tensors, **kwargs)
    return list(tape.watched_variables())


def recompute_grad(f):
    """`f`; what it has computed is kept, not computed again."""
    return f


def grad_pass_through(f):
    """`f`, whose gradient is that of the identity."""
    from . import ops_array

    @functools.wraps(f)
    def decorated(x):
        x = convert_to_tensor(x)
        return x + ops_array.stop_gradient(f(x) - x)
    return decorated

