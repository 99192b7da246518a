"""Arithmetic, comparisons, reductions and products."""

from . import _native as n
from . import _logits, _op_names, _value_shapes
from ._axes import axis_of as _axis_of
from ._dtypes import as_dtype, float32, int32, int64
from ._run_shapes import in_one_row, with_shape
from ._takes_ragged import of_ragged as _of_ragged, takes_ragged as _takes_ragged
from ._tensor import IndexedSlices, Tensor, add_or_join as _add_or_join, convert_to_tensor, integers, is_tensor, op

_places = __builtins__["range"] if isinstance(__builtins__, dict) else __builtins__.range

_UNARY = {
    "negative": "-x.", "square": "x * x.", "sign": "-1, 0 or 1.", "sqrt": "The square root.",
    "rsqrt": "1 / sqrt(x).", "exp": "e to the power x.", "expm1": "exp(x) - 1.",
    "log": "The natural logarithm.", "log1p": "log(1 + x).", "sin": "The sine.",
    "cos": "The cosine.", "tan": "The tangent.", "asin": "The arc sine.", "acos": "The arc cosine.",
    "atan": "The arc tangent.", "sinh": "The hyperbolic sine.", "cosh": "The hyperbolic cosine.",
    "tanh": "The hyperbolic tangent.", "asinh": "The inverse hyperbolic sine.",
    "acosh": "The inverse hyperbolic cosine.", "atanh": "The inverse hyperbolic tangent.",
    "erf": "The error function.", "erfc": "1 - erf(x).", "sigmoid": "1 / (1 + exp(-x)).",
    "lgamma": "log |gamma(x)|.", "digamma": "The derivative of lgamma.",
    "floor": "The largest whole number not above x.", "ceil": "The smallest one not below x.",
    "round": "The nearest whole number, halves to the even one.", "rint": "As round.",
    "reciprocal": "1 / x.", "logical_not": "The opposite of each bool.",
    "is_nan": "Whether elements are NaN.", "is_inf": "Whether they are infinite.",
    "is_finite": "Whether they are neither."}
_BINARY = {
    "add": "x + y.", "subtract": "x - y.", "multiply": "x * y.", "divide": "x / y, a real number.",
    "maximum": "The larger one.", "minimum": "The smaller one.", "pow": "x to the power y.",
    "squared_difference": "(x - y)^2.", "floordiv": "The quotient rounded down.",
    "floormod": "What floordiv leaves.", "truncatediv": "The quotient without its fraction.",
    "truncatemod": "What truncatediv leaves.", "atan2": "The angle of the point (y, x).",
    "divide_no_nan": "x / y, 0 where y is 0.", "equal": "x == y.", "not_equal": "x != y.",
    "less": "x < y.", "less_equal": "x <= y.", "greater": "x > y.", "greater_equal": "x >= y.",
    "logical_and": "x and y.", "logical_or": "x or y."}


def _make_unary(name, text):
    native = getattr(n, name)

    def function(x, name=None):
        try:
            return op(native, x)
        except (TypeError, ValueError):
            return _of_ragged(function, x)
    function.__doc__ = f"{text} Element by element; shape and dtype: those of x."
    function.__name__ = function.__qualname__ = name
    return function


def _make_binary(name, text):
    native = getattr(n, name)

    def function(x, y, name=None):
        try:
            return op(native, x, y)
        except (TypeError, ValueError):
            return _of_ragged(function, x, y)
    function.__doc__ = (f"{text} Element by element; shapes broadcast, dtypes must agree.\n\n"
                        "Raises: InvalidArgumentError when they do not.")
    function.__name__ = function.__qualname__ = name
    return function


for _name, _text in _UNARY.items():
    globals()[_name] = _make_unary(_name, _text)
_sigmoid = globals()["sigmoid"]


def sigmoid(x, name=None):
    return _logits.note_traced("Sigmoid", _sigmoid(x), x)


sigmoid.__doc__ = _sigmoid.__doc__
for _name, _text in _BINARY.items():
    globals()[_name] = _make_binary(_name, _text)
add, subtract, multiply, divide = (globals()[_n] for _n in ("add", "subtract", "multiply", "divide"))
_sum = _add_or_join(add)


def add(x, y, name=None):
    """x + y, element by element; of texts one behind the other. Shapes broadcast, dtypes must agree.

    Raises: InvalidArgumentError when they do not."""
    return _sum(x, y)


truediv = realdiv = divide
div = divide
mod = floormod = globals()["floormod"]
mod.__doc__ = "What floordiv leaves; it has the sign of y."


