"""Functions that version 2 has no more, or in another form."""

from ... import _refused
from ..._function import device
from ..._tensor import convert_to_tensor
from ._graphs import in_graph


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               name=None, maximum_iterations=None, return_same_structure=False):
    """`tf.while_loop`; a single variable comes without its list, unless `return_same_structure`."""
    from ..._control_flow import while_loop as loop
    results = loop(cond, body, loop_vars, shape_invariants, maximum_iterations=maximum_iterations, name=name)
    if return_same_structure:
        return results
    return results[0] if isinstance(results, (list, tuple)) and len(results) == 1 else results


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """What `true_fn()` gives if `pred` holds, else what `false_fn()` gives; lists of one entry as the entry, unless `strict`.
    Raises: TypeError for both names of an argument."""
    _refused.only("cond", strict=(strict, False))
    from ..._control_flow import cond as either
    for new, old, name_of in ((true_fn, fn1, ("true_fn", "fn1")), (false_fn, fn2, ("false_fn", "fn2"))):
        if new is not None and old is not None:
            raise TypeError(f"cond(): '{name_of[0]}' and '{name_of[1]}' may not be set simultaneously.")
    return either(pred, fn1 if true_fn is None else true_fn, fn2 if false_fn is None else false_fn, name)


def gradients(ys, xs, grad_ys=None, name="gradients", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None,
              stop_gradients=None, unconnected_gradients="none"):
    """The gradients of the sum of `ys` by each of `xs`. `colocate_gradients_with_ops`, `gate_gradients`, `aggregation_method`: taken,
    and without effect."""
    from ..._tape import gradients as of_graph
    return of_graph(ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients)


