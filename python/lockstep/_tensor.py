"""Tensors: conversion, printing, operators."""

import contextlib
import threading
import types
import weakref

from . import _gradient_maps, _input_graphs, _native, _records, device_spec, errors
from ._dtypes import BY_CODE, DType, TensorShape, as_dtype, bfloat16, float32, int32, resource, string
from ._newest import Newest
from ._run_shapes import origins, with_shape

Tensor = _native.Tensor
_local = threading.local()


def op(function, *arguments):
    """Calls a native op and keeps how its result was made. In graphs of version 1 it goes where its inputs are."""
    try:
        result = function(*arguments)
    except (errors.InvalidArgumentError, errors.FailedPreconditionError):
        result = _input_graphs.again(function, *arguments)
    _records.remember(function, arguments, result)
    return result


# ---- conversion ---------------------------------------------------------------------------------


def is_tensor(x):
    """Whether `x` is a tensor or a variable."""
    return isinstance(x, (Tensor, Variable))


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None):
    """A tensor of `value`: a tensor, a variable, a NumPy array, a number, text, or nested lists.

    Args: dtype: the dtype it must have; dtype_hint: one that is taken if possible.
    Raises: ValueError for a tensor of another dtype or lists that are not rectangular; TypeError for
    values that do not fit the dtype."""
    if dtype is not None:
        dtype = as_dtype(dtype)
    if isinstance(value, Variable):
        value = value.value()
    if type(value) is Tensor:
        if dtype is not None and int(dtype) != value._dtype:
            raise ValueError(f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                             f"{value.dtype.name}: {value!r}")
        return value
    if dtype is None and dtype_hint is not None:
        try:
            return from_python(value, as_dtype(dtype_hint))
        except (TypeError, ValueError):
            pass
    return from_python(value, dtype)


def _convert_hook(value, hint):
    if isinstance(value, Tensor):
        return value
    return convert_to_tensor(value, dtype_hint=BY_CODE[hint] if hint else None)


def _first_leaf(value):
    while isinstance(value, (list, tuple)):
        if not value:
            return None
        value = value[0]
    return value


def _contains_tensor(value):
    if isinstance(value, (list, tuple)):
        return any(_contains_tensor(one) for one in value)
    return isinstance(value, (Tensor, Variable)) or hasattr(value, "__tensor__")


def _stack_nested(value, dtype):
    if not isinstance(value, (list, tuple)):
        return convert_to_tensor(value, dtype_hint=dtype)
    parts = [_stack_nested(one, dtype) for one in value]
    if dtype is None and len({p._dtype for p in parts}) > 1:
        strong = next((p.dtype for one, p in zip(value, parts) if is_tensor(one)), None)
        if strong is not None:
            parts = [_stack_nested(one, strong) for one in value]
    return op(_native.stack, parts, 0)


def _wrong_kind(value, dtype):
    shown = value.tolist() if hasattr(value, "tolist") else value
    name = {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)
    return TypeError(f"Cannot convert {shown!r} to EagerTensor of dtype {name}")


def from_python(value, dtype=None):
    """A tensor of Python values or a NumPy array."""
    if hasattr(value, "__tensor__"):
        return value.__tensor__()
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type "
                         "(<class 'NoneType'>) to a Tensor.")
    if dtype is None and type(value) in (float, int, bool):
        return _native.to_tensor(value)
    if isinstance(value, (TensorShape,)):
        value = value.as_list()
        if dtype is None:
            dtype = int32
    if isinstance(value, (list, tuple)) and _contains_tensor(value):
        result = _stack_nested(value, dtype)
        return result if dtype is None or result.dtype == dtype else op(_native.cast, result, dtype)
    if isinstance(value, (str, bytes)) or dtype is string:
        if dtype is not None and dtype is not string:
            raise _wrong_kind(value, dtype)
        return _strings(value)
    if isinstance(value, DType):
        value = int(value)
    return _numbers(value, dtype)


def _strings(value):
    import numpy
    array = numpy.array(value, dtype=object)
    flat = []
    for one in array.reshape(-1).tolist():
        if isinstance(one, str):
            one = one.encode()
        if not isinstance(one, bytes):
            raise _wrong_kind(value, string)
        flat.append(one)
    return _native.from_strings(flat, array.shape)