@_takes_ragged
def abs(x, name=None):
    """|x|, element by element."""
    return op(n.abs, x)


def logical_xor(x, y, name="LogicalXor"):
    """Whether exactly one of the bools holds."""
    return op(n.not_equal, convert_to_tensor(x), convert_to_tensor(y))


@_takes_ragged
def cast(x, dtype, name=None):
    """The elements as another dtype: reals lose their fraction on the way to integers."""
    dtype = as_dtype(dtype)
    x = convert_to_tensor(x)
    if x._dtype == int(dtype):
        return x
    if x._dtype == 7 or int(dtype) == 7:
        from .errors import UnimplementedError
        raise UnimplementedError(None, None, f"Cast {x.dtype.name} to {dtype.name} is not supported [Op:Cast]; "
                                 "use tf.strings.to_number or tf.strings.as_string")
    return op(n.cast, x, dtype)


def saturate_cast(value, dtype, name=None):
    """`cast`, of values first clipped to what the dtype can hold."""
    value = convert_to_tensor(value)
    dtype = as_dtype(dtype)
    low, high = max_of(value.dtype.min, dtype.min), min_of(value.dtype.max, dtype.max)
    return cast(clip_by_value(value, low, high), dtype)


def max_of(a, b):
    return a if a > b else b


def min_of(a, b):
    return a if a < b else b


def to_float(x, name="ToFloat"):
    return cast(x, float32)


def to_int32(x, name="ToInt32"):
    return cast(x, int32)


def to_int64(x, name="ToInt64"):
    return cast(x, int64)


def _axes(axis):
    if axis is None:
        return None
    axis = integers(axis, "an axis")
    if isinstance(axis, (list, tuple)) or hasattr(axis, "tolist"):
        return [int(integers(one, "an axis")) for one in axis]
    return [int(axis)]


def _make_reduction(name, text):
    native, real = getattr(n, name), name in ("reduce_variance", "reduce_std")

    def function(input_tensor, axis=None, keepdims=False, name=None, keep_dims=None,
                 reduction_indices=None):
        if type(input_tensor) is not Tensor and hasattr(input_tensor, "row_splits"):
            from . import ragged
            return ragged.reduced(input_tensor, axis, function.__name__[7:], keepdims)
        axes = _axes(axis if reduction_indices is None else reduction_indices)
        whole, kept = convert_to_tensor(input_tensor), bool(keep_dims or keepdims)
        if real and whole.dtype.is_integer:
            raise TypeError(f"Input must be either real or complex. Received integer type {whole.dtype}.")
        if axes is None and not kept:
            whole = in_one_row(whole)
        return op(native, whole, axes, kept)
    function.__doc__ = (f"{text}\n\nArgs: axis: one, a list, or None for all; keepdims: keeps them with "
                        "size 1.\nRaises: InvalidArgumentError for an axis out of range.")
    function.__name__ = function.__qualname__ = name
    return function


for _name, _text in {
        "reduce_sum": "The sum.", "reduce_mean": "The mean; of integers rounded towards zero.",
        "reduce_max": "The largest element.", "reduce_min": "The smallest element.",
        "reduce_prod": "The product.", "reduce_all": "Whether all are true.",
        "reduce_any": "Whether any is true.", "reduce_logsumexp": "log(sum(exp(x))).",
        "reduce_variance": "The mean squared distance from the mean.",
        "reduce_std": "The root of the variance.",
        "reduce_euclidean_norm": "The root of the sum of squares."}.items():
    globals()[_name] = _make_reduction(_name, _text)
reduce_sum = globals()["reduce_sum"]
reduce_max = globals()["reduce_max"]
reduce_mean = globals()["reduce_mean"]


def count_nonzero(input, axis=None, keepdims=False, dtype=int64, name=None):
    """How many elements are not zero; of texts how many are not empty."""
    input = convert_to_tensor(input)
    zero = convert_to_tensor("") if input.dtype == "string" else n.zeros_like(input)
    return reduce_sum(cast(op(n.not_equal, input, zero), dtype), axis, keepdims)


def argmax(input, axis=None, output_type=int64, name=None):
    """The place of the largest element along `axis` (0 by default), the first of equal ones."""
    return op(n.argmax, convert_to_tensor(input), int(integers(axis or 0, "an axis")),
              as_dtype(output_type))


