"""Variables whose values may have other shapes than the first: `tf.Variable(..., shape=[None, 3])`."""

import itertools

from . import _native, device_spec
from ._dtypes import TensorShape, as_dtype
from ._run_shapes import unknown_ranks
from ._thread_lists import ThreadList
from ._variable import ResourceVariable, Variable, _initial

_numbers = itertools.count(1)
open_tapes = ThreadList()  # that record now


def wanted(args, kwargs):
    """Whether a variable of these arguments is one of them: its shape is open, or in a graph of version 1 that of its first
    value."""
    if _native.has_strategy():
        return False
    shape = kwargs.get("shape")
    if shape is not None:
        return not TensorShape(shape).is_fully_defined()
    value = args[0] if args else kwargs.get("initial_value")
    return isinstance(value, _native.Tensor) and value._symbolic and _native.has_graph() and (
        value._id in unknown_ranks or not value._ranked or None in value._shape)


class State:
    """What a native variable is to other variables."""

    synchronization = aggregation = version = 0

    def __init__(self, name, dtype, shape, trainable):
        from .queue import element_types
        self.shape, self.trainable, self.key = shape, trainable, -next(_numbers)
        self.dtype, self.reads = dtype.as_datatype_enum, []  # those of a graph of version 1
        sizes = [None] if shape.rank is None else shape.as_list()
        self._types = element_types([(dtype, sizes)])
        if shape.rank is None:
            self._types["shapes"] = ("list(int)", [-1])
        self.handle, self.name = _native.shared_object("open_variable", name, "", self._types)

    def carry_out(self, op, *inputs):
        from ._tensor import named
        recording = [tape for tape in open_tapes() if tape._open]  # they follow what is read, not the handle
        for tape in recording:
            tape._tape.stop()
        try:
            made, = _native.emit(f"OpenVariable{op}", [self.handle, *inputs], self._types)
        finally:
            for tape in recording:
                tape._tape.resume()
        if not _native.has_graph() or op == "Read":
            return made
        return named(made, {"Assign": "AssignVariableOp", "Add": "AssignAddVariableOp", "Subtract": "AssignSubVariableOp"}.get(
            op, "VarIsInitializedOp"))

    def value(self):
        made = self.carry_out("Read")
        if _native.has_graph():
            self.reads.append(made)
        for tape in open_tapes():
            tape.note_read(self, made)
        return made

    def assign(self, value):
        return self.carry_out("Assign", value)

    def assign_add(self, value):
        return self.carry_out("Add", value)

    def assign_sub(self, value):
        return self.carry_out("Subtract", value)

    def scatter(self, kind, indices, values):
        from . import ops_array
        places, rows = ops_array.expand_dims(indices, -1), self.carry_out("Read")
        how = (ops_array.tensor_scatter_nd_update, ops_array.tensor_scatter_nd_add, ops_array.tensor_scatter_nd_sub, None, None,
               ops_array.tensor_scatter_nd_min, ops_array.tensor_scatter_nd_max)[kind]
        if how is None:
            raise NotImplementedError(f"[variable] rows of a variable of open shape are not multiplied or divided; got {self.name}; "
                                      "assign a whole value")
        return self.assign(how(rows, places, values))

    def compare_and_assign(self, expected, desired):
        raise NotImplementedError(f"[variable] one of open shape is not compared; got {self.name}; use assign")

    def copies(self):
        return [self.value()]

    def describe(self):
        return f"Variable '{self.name}' of open shape {self.shape}: one copy in this process"


class OpenVariable(ResourceVariable):
    """A variable with a declared shape that leaves sizes, or their number, open: each value that fits may be assigned.

    In a graph of version 1 each session has its own value. Optimizers and strategies take none.
    Raises: ValueError where the first value does not fit."""

    def __init__(self, initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None, variable_def=None,
                 dtype=None, import_scope=None, constraint=None, synchronization=None, aggregation=None, shape=None,
                 experimental_enable_variable_lifting=True, collections=None, use_resource=None, expected_shape=None):
        from . import _function
        dtype = None if dtype is None else as_dtype(dtype)
        self._of_graph = _native.has_graph()
        if not self._of_graph:
            _function.variable_is_made()
        base = (name or "Variable").removesuffix(":0")
        with _function.anew(self._of_graph):
            value = _initial(initial_value, dtype)
            value = value() if callable(value) and not isinstance(value, _native.Tensor) else value
        own = TensorShape(None) if value._id in unknown_ranks else value.shape
        declared = TensorShape(shape) if shape is not None or not validate_shape else own
        if not declared.is_compatible_with(own):
            raise ValueError(f"In this `tf.Variable` creation, the initial value's shape ({own}) is not compatible with the "
                             f"explicitly supplied `shape` argument ({shape}).")
        self._v = State(_function.variable_prefix() + base, value.dtype, declared, trainable is not False)
        self._constraint, self._initial, self._initial_dtype = constraint, initial_value, dtype
        self._declared_shape, self._keras_path = declared, None
        self._strategy = self._of_one = None
        self._device_number = 0 if self._of_graph else _function.own_device_number()
        if not self._of_graph:
            with _function.init_scope():
                self._v.assign(value)
            return
        from .compat import v1
        self._graph = v1.get_default_graph()
        self._first = _native.named(self._v.carry_out("Assign", value), f"{self._v.name}/Assign/")
        self._now = self._v.carry_out("Read")  # what a run gives that is asked for the variable
        self._graph.add_to_collection("lockstep/open", self)

    @property
    def device(self):
        return "" if self._of_graph else device_spec.own_device(self._device_number)

    @property
    def graph(self):
        return self._graph if self._of_graph else None

    @property
    def initializer(self):
        """The op that assigns the first value, in a graph of version 1."""
        return self._first.op if self._of_graph else None

    def is_initialized(self, name=None):
        return self._v.carry_out("IsInitialized")

    def __deepcopy__(self, memo):
        made = Variable(self.value(), trainable=self._v.trainable, name=self._v.name, shape=self._declared_shape)
        memo[id(self)] = made
        return made