def _numbers(value, dtype):
    import numpy
    typed = isinstance(value, (numpy.ndarray, numpy.generic)) or hasattr(value, "__array__")
    if not typed and not isinstance(value, (list, tuple, float, int, range, memoryview)) and (
            isinstance(value, (dict, set, frozenset, types.GeneratorType)) or not (
                hasattr(value, "__iter__") or hasattr(value, "__buffer__"))):
        raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type "
                         f"({type(value)}) to a Tensor.")
    try:
        array = numpy.asarray(value)
    except UnicodeDecodeError:  # texts beside bytes that are none
        array = numpy.array(value, dtype=object)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    except OverflowError:
        raise ValueError(f"Can't convert Python sequence with out-of-range integer to Tensor.") \
            from None
    kind = array.dtype.kind
    if kind in "USO" and not (kind == "O" and array.size == 0):
        if kind == "O" and array.ndim and not isinstance(array.reshape(-1)[0], (str, bytes)):
            if any(isinstance(one, (list, tuple)) for one in array.reshape(-1)):
                raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
            if not typed and isinstance(_first_leaf(value), (bool, int, float)):
                raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
            raise ValueError("Failed to convert a NumPy array to a Tensor (Unsupported object type "
                             f"{type(array.reshape(-1)[0]).__name__}).")
        if dtype is not None and dtype is not string:
            raise _wrong_kind(value, dtype)
        if not typed and isinstance(value, (list, tuple)):
            mixed = [one for one in numpy.array(value, dtype=object).reshape(-1)
                     if not isinstance(one, (str, bytes))]
            if mixed:
                raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
        return _strings(array if typed else value)  # NumPy's arrays of bytes drop zeros at the end
    if dtype is None:
        leaf = None if typed else _first_leaf(value)
        if typed or isinstance(leaf, (numpy.generic, numpy.ndarray)) or isinstance(value, memoryview):
            dtype = as_dtype(array.dtype)
            leaf = getattr(leaf, "dtype", array.dtype)  # the first tells, but for numbers that it has no room for
            if array.size and leaf.kind == kind:
                dtype = as_dtype(leaf)
        elif kind == "f":
            dtype = float32
        elif kind in "iu":
            fits = array.size == 0 or (-2**31 <= array.min() and array.max() < 2**31)
            dtype = int32 if fits else BY_CODE[9]
        else:
            dtype = as_dtype(array.dtype)
        if array.size == 0 and not typed:
            dtype = float32
    elif not typed and array.size and (
            (kind == "f" and not dtype.is_floating) or (dtype.is_bool and kind != "b")):
        raise _wrong_kind(value, dtype)
    if dtype is bfloat16:
        return _native.cast(_numbers(array, float32), dtype)
    array = numpy.ascontiguousarray(array, dtype=dtype.as_numpy_dtype).reshape(array.shape)
    return _native.from_bytes(array, dtype, array.shape)


def static_shape(shape):
    """A shape as a list of sizes; one of a tensor must be known while tracing."""
    if isinstance(shape, TensorShape):
        return shape.as_list()
    if isinstance(shape, Variable):
        shape = shape.value()
    if isinstance(shape, Tensor):
        made = integers(shape, "a shape")
        return made if isinstance(made, list) else [made]
    if isinstance(shape, int):
        return [shape]
    if hasattr(shape, "tolist"):
        made = shape.tolist()
        return made if isinstance(made, list) else [made]
    return [integers(size, "a size") if isinstance(size, (Tensor, Variable)) else
            (-1 if size is None else int(size)) for size in shape]


def integers(value, what):
    """Numbers that must be known now, also while a function is traced."""
    if isinstance(value, Variable):
        value = value.value()
    if isinstance(value, Tensor):
        known = _native.static_value(value)
        if known is None:
            raise errors.UnimplementedError(
                None, None, f"[trace] {what} must be known while a function is traced; got {value!r}; "
                "make it of sizes that are known (x.shape), or call the function with other shapes "
                "so that it is traced for each")
        return known.numpy().tolist()
    return value


