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