def argmin(input, axis=None, output_type=int64, name=None):
    """The place of the smallest element along `axis` (0 by default)."""
    return op(n.argmin, convert_to_tensor(input), int(integers(axis or 0, "an axis")),
              as_dtype(output_type))


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """The sums of all elements up to each one along `axis`."""
    return op(n.cumsum, convert_to_tensor(x), int(axis), exclusive, reverse)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """The products of all elements up to each one along `axis`."""
    return op(n.cumprod, convert_to_tensor(x), int(axis), exclusive, reverse)


def add_n(inputs, name=None):
    """The sum of tensors of one shape and dtype."""
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    if not inputs:
        raise ValueError("inputs must be a list of at least one Tensor/IndexedSlices with the same "
                         "dtype and shape.")
    return op(n.add_n, [convert_to_tensor(one) for one in inputs])


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of tensors of one shape and dtype. Raises: ValueError where they are not; TypeError for another dtype."""
    from ._dtypes import TensorShape
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape.")
    given = [convert_to_tensor(one) for one in inputs]
    whole = TensorShape(shape)
    for one in given:
        if one.dtype != given[0].dtype or not one.shape.is_compatible_with(given[0].shape) or (
                not one.shape.is_compatible_with(whole)):
            raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape.")
    if tensor_dtype is not None and as_dtype(tensor_dtype) != given[0].dtype:
        raise TypeError(f"tensor_dtype is {as_dtype(tensor_dtype)!r}, but input is of type {given[0].dtype!r}")
    return op(n.add_n, given)


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False,
           a_is_sparse=False, b_is_sparse=False, output_type=None, grad_a=False, grad_b=False,
           name=None):
    """The matrix product. Shapes: [..., m, k], [..., k, n] to [..., m, n]; leading axes broadcast.

    Args: output_type: the dtype in which the products are summed.
    Raises: InvalidArgumentError when the inner sizes disagree; ValueError for a side that is transposed twice."""
    for side, transposed, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transposed and adjoint:
            raise ValueError(f"Only one of `transpose_{side}` and `adjoint_{side}` can be True. Received "
                             f"`transpose_{side}`={transposed}, `adjoint_{side}`={adjoint}.")
    a = convert_to_tensor(a, dtype_hint=b.dtype if is_tensor(b) else None)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    if output_type is not None and as_dtype(output_type) != a.dtype:
        a, b = cast(a, output_type), cast(b, output_type)
    a, b = with_shape(a, [None, None]), with_shape(b, [None, None])
    return op(n.matmul, a, b, bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b))


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False,
           name=None):
    """The product of a matrix and a vector. Shapes: [..., m, k], [..., k] to [..., m]."""
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    product = matmul(a, op(n.expand_dims, b, -1), transpose_a or adjoint_a)
    return op(n.squeeze, product, [-1])


def tensordot(a, b, axes, name=None):
    """Sums over pairs of axes: the last `axes` of a with the first of b, or two lists of axes."""
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a._rank, b._rank):
            raise ValueError(f"'axes' must be in [0, {min(a._rank, b._rank)}], the smaller rank; got {axes}")
        left = list(_places(a._rank))[a._rank - axes:]
        right = list(_places(axes))
    else:
        left, right = axes
        left = [left] if isinstance(left, int) else list(left)
        right = [right] if isinstance(right, int) else list(right)
    left = [_axis_of(axis, a._rank) for axis in left]
    right = [_axis_of(axis, b._rank) for axis in right]
    free_a = [axis for axis in _places(a._rank) if axis not in left]
    free_b = [axis for axis in _places(b._rank) if axis not in right]
    shape = [a._shape[axis] for axis in free_a] + [b._shape[axis] for axis in free_b]
    if shape.count(None) > 1:
        from .ops_array import sizes_of
        shape = [*sizes_of(a, free_a), *sizes_of(b, free_b)]
    inner = 1
    for axis in left:
        inner *= a._shape[axis]
    a = op(n.reshape, op(n.transpose, a, free_a + left), [-1, inner]) if free_a or left else a
    b = op(n.reshape, op(n.transpose, b, right + free_b), [inner, -1])
    from .ops_array import reshape
    return reshape(op(n.matmul, a, b, False, False), [-1 if size is None else size for size in shape])


def einsum(equation, *inputs, **kwargs):
    """Products and sums in Einstein's notation, such as "ij,jk->ik". Raises: TypeError for unknown keywords."""
    unknown = sorted(set(kwargs) - {"name", "optimize", "greedy"})
    if unknown:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(unknown)}. Valid arguments: name, optimize, "
                        "greedy.")
    return op(n.einsum, equation.replace(" ", ""), [convert_to_tensor(one) for one in inputs])