# ---- printing -----------------------------------------------------------------------------------


def _text(tensor, represent):
    array = tensor.numpy()
    if not tensor._rank:
        if tensor._dtype == 7:
            return repr(array)
        return repr(array.item()) if represent else str(array)
    text = repr(array) if represent else str(array)
    return "\n" + text if "\n" in text else text


def tensor_repr(self):
    if not self._defined:
        return "<tf.Tensor: none>"
    slices = self._slices()
    if slices is not None:
        return repr(IndexedSlices(slices[0], slices[1], TensorShape(slices[2])))
    if self._symbolic:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"
    if self._dtype == 20:
        return "<tf.Tensor: shape=(), dtype=resource, value=<Resource Tensor>>"
    return (f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, "
            f"numpy={_text(self, True)}>")


def tensor_str(self):
    if self._symbolic:
        shape = f", shape={self.shape}" if self.shape.rank is not None else ""
        device = self.device and f", device={self.device}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'
    if not self._defined or self._dtype == 20 or self._slices() is not None:
        return tensor_repr(self)
    return f"tf.Tensor({_text(self, False)}, shape={self.shape}, dtype={self.dtype.name})"


# ---- members ------------------------------------------------------------------------------------


def _numpy(self):
    """A NumPy array of its own: changing it changes no tensor and no variable."""
    import numpy
    if self._symbolic:
        raise AttributeError("'SymbolicTensor' object has no attribute 'numpy'")
    code = self._dtype
    if code == 7:
        array = numpy.empty(self._size, dtype=object)
        array[:] = self._strings()
        return array.reshape(self._shape) if self._rank else array[0]
    if code == 14:
        if bfloat16.as_numpy_dtype is numpy.float32:
            return _numpy(_native.cast(self, float32))
        array = numpy.frombuffer(self._bytes(), dtype=bfloat16.as_numpy_dtype).reshape(self._shape)
        return array.copy() if self._rank else array[()]
    if self._slices() is not None:
        return _numpy(_native.slices_to_dense(self))
    array = numpy.array(self)
    return array if self._rank else array[()]


def _array(self, dtype=None, copy=None):
    import numpy
    if self._symbolic:
        raise NotImplementedError(f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate "
                                  "that you're trying to pass a Tensor to a NumPy call, which is not supported.")
    array = numpy.asarray(_numpy(self))
    return array if dtype is None else array.astype(dtype)


_GRAPH_USE = ("Using a symbolic `tf.Tensor` as a Python `{}` is not allowed. You can attempt the "
              "following resolutions to the problem: If you are running in Graph mode, use Eager "
              "execution mode or decorate this function with @tf.function. If you are using "
              "AutoGraph, you can try decorating this function with @tf.function. If that does not "
              "work, then you may be using an unsupported feature or your source code may not be "
              "visible to AutoGraph.")


def _bool(self):
    if self._symbolic:
        raise errors.OperatorNotAllowedInGraphError(_GRAPH_USE.format("bool"))
    if self._size != 1:
        return bool(self.numpy())  # NumPy's error
    return bool(self._item())


def _iterate(self):
    if self._rank == 0:
        raise TypeError("Cannot iterate over a scalar tensor.")
    if self._symbolic:
        if self._shape[0] is None:
            raise errors.OperatorNotAllowedInGraphError(
                "Iterating over a symbolic `tf.Tensor` is not allowed: AutoGraph did convert this "
                "function. This might indicate you are trying to use an unsupported feature.")
    return (self[i] for i in range(self._shape[0]))


def _length(self):
    if self._rank == 0:
        raise TypeError("Scalar tensor has no `len()`")
    if self._symbolic and self._shape[0] is None:
        raise TypeError("len is not well defined for a symbolic Tensor. Please call `x.shape` rather "
                        "than `len(x)` for shape information.")
    return self._shape[0]


def _scalar(kind):
    def convert(self):
        if self._symbolic:
            raise TypeError(_GRAPH_USE.format(kind.__name__))
        if self._size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        return kind(self._item())
    return convert


def _index(self):
    if self._symbolic:
        raise TypeError(_GRAPH_USE.format("int"))
    if not self.dtype.is_integer or self._rank:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    return int(self._item())


