"""Python that runs when a graph does: functions of one's own, printing, assertions."""

import functools
import sys

from . import _native, errors, nest
from ._dtypes import TensorShape, as_dtype
from ._function import TensorSpec, _map_leaves, host_operation
from ._tensor import Tensor, convert_to_tensor
from ._variable import Variable


def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function when the graph runs. Tout: dtypes, or `TensorSpec`s where shapes are known.

    In a traced function the shape of a result is not known otherwise; ops that need its number of axes raise
    UnimplementedError, until `set_shape`, `tf.ensure_shape` or `tf.reshape` gives it. Without `func` it is a decorator."""
    if func is None:
        return _decorating(Tout, False)
    return _call_python(func, inp, Tout, False)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """The same for a function of NumPy arrays."""
    if func is None:
        return _decorating(Tout, True)
    return _call_python(func, inp, Tout, True)


py_func = numpy_function


def _decorating(Tout, arrays):
    def decorate(func):
        @functools.wraps(func)
        def call(*inp):
            return _call_python(func, inp, Tout, arrays)
        return call
    return decorate


def _on_host(function, inputs, shape, dtype):
    """What `function` makes of the tensors' values when the graph runs: one tensor of that shape."""
    return py_function(function, inputs, TensorSpec(shape, dtype))


def _call_python(func, inp, Tout, arrays):
    single = not isinstance(Tout, (list, tuple))
    wanted = [] if Tout is None else ([Tout] if single else list(Tout))
    dtypes = [one.dtype if isinstance(one, TensorSpec) else as_dtype(one) for one in wanted]

    def call(tensors):
        given = [one.numpy() for one in tensors] if arrays else tensors
        try:
            result = func(*given)
        except Exception as error:
            if arrays and not traced:
                raise
            raise errors.of_python(error) from error
        if not wanted:
            return []
        results = [result] if single else list(result)
        return [convert_to_tensor(one, dtype=dtype) for one, dtype in zip(results, dtypes)]
    inputs = [convert_to_tensor(one) for one in inp or []]
    traced = _native.is_tracing()
    if not traced:
        results = call(inputs)
    else:
        shapes = [list(one.shape) if isinstance(one, TensorSpec) and one.shape.rank is not None else None
                  for one in wanted]
        results = _native.host_call(call, inputs, dtypes, shapes)
    if Tout is None:
        return None
    return results[0] if single else list(results)


def print_v2(*inputs, **kwargs):
    """Prints when it is reached, also inside of traced functions; to standard error by default.

    Args: output_stream: sys.stdout, sys.stderr or "file://PATH"; summarize: how many elements at each
    end (-1: all); sep, end: as of `print`."""
    stream = kwargs.pop("output_stream", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n") if "end" in kwargs else "\n"
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    inputs = list(inputs)
    places = []
    tensors = []

    def take(leaf):
        if isinstance(leaf, (Tensor, Variable)) and not isinstance(leaf, str):
            tensors.append(convert_to_tensor(leaf))
            return _Place(len(tensors) - 1)
        return leaf
    places = [_map_leaves(take, one) for one in inputs]

    def show(values):
        text = sep.join(_print_text(one, values, summarize, True, len(places) == 1) for one in places) + end
        _write_to(stream, text)
        return []
    if _native.is_tracing():
        return host_operation(show, tensors, "PrintV2", _print_elsewhere(places, tensors, summarize, stream, sep, end))
    show(tensors)
    return None


class _Place(int):
    pass


class _Marks:
    """Stands for the values of tensors: each shows as a mark, which an op that prints without Python fills."""

    def __init__(self, tensors):
        self.order, self.tensors = [], tensors

    def show(self, place, lone):
        self.order.append(place)
        return "\x01" if lone else "\x02"


def _print_elsewhere(places, tensors, summarize, stream, sep, end):
    """The op that prints the same on another task; None where it cannot, as into a file."""
    if isinstance(stream, str) or hasattr(stream, "write") and stream not in (sys.stdout, sys.stderr):
        return None
    marks = _Marks(tensors)
    text = sep.join(_print_text(one, marks, summarize, True, len(places) == 1) for one in places) + end
    if marks.order != list(range(len(tensors))):
        return None
    return "PrintV2", {"template": ("s", text.encode()), "to_stdout": ("b", stream is sys.stdout),
                       "summarize": ("i", -1 if summarize is None else int(summarize))}


def _write_to(stream, text):
    if isinstance(stream, str) and stream.startswith("file://"):
        with open(stream[len("file://"):], "a") as file:
            file.write(text)
        return
    target = stream if hasattr(stream, "write") else sys.stderr
    target.write(text)
    target.flush()


def _print_text(value, tensors, summarize, top=False, lone=False):
    """What is printed of a value; `top`: it is no part of another, `lone`: there is no other beside it."""
    if isinstance(value, _Place) and isinstance(tensors, _Marks):
        return tensors.show(int(value), lone)
    if isinstance(value, _Place):
        return _tensor_text(tensors[value], summarize) if lone else _quoted_text(tensors[value], summarize)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quote(key)}: {_print_text(one, tensors, summarize)}"
                               for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape):
        inner = ", ".join(_print_text(one, tensors, summarize) for one in value)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, str):
        return value if top else _quote(value)
    if hasattr(value, "to_list") and hasattr(value, "row_splits"):
        return str(value.to_list())
    if hasattr(value, "dense_shape") and hasattr(value, "indices"):
        parts = [_tensor_text(convert_to_tensor(one), summarize)
                 for one in (value.indices, value.values, value.dense_shape)]
        return f"'SparseTensor(indices={parts[0]}, values={parts[1]}, shape={parts[2]})'"
    return repr(value)


def _quote(value):
    return f"'{value}'" if isinstance(value, str) else str(value)


def _tensor_text(tensor, summarize):
    return _native.summarized_nested(tensor, -1 if summarize is None else int(summarize)).decode(errors="replace")


_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _quoted_text(tensor, summarize):
    """The same, where a lone text stands in quotes, escaped as in C."""
    if tensor._rank or tensor.dtype.name != "string":
        return _tensor_text(tensor, summarize)
    return '"' + "".join(_ESCAPES.get(one) or (chr(one) if 32 <= one < 127 else f"\\{one:03o}") for one in tensor.numpy()) + '"'


def Assert(condition, data, summarize=None, name=None):
    """Raises InvalidArgumentError, showing `data`, unless the condition holds."""
    condition = convert_to_tensor(condition)
    most = 3 if summarize is None else int(summarize)

    def check(tensors):
        if not bool(tensors[0]):
            shown = " ".join(f"[{_native.summarized_flat(one, most).decode(errors='replace')}]" for one in tensors[1:])
            raise errors.InvalidArgumentError(None, None, f"assertion failed: {shown}")
        return []
    tensors = [condition] + [convert_to_tensor(one) for one in nest.flatten(list(data))]
    if _native.is_tracing():
        return host_operation(check, tensors, "Assert", ("Assert", {"summarize": ("i", most)}))
    if not bool(condition):
        raise errors.InvalidArgumentError(
            None, None, f"Expected '{condition.numpy()}' to be true. Summarized data: "
            + "\n".join(_eager_summary(one, most) for one in tensors[1:]))
    return None


def _eager_summary(tensor, most):
    array = tensor.numpy().reshape(-1) if tensor._rank else None
    if array is None:
        return str(tensor.numpy())
    if most < 0 or len(array) <= most:
        return ", ".join(str(one) for one in array)
    return ", ".join([str(one) for one in array[:most]] + ["..."])
