"""Functions that version 2 has no more, or in another form."""

from ..._tensor import convert_to_tensor
from ._graphs import in_graph


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


class GraphOptions:
    """Options of a session's graphs, taken and without effect on results."""

    def __init__(self, **options):
        self.__dict__.update(options)


class OptimizerOptions(GraphOptions):
    L0, L1 = -1, 0
    OFF, DEFAULT, ON_1, ON_2 = -1, 0, 1, 2


class colocate_with:
    """A context whose ops are where another op or variable is."""

    def __init__(self, op, ignore_existing=False):
        from ... import _native
        from ..._variable import Variable
        beside = op.value() if isinstance(op, Variable) else op.outputs[0] if hasattr(op, "outputs") else op
        self._native = _native.Colocate(convert_to_tensor(beside)) if in_graph() else None

    def __enter__(self):
        if self._native is not None:
            self._native.enter()

    def __exit__(self, *_):
        if self._native is not None:
            self._native.exit()