def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """The norm of the whole tensor, of vectors along an axis, or of matrices in two axes.

    Args: ord: "euclidean", 1, 2, a positive power, or inf; of matrices "euclidean", "fro", 1 (the largest sum of a column),
    inf (of a row) or 2 (the largest singular value).
    Raises: ValueError for another `ord`."""
    tensor = convert_to_tensor(tensor)
    axes = _axes(axis)
    if axes is not None and len(axes) == 2 and ord not in ("euclidean", "fro"):
        from ._norms import of_matrices
        return of_matrices(tensor, ord, axes, bool(keepdims))
    if ord not in ("euclidean", "fro") and (isinstance(ord, str) or ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    keep = bool(keepdims)
    if ord in ("euclidean", "fro", 2):
        return op(n.reduce_euclidean_norm, tensor, axes, keep)
    size = op(n.abs, tensor)
    if ord == 1:
        return op(n.reduce_sum, size, axes, keep)
    if ord == float("inf"):
        return op(n.reduce_max, size, axes, keep)
    return op(n.pow, op(n.reduce_sum, op(n.pow, size, ord), axes, keep), 1.0 / ord)


@_takes_ragged
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """t where it lies between the bounds, else the bound. Raises: TypeError for bounds that t's dtype does not have."""
    if isinstance(t, IndexedSlices):
        return t._with_values(clip_by_value(t.values, clip_value_min, clip_value_max))
    t = convert_to_tensor(t)
    low, high = [convert_to_tensor(one, None if is_tensor(one) else t.dtype) for one in (clip_value_min, clip_value_max)]
    return op(n.clip_by_value, t, low, high)


def clip_by_norm(t, clip_norm, axes=None, name=None):
    """t, scaled down if its norm is larger than `clip_norm`. Of IndexedSlices the values, row by row as they are."""
    if isinstance(t, IndexedSlices):
        return t._with_values(clip_by_norm(t.values, clip_norm, axes))
    t = convert_to_tensor(t)
    return op(n.clip_by_norm, t, cast(clip_norm, t.dtype), _axes(axes))


def global_norm(t_list, name=None):
    """The root of the sum of all squares of all tensors; None entries do not count. Of IndexedSlices those of all values count."""
    return op(n.global_norm, [_values(one) for one in t_list if one is not None])


def _values(one):
    return convert_to_tensor(one.values if isinstance(one, IndexedSlices) else one)


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """(tensors scaled down if their global norm is larger than `clip_norm`, that norm)."""
    given = [None if one is None else _values(one) for one in t_list]
    if use_norm is not None:
        scale = divide(clip_norm, op(n.maximum, use_norm, clip_norm))
        clipped, total = [None if one is None else op(n.multiply, one, scale) for one in given], use_norm
    else:
        clipped, total = n.clip_by_global_norm(given, cast(clip_norm, float32))
    return [one._with_values(made) if isinstance(one, IndexedSlices) else made for one, made in zip(t_list, clipped)], total


def range(start, limit=None, delta=1, dtype=None, name="range"):
    """start, start + delta, ... up to but without limit; `range(limit)` begins at 0.

    Raises: InvalidArgumentError when delta leads away."""
    if limit is None:
        start, limit = 0, start
    from . import _autograph_run
    if n.is_tracing() and any(is_tensor(one) and n.static_value(convert_to_tensor(one)) is None
                              for one in (start, limit, delta)):
        return _autograph_run.range_of_values(start, limit, delta, dtype)
    values = [integers(one, "an end of a range") if is_tensor(one) else one
              for one in (start, limit, delta)]
    if dtype is None:
        typed = [one.dtype for one in (start, limit, delta) if is_tensor(one)]
        dtype = max(typed, key=_rank_of) if typed else (
            float32 if any(isinstance(one, float) for one in values) else int32)
        if dtype is int32 and any(isinstance(one, int) and not -2**31 <= one < 2**31
                                  for one in values):
            dtype = int64
    dtype = as_dtype(dtype)
    return op(n.range, *[convert_to_tensor(one, dtype) if not dtype.is_integer else
                         convert_to_tensor(int(one), dtype) for one in values])


def _rank_of(dtype):
    return {"int32": 0, "int64": 1, "float32": 2, "float64": 3}.get(dtype.name, 0)


def linspace(start, stop, num, name=None, axis=0):
    """`num` numbers from start to stop, both included; of tensors of one shape along a new axis."""
    start, stop = convert_to_tensor(start), convert_to_tensor(stop)
    if start.dtype.is_integer:
        start, stop = cast(start, "float64"), cast(stop, "float64")
    stop = cast(stop, start.dtype)
    if start._rank or stop._rank:
        return _value_shapes.linspace_along(start, stop, num, int(integers(axis, "an axis")))
    if _value_shapes.is_value([start, stop, num]) or int(integers(num, "num")) <= 0:
        return _value_shapes.linspace(start, stop, num)
    return op(n.linspace, start, stop, int(integers(num, "num")))


lin_space = linspace


def polyval(coeffs, x, name=None):
    """The polynomial with these coefficients, the highest power first."""
    x = convert_to_tensor(x)
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    if not coeffs:
        return n.zeros_like(x)
    result = convert_to_tensor(coeffs[0])
    for one in coeffs[1:]:
        result = result * x + one
    return result


@_takes_ragged
def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """Row s is the sum of the rows of `data` whose id is s."""
    return op(n.unsorted_segment_sum, convert_to_tensor(data), convert_to_tensor(segment_ids),
              int(integers(num_segments, "num_segments")))


def segment_sum(data, segment_ids, name=None):
    """The same for rising ids, one a row."""
    return op(n.segment_sum, convert_to_tensor(data), convert_to_tensor(segment_ids))


def segment_mean(data, segment_ids, name=None):
    """The mean of the rows of each segment."""
    data = convert_to_tensor(data)
    total = segment_sum(data, segment_ids)
    count = segment_sum(n.ones_like(data), segment_ids)
    return op(n.floordiv if data.dtype.is_integer else n.divide_no_nan, total, _at_least_one(count))


def _at_least_one(count):
    return op(n.maximum, count, n.ones_like(count))


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=int32, name=None, axis=None,
             binary_output=False):
    """How often each number from 0 occurs; with axis=-1 in each row; with `binary_output` whether it does."""
    arr = cast(arr, int64)
    if axis in (0, None) or arr._rank < 2:
        arr = op(n.reshape, arr, [-1])
    elif axis != -1 and axis != arr._rank - 1:
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    top = op(n.add, op(n.reduce_max, op(n.concat, [op(n.reshape, arr, [-1]), convert_to_tensor([-1], int64)], 0),
                       None, False), 1)
    size = op(n.maximum, top, cast(minlength or 0, int64))
    size = op(n.minimum, size, cast(maxlength, int64)) if maxlength is not None else size
    places = range(0, size, 1, dtype=int64)
    met = op(n.equal, op(n.expand_dims, arr, -1), places)
    along = arr._rank - 1
    if binary_output:
        return cast(op(n.reduce_any, met, [along], False), dtype)
    if weights is None:
        return op(n.reduce_sum, cast(met, dtype), [along], False)
    weights = convert_to_tensor(weights)
    weights = op(n.reshape, weights, [-1]) if arr._rank == 1 else weights
    met = cast(met, weights.dtype)
    return op(n.reduce_sum, op(n.multiply, met, op(n.expand_dims, weights, -1)), [along], False)


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=int32, name=None):
    """Row: label, column: prediction; how often they met."""
    labels, predictions = cast(labels, int64), cast(predictions, int64)
    if num_classes is None:
        num_classes = 1 + max_of(int(n.reduce_max(labels, None, False)._item()),
                                 int(n.reduce_max(predictions, None, False)._item()))
    values = n.ones(labels._shape, as_dtype(dtype)) if weights is None else cast(weights, dtype)
    return op(n.scatter_nd, op(n.stack, [labels, predictions], 1), values,
              [num_classes, num_classes])


def scalar_mul(scalar, x, name=None):
    """scalar * x."""
    return op(n.multiply, scalar, convert_to_tensor(x))


def cross(a, b, name=None):
    """The cross product along the last axis, of size 3."""
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    def turned(x, order):
        return op(n.gather, x, convert_to_tensor(order), x._rank - 1, 0)
    return (turned(a, [1, 2, 0]) * turned(b, [2, 0, 1])
            - turned(a, [2, 0, 1]) * turned(b, [1, 2, 0]))


def approximate_equal(x, y, tolerance=1e-5, name=None):
    """|x - y| < tolerance."""
    return abs(op(n.subtract, x, y)) < tolerance


def polygamma(a, x, name=None):
    """The a-th derivative of digamma."""
    return op(n.polygamma, int(a), convert_to_tensor(x))


_op_names.name_all(globals(), __name__)