def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    """The second derivatives of the sum of `ys` by each of `xs`."""
    from ..._tape import hessians as of_graph
    return of_graph(ys, xs, gate_gradients, aggregation_method, name)


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`, printing `data` to standard error when it is computed: `first_n` times at most, the first `summarize` elements
    (3; -1 for all) of each."""
    import sys
    from ... import _native
    from ..._function import control_dependencies, host_operation
    from ...ops_array import identity
    tensors, most = [convert_to_tensor(one) for one in data], 3 if summarize is None else int(summarize)
    left = [float("inf") if first_n is None or first_n < 0 else int(first_n)]

    def show(values):
        if left[0] > 0:
            left[0] -= 1
            parts = [_native.summarized_flat(one, most).decode(errors="replace") for one in values]
            print((message or "") + "".join(f"[{one}]" for one in parts), file=sys.stderr, flush=True)
        return []
    if not _native.is_tracing():
        show(tensors)
        return identity(input_)
    marks = (message or "") + "\x02" * len(tensors) + "\n"
    elsewhere = ("PrintV2", {"template": ("s", marks.encode()), "to_stdout": ("b", False), "summarize": ("i", most)})
    with control_dependencies([host_operation(show, tensors, "Print", elsewhere if first_n is None else None)]):
        return identity(input_)


def py_func(func, inp, Tout, stateful=True, name=None):
    """What a function of NumPy arrays gives."""
    from ..._host_calls import numpy_function
    return numpy_function(func, inp, Tout)


def string_split(source, sep=None, skip_empty=True, delimiter=" ", result_type="SparseTensor", name=None):
    """The parts of a vector of texts between delimiters, each of the characters of `delimiter` being one, or without any its
    bytes; as a sparse matrix or as `result_type` says a RaggedTensor."""
    import re
    from ... import ragged, strings
    delimiter = delimiter if sep is None else sep
    delimiter = delimiter.decode() if isinstance(delimiter, bytes) else delimiter
    if len(delimiter) > 1:
        source = strings.regex_replace(source, f"[{re.escape(delimiter)}]", delimiter[0].replace("\\", "\\\\"))
    parts = strings.split(source, delimiter[0]) if delimiter else strings.bytes_split(source)
    if skip_empty:
        parts = ragged.boolean_mask(parts, parts.with_values(strings.length(parts.values) > 0))
    return parts.to_sparse() if result_type == "SparseTensor" else parts


def to_float(x, name=None):
    from ...ops_math import cast
    return cast(x, "float32")


def where_v2(condition, x=None, y=None):
    from ...ops_array import where
    return where(condition, x, y)


def to_bfloat16(x, name=None):
    from ...ops_math import cast
    return cast(x, "bfloat16")


def batch_gather(params, indices, name=None):
    """The elements that the last axis of `indices` names, in each element of the axes before, which both have."""
    from ...ops_array import gather
    axes = convert_to_tensor(indices)._rank - 1
    return gather(params, indices, axis=axes, batch_dims=axes)


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """A tensor of a value; a sparse one as it is. Raises: RuntimeError for a sparse one of another dtype."""
    from ...sparse import SparseTensor
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype)
    if dtype is not None and value.dtype != dtype:
        raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype},  Actual: {value.dtype}")
    return value


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """A tensor of a value; indexed slices as they are. Raises: ValueError for slices of another dtype."""
    from ..._tensor import IndexedSlices
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype)
    if dtype is not None and value.dtype != dtype:
        raise ValueError(f"Tensor conversion requested dtype {dtype} for tensor with dtype {value.dtype}")
    return value


def to_double(x, name=None):
    from ...ops_math import cast
    return cast(x, "float64")


def div(x, y, name=None):
    """The quotient, of integers rounded down."""
    from ...ops_math import divide, floordiv
    from ..._tensor import is_tensor
    typed = convert_to_tensor(x if is_tensor(x) or not is_tensor(y) else y)
    return (floordiv if typed.dtype.is_integer and not isinstance(y, float) else divide)(x, y)


def arg_max(input, dimension, output_type="int64", name=None):
    """The place of the largest element along an axis."""
    from ...ops_math import argmax
    return argmax(input, dimension, output_type)


def arg_min(input, dimension, output_type="int64", name=None):
    """The place of the smallest element along an axis."""
    from ...ops_math import argmin
    return argmin(input, dimension, output_type)


def multinomial(logits, num_samples, seed=None, name=None, output_dtype="int64"):
    """Numbers of classes drawn by their logits."""
    from ...random import categorical
    return categorical(logits, num_samples, output_dtype, seed)


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """`t`. Raises: InvalidArgumentError with NaN or infinity in it."""
    from ...debugging import assert_all_finite
    return assert_all_finite(t if x is None else x, msg if message is None else message)


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """`default_value` with `sparse_values` at places: scalars, numbers of rows, or whole places."""
    from ...ops_array import fill, broadcast_to, expand_dims, reshape, shape, tensor_scatter_nd_update
    values = convert_to_tensor(sparse_values)
    places = convert_to_tensor(sparse_indices)
    if places._rank < 2:
        places = reshape(places, [-1, 1])
    base = fill(output_shape, convert_to_tensor(default_value, dtype=values.dtype))
    return tensor_scatter_nd_update(base, places, broadcast_to(values, shape(places)[:1]) if not values._rank else values)


def get_local_variable(name, shape=None, dtype=None, initializer=None, **options):
    """As `get_variable`, of the collection of local variables, and not trained."""
    from ._variables import get_variable
    from ._graphs import GraphKeys
    options.pop("trainable", None)
    return get_variable(name, shape, dtype, initializer, trainable=False,
                        collections=[GraphKeys.LOCAL_VARIABLES] + list(options.pop("collections", None) or []), **options)


def assert_proper_iterable(values):
    """Raises: TypeError for a tensor, an array or a text, and for what cannot be iterated over."""
    from ..._tensor import is_tensor
    import numpy
    if is_tensor(values) or isinstance(values, (numpy.ndarray, bytes, str)) or not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument 'values' to be a 'proper' iterable.  Found: {type(values)}")


def clip_by_average_norm(t, clip_norm, name=None):
    """`t`, scaled so that its norm by element is at most `clip_norm`."""
    from ... import ops_math
    t = convert_to_tensor(t)
    count = ops_math.cast(_size(t), t.dtype)
    norm = ops_math.sqrt(ops_math.reduce_sum(t * t)) / count
    return t * clip_norm / ops_math.maximum(norm, clip_norm)


def _size(t):
    from ...ops_array import size
    return size(t)


def count_up_to(ref, limit, name=None):
    """`ref`, one more each time; OutOfRangeError at the limit."""
    return ref.count_up_to(limit)


def setdiff1d(x, y, index_dtype="int32", name=None):
    """(values, places) of what is in `x` and not in `y`, in its order."""
    import collections
    import numpy
    from ... import _native
    from ..._dtypes import as_dtype
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    places = as_dtype(index_dtype)

    def differ(values):
        own, other = values[0].numpy(), values[1].numpy()
        kept = numpy.flatnonzero(~numpy.isin(own, other))
        return [convert_to_tensor(own[kept], dtype=x.dtype), convert_to_tensor(kept, dtype=places)]
    made = _native.host_call(differ, [x, y], [x.dtype, places], [[-1], [-1]])
    return collections.namedtuple("ListDiff", "out idx")(*made)


def is_numeric_tensor(tensor):
    """Whether it is a tensor of numbers."""
    from ..._tensor import is_tensor
    return is_tensor(tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer)


def dimension_value(dimension):
    """A size as a number, or None."""
    return getattr(dimension, "value", dimension)


def dimension_at_index(shape, index):
    """A size of a shape."""
    from ..._dtypes import Dimension
    return Dimension(None if shape.rank is None else shape.as_list()[index])


def resource_variables_enabled():
    """Whether variables have versions of their own: always."""
    return True


def container(container_name):
    """A context without effect: what sessions share is told apart by names alone."""
    import contextlib
    return contextlib.nullcontext(container_name)


def no_regularizer(_):
    return None


def assert_variables_initialized(var_list=None):
    """An op that fails where a variable has no value."""
    from ..._function import group
    from ._variables import global_variables
    return group(*[one.read_value() for one in (global_variables() if var_list is None else var_list)])


class AggregationMethod:
    """How `gradients` adds up: taken, and without effect, as sums have one order."""
    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class colocate_with:
    """A context whose ops are where another op or variable is."""

    def __init__(self, op, ignore_existing=False):
        from ... import _native
        from ..._variable import Variable
        self._native, self._place = None, []
        if in_graph() and op is not None:
            op = getattr(op, "variable", op)  # of the op that holds one
            beside = op.value() if isinstance(op, Variable) else op.outputs[0] if hasattr(op, "outputs") else op
            self._native = _native.Colocate(convert_to_tensor(beside))
            place = getattr(op, "device", "")
            self._place = [device(None), device(place)] if place else []

    def __enter__(self):
        if self._native is not None:
            self._native.enter()
        for one in self._place:
            one.__enter__()

    def __exit__(self, *_):
        for one in reversed(self._place):
            one.__exit__()
        if self._native is not None:
            self._native.exit()