def _hash(self):
    if self._symbolic:
        return hash(self._id)
    raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")


class Reference:
    """Stands for a tensor or a variable as a key, by identity."""

    __slots__ = ("_object", "_key")

    def __init__(self, thing, key):
        self._object = thing
        self._key = key

    def deref(self):
        return self._object

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return isinstance(other, Reference) and self._key == other._key

    def __repr__(self):
        return f"<Reference wrapping {self._object!r}>"


def _name(self):
    if not self._symbolic:
        handle = _native.name_of(self) if self.dtype == resource else None
        if handle:
            return handle
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")
    return _names.get(self._id) or _native.name_of(self) or f"Tensor_{self._id}:0"


_names = {}  # of the parameters of functions that are being traced


def name_symbol(tensor, name):
    if len(_names) > 4096:
        _names.clear()
    _names[tensor._id] = name


def _set_shape(self, shape):
    """From here on the tensor has what is known of both shapes; a run checks it. Raises: ValueError where they differ."""
    shape = TensorShape(shape)
    self.shape.assert_is_compatible_with(shape)
    if not self._symbolic or shape.rank is None:
        return
    if self._ranked and all(one is None or one == two for one, two in zip(shape.as_list(), self._shape)):
        return
    name, known = self.name, _with_known_shape(self, shape)
    if _native.has_graph():
        origins[known._id] = origins.get(self._id) or _native.alias(self)
    self._become(known)
    _names[self._id] = name


def _with_known_shape(tensor, shape):
    """The tensor with what is known of its shape and of this one."""
    sizes = shape.as_list()
    opened = with_shape(tensor, sizes)  # a scalar of a graph that may be an array in a run
    return opened if opened is not tensor else _native.ensure_shape(tensor, [-1 if one is None else one for one in sizes])


def _equal(self, other):
    if other is None:
        return False
    if _native.has_graph():
        return self is other  # as in graphs of version 1
    return _compared(_native.equal, self, other, False)


def _not_equal(self, other):
    if other is None:
        return True
    if _native.has_graph():
        return self is not other
    return _compared(_native.not_equal, self, other, True)


def _compared(native, one, other, when_shapes_differ):
    """Tensors of shapes that do not fit are unequal as wholes. Raises: for other dtypes."""
    if type(other) is bool and one._dtype != 10:
        other = int(other)
    if type(other) in (str, bytes) and one._dtype != 7:
        raise _wrong_kind(other, one.dtype)
    try:
        return op(native, one, other)
    except errors.InvalidArgumentError:
        if not one._symbolic and convert_to_tensor(other, dtype_hint=one.dtype).dtype == one.dtype:
            return convert_to_tensor(when_shapes_differ)
        raise


def eval_tensor(self, feed_dict=None, session=None):
    """The value in the default session (version 1)."""
    from .compat.v1 import get_default_session
    session = session or get_default_session()
    if session is None:
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` or pass "
                         "an explicit session to `eval(session=sess)`")
    return session.run(self, feed_dict)


def _consumers(self):
    """The ops of a graph of version 1 that take this tensor."""
    if not self._symbolic or _native.name_of(self) is None:
        return []
    from .compat.v1._graphs import Graph
    return [one for one in Graph.of(_native.graph_of(self)).get_operations()
            if any(given._id == self._id for given in one.inputs)]


def named(tensor, name):
    """Gives the op that was added last to a graph of version 1 a name."""
    if name and type(tensor) is Tensor and tensor._symbolic and _native.has_graph():
        graph = _input_graphs.other_graph([tensor])
        try:
            with graph.as_default() if graph else contextlib.nullcontext():
                return _native.named(tensor, name)
        except errors.InvalidArgumentError:  # of a body, whose ops have no names
            return tensor
    return tensor


def _of_graph(result, name):
    """What an operator adds to a graph of version 1."""
    result = named(result, name)
    return _gradient_maps.overridden(result) if _gradient_maps.active() else result


def binary(native, name=None):
    def forward(self, other):
        if isinstance(other, _Deferred):
            return NotImplemented
        result = op(native, self, other)
        return _of_graph(result, name) if result._symbolic else result
    return forward


def reflected(native, name=None):
    def backward(self, other):
        result = op(native, other, self)
        return _of_graph(result, name) if result._symbolic else result
    return backward


def add_or_join(numbers, swapped=False):
    """`numbers(self, other)`, the sum of numbers; of texts one behind the other, `other` first if `swapped`."""
    def add(self, other):
        try:
            return numbers(self, other)
        except errors.InvalidArgumentError:
            parts = [convert_to_tensor(one) for one in ((other, self) if swapped else (self, other))]
            if any(one.dtype is not string for one in parts):
                raise
            from . import strings
            shapes = [one._shape for one in parts]
            if [] not in map(list, shapes) and shapes[0] != shapes[1]:
                from .ops_array import broadcast_static_shape, broadcast_to
                parts = [broadcast_to(one, broadcast_static_shape(*map(TensorShape, shapes))) for one in parts]
            return strings.join(parts)
    return add


_slices = Newest()  # of variables: (weak reference to the variable, key)


def _slice_of(tensor):
    variable, key = _slices.find(tensor) or (lambda: None, None)
    variable = variable()
    if variable is None:
        raise AttributeError("'Tensor' object has no attribute 'assign'")
    return variable, key


def _write_slice(kind):
    def write(tensor):
        variable, key = _slice_of(tensor)

        def assign(value, name=None, read_value=True):
            """Writes to these elements of the variable. Raises: ValueError where shapes do not fit."""
            from . import ops_array, ops_math
            shape = variable.shape.as_list()
            places = get_item(ops_array.reshape(ops_math.range(variable.shape.num_elements()), shape), key)
            value = ops_array.broadcast_to(convert_to_tensor(value, dtype=variable.dtype),
                                           ops_array.shape(places))
            update = {"assign": ops_array.tensor_scatter_nd_update,
                      "assign_add": ops_array.tensor_scatter_nd_add,
                      "assign_sub": ops_array.tensor_scatter_nd_sub}[kind]
            at, elements = ops_array.reshape(places, [-1, 1]), ops_array.reshape(value, [-1])
            return variable._become(lambda before: ops_array.reshape(
                update(ops_array.reshape(before, [-1]), at, elements), shape))
        return assign
    return property(write)


class _Deferred:
    """What computes later, such as a layer's symbolic output: its own operators are asked first."""


def _matmul(a, b):
    a = convert_to_tensor(a, dtype_hint=b.dtype if is_tensor(b) else None)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    return _native.matmul(a, b, False, False)


def _on_bools_or_bits(of_bools, of_bits):
    def function(a, b):
        typed = convert_to_tensor(a if is_tensor(a) else b)
        return (of_bools if typed._dtype == 10 else of_bits)(a, b)
    return function


def _invert(self):
    return op(_native.logical_not if self.dtype == 10 else _native.invert, self)


_and = _on_bools_or_bits(_native.logical_and, _native.bitwise_and)
_or = _on_bools_or_bits(_native.logical_or, _native.bitwise_or)
_xor = _on_bools_or_bits(_native.not_equal, _native.bitwise_xor)


OPERATORS = {"add": _native.add, "sub": _native.subtract, "mul": _native.multiply,
             "truediv": _native.divide, "floordiv": _native.floordiv, "mod": _native.floormod,
             "pow": _native.pow, "matmul": _matmul, "and": _and, "or": _or, "xor": _xor}
COMPARISONS = {"lt": _native.less, "le": _native.less_equal, "gt": _native.greater,
               "ge": _native.greater_equal}


def give_operators(cls):
    for name, native in OPERATORS.items():
        setattr(cls, f"__{name}__", binary(native, name))
        setattr(cls, f"__r{name}__", reflected(native, name))
    for name, native in COMPARISONS.items():
        setattr(cls, f"__{name}__", binary(native))
    cls.__add__ = add_or_join(cls.__add__)
    cls.__radd__ = add_or_join(cls.__radd__, swapped=True)
    cls.__neg__ = lambda self: op(_native.negative, self)
    cls.__pos__ = lambda self: self
    cls.__abs__ = lambda self: op(_native.abs, self)
    cls.__invert__ = _invert
    cls.__eq__ = _equal
    cls.__ne__ = _not_equal
    cls.__array_priority__ = 100


def _describe_index(value):
    if isinstance(value, slice) or value is None or value is Ellipsis:
        return True
    return False


def _number(value):
    """An index as a number; None for one that is known only later."""
    if isinstance(value, (Tensor, Variable)):
        if isinstance(value, Variable):
            value = value.value()
        known = _native.static_value(value)
        return None if known is None else int(known._item())
    return int(value)


def _place(value):
    """A number, or the value itself where it is known only later."""
    number = _number(value)
    return value if number is None else number


def get_item(self, key):
    """Python's indexing: numbers, slices, `...`, `tf.newaxis`, and bool masks.

    Raises: IndexError beyond the ends; TypeError for other keys."""
    if isinstance(self, Variable):
        made = get_item(self.value(), key)
        if not _native.is_tracing() or made._symbolic:
            _slices.note(made, (weakref.ref(self), key))
        return made
    if is_tensor(key) or (hasattr(key, "dtype") and getattr(key, "ndim", 0)):
        key = convert_to_tensor(key)
        if key._dtype == 10:
            return op(_native.boolean_mask, self, key)
        if key._rank:
            raise TypeError("Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and "
                            f"scalar tf.int32/tf.int64 tensors are valid indices, got {key!r}")
    keys = key if isinstance(key, tuple) else (key,)
    from . import _value_shapes
    if len(keys) == 1 and _value_shapes.is_value(key):
        return op(_native.gather, self, convert_to_tensor(key), 0, 0)
    entries = []
    masks = [0, 0, 0, 0, 0]  # begin, end, ellipsis, new axis, shrink
    for place, one in enumerate(keys):
        bit = 1 << place
        first, last, step = 0, 0, 1
        if isinstance(one, slice):
            step = 1 if one.step is None else _place(one.step)
            if one.start is None:
                masks[0] |= bit
            else:
                first = _place(one.start)
            if one.stop is None:
                masks[1] |= bit
            else:
                last = _place(one.stop)
        elif one is Ellipsis:
            masks[2] |= bit
        elif one is None:
            masks[3] |= bit
        elif isinstance(one, (float, str, bytes)) or isinstance(one, (list, tuple)):
            raise TypeError("Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and "
                            f"scalar tf.int32/tf.int64 tensors are valid indices, got {one!r}")
        else:
            masks[4] |= bit
            first = last = _place(one)  # the end of an axis that goes is not looked at
            if isinstance(first, int):
                _check_index(self, keys, place, first)
        entries.append((first, last, step))
    if all(isinstance(one, int) for entry in entries for one in entry):
        begin, end, stride = zip(*entries) if entries else ((), (), ())
        return op(_native.strided_slice, self, begin, end, stride, masks)
    return _value_shapes.strided_slice(self, entries, masks)


def _check_index(tensor, keys, place, number):
    if any(one is Ellipsis for one in keys[:place]) or tensor._rank <= place - sum(
            1 for one in keys[:place] if one is None):
        return
    axis = place - sum(1 for one in keys[:place] if one is None)
    size = tensor._shape[axis]
    if size is not None and not -size <= number < size:
        raise errors.InvalidArgumentError(
            None, None, f"slice index {number} of dimension {axis} out of bounds.")


def install():
    """Gives the native class the members of a tensor."""
    Tensor.__repr__ = tensor_repr
    Tensor.__str__ = tensor_str
    Tensor.__format__ = lambda self, spec: format(str(self) if self._symbolic else self.numpy(), spec)
    Tensor.dtype = property(lambda self: BY_CODE[self._dtype])
    Tensor.shape = property(lambda self: TensorShape(self._shape if self._ranked else None))
    Tensor.ndim = property(lambda self: self._rank)
    Tensor.name = property(_name)
    Tensor.op = property(_op_of)
    Tensor.type = property(lambda self: "Tensor")
    Tensor.graph = property(_graph)
    Tensor.device = property(_device_of)
    Tensor.backing_device = Tensor.device
    Tensor.numpy = _numpy
    Tensor.get_shape = lambda self: self.shape
    Tensor.set_shape = _set_shape
    Tensor.ref = lambda self: Reference(self, self._id)
    Tensor.eval = eval_tensor
    Tensor.__array__ = _array
    Tensor.__dlpack__ = lambda self, **options: self._dlpack()
    Tensor.__dlpack_device__ = lambda self: (1, 0)
    Tensor.__bool__ = _bool
    Tensor.__iter__ = _iterate
    Tensor.__len__ = _length
    Tensor.__int__ = _scalar(int)
    Tensor.__float__ = _scalar(float)
    Tensor.__complex__ = _scalar(complex)
    Tensor.__index__ = _index
    Tensor.__round__ = lambda self, digits=None: op(_native.round, self)
    Tensor.__getitem__ = get_item
    Tensor.__copy__ = lambda self: self
    Tensor.__deepcopy__ = lambda self, memo: self
    Tensor.__reduce__ = lambda self: (_restore, (self.numpy(), self.dtype.name))
    Tensor.assign = _write_slice("assign")
    Tensor.assign_add = _write_slice("assign_add")
    Tensor.assign_sub = _write_slice("assign_sub")
    Tensor.consumers = _consumers
    Tensor.value_index = property(lambda self: int(self.name.rpartition(":")[2]))
    Tensor._is_lockstep = True
    give_operators(Tensor)
    Tensor.__hash__ = _hash
    _native.set_hooks(_convert_hook, Variable, errors.make)
    Tensor.values = property(lambda self: _slices_of(self)[0])
    Tensor.indices = property(lambda self: _slices_of(self)[1])
    Tensor.dense_shape = property(lambda self: convert_to_tensor(list(_slices_of(self)[2])))


def _slices_of(tensor):
    slices = tensor._slices()
    if slices is None:
        raise AttributeError("'Tensor' object has no attribute 'values'")
    return slices


def _graph(self):
    if not self._symbolic:
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
    from .compat import v1
    return v1.get_default_graph() if _native.name_of(self) is None else v1.Graph.of(_native.graph_of(self))


def _device_of(self):
    """Where it is; of a graph's tensor where its op was asked to be, "" for nowhere in particular."""
    if self._symbolic:
        if _native.name_of(self) is None:
            return ""
        return device_spec.DeviceSpec.from_string(_native.operation_of(self).device).to_string()
    return device_spec.own_device()


def _op_of(self):
    if self._symbolic and _native.name_of(self) is not None:
        from .compat import v1
        return v1.GraphOperation(_native.operation_of(self), _graph(self))
    return self


def _restore(array, dtype):
    return from_python(array, as_dtype(dtype))


class IndexedSlices:
    """Rows of a tensor: `values[i]` belongs to row `indices[i]`."""

    def __init__(self, values, indices, dense_shape=None):
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def shape(self):
        return TensorShape(self.dense_shape)

    def _row(self, shape=None):
        """As one native tensor, of this shape where the dense shape is not known. Raises: ValueError where neither is."""
        if self.dense_shape is None and shape is None:
            raise ValueError("Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: give "
                             f"tf.IndexedSlices a dense_shape; got {self!r}")
        shape = static_shape(shape if self.dense_shape is None else self.dense_shape)
        return _native.from_slices(convert_to_tensor(self.values), convert_to_tensor(self.indices), shape)

    def __tensor__(self):
        return _native.slices_to_dense(self._row())

    def _with_values(self, values):
        return IndexedSlices(values, self.indices, self.dense_shape)

    def _key_parts(self):
        """The parts as arguments of a function, whose trace is one for a dense shape."""
        from ._composites import SlicesParts
        shape = self.dense_shape
        known = _native.static_value(shape) if isinstance(shape, Tensor) else None
        return SlicesParts(self.values, self.indices, *([] if shape is None else [shape if known is None else known.numpy().tolist()]))

    def __repr__(self):
        return (f"IndexedSlices(indices={self.indices!s}, values={self.values!s}"
                + (f", dense_shape={self.dense_shape!s}" if self.dense_shape is not None else "") + ")")


from ._variable import Variable  # noqa: E402  (both know each other)
