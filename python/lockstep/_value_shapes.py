"""Shapes, places and counts that are values of a traced program: what a function, a graph or a dataset learns
when it runs."""

from . import _native as n
from . import errors
from ._axes import axis_of
from ._dtypes import TensorShape, float64, int32, int64
from ._tensor import Tensor, convert_to_tensor, op
from ._variable import Variable


def is_value(one):
    """Whether a number or list holds tensors that are not known while the function is traced."""
    if isinstance(one, Variable):
        one = one.value()
    if isinstance(one, Tensor):
        return one._symbolic and n.static_value(one) is None
    if isinstance(one, list) or type(one) is tuple:
        return any(is_value(part) for part in one)
    return False


def as_int64(number):
    """A scalar of int64."""
    tensor = convert_to_tensor(number)
    return tensor if tensor._dtype == int64 else op(n.cast, tensor, int64)


def vector(numbers, what):
    """(what is known of a list of numbers, -1 for what is a value; all of them as a vector of int64)"""
    if isinstance(numbers, Variable):
        numbers = numbers.value()
    if isinstance(numbers, Tensor):
        if numbers._rank == 0:
            return [-1], op(n.reshape, as_int64(numbers), [1])
        count = numbers._shape[0]
        if numbers._rank != 1 or count is None:
            raise errors.UnimplementedError(
                None, None, f"[trace] of {what} the number of axes must be known while a function is traced; got "
                f"{numbers!r}; build it by tf.stack from single sizes")
        return n.known_sizes(numbers) or [-1] * count, as_int64(numbers)
    if isinstance(numbers, TensorShape):
        numbers = numbers.as_list()
    if not isinstance(numbers, (list, tuple)):
        numbers = [numbers]
    known = [_known(one) for one in numbers]
    return known, op(n.stack, [op(n.reshape, as_int64(-1 if one is None else one), []) for one in numbers], 0)


def _known(number):
    if isinstance(number, Variable):
        number = number.value()
    if isinstance(number, Tensor):
        number = n.static_value(number)
        return -1 if number is None else int(number._item())
    return -1 if number is None else int(number)


def reshape(tensor, shape):
    known, values = vector(shape, "a shape")
    return op(n.reshape_by, tensor, values, known)


def broadcast(tensor, shape):
    known, values = vector(shape, "a shape")
    return op(n.broadcast_by, tensor, values, known)


def tile(tensor, multiples):
    known, values = vector(multiples, "multiples")
    return op(n.tile_by, tensor, values, known)


def pad(tensor, paddings, constant):
    """Padding with a constant; `paddings` is a tensor [r, 2] or a list of pairs."""
    if isinstance(paddings, Tensor):
        values = op(n.reshape, as_int64(paddings), [-1])
        return op(n.pad_by, tensor, values, constant, [-1] * (2 * tensor._rank))
    known, values = vector([one for pair in paddings for one in pair], "paddings")
    return op(n.pad_by, tensor, values, constant, known)


def slice(tensor, begin, size):
    known, sizes = vector(size, "sizes")
    return op(n.slice_by, tensor, vector(begin, "begin")[1], sizes, known)


def strided_slice(tensor, entries, masks):
    """`entries`: begin, end and stride of each; strides are known. `masks`: begin, end, ellipsis, new axis, shrink."""
    if any(is_value(stride) for _, _, stride in entries):
        raise errors.UnimplementedError(
            None, None, "[slice] the stride of a slice must be known while a function is traced; write "
            "tf.gather(x, tf.range(begin, end, stride))")
    known_begin, begin = vector([one for one, _, _ in entries], "begin")
    known_end, end = vector([one for _, one, _ in entries], "end")
    open_entries = sum(1 << place for place, (first, last, _) in enumerate(entries)
                       if is_value(first) or is_value(last))
    lists = [known_begin, known_end, [int(stride) for _, _, stride in entries]]
    return op(n.strided_slice_by, tensor, begin, end, lists, list(masks) + [open_entries])


def full(shape, value):
    """`value`, a scalar, in every element."""
    return broadcast(convert_to_tensor(value), shape)


def arange(start, limit, delta=1, dtype=None):
    """start, start + delta, ... up to but without limit, as one tensor."""
    numbers = [convert_to_tensor(one) for one in (start, limit, delta)]
    if dtype is None:
        order = ["int32", "int64", "float32", "float64"]
        typed = [one.dtype for one in (start, limit, delta) if isinstance(one, (Tensor, Variable))]
        dtype = max(typed, key=lambda one: order.index(one.name))
    return op(n.range_by, *[one if one.dtype == dtype else op(n.cast, one, dtype) for one in numbers])


def one_hot(indices, depth, on, off, axis, dtype):
    places = arange(0, depth, 1, indices.dtype if indices.dtype in (int32, int64) else int64)
    rank = indices._rank
    axis = rank if axis in (None, -1) else axis
    along = [1] * (rank + 1)
    along[axis] = -1
    found = op(n.equal, op(n.expand_dims, op(n.cast, indices, places.dtype), axis), op(n.reshape, places, along))
    return op(n.where, found, op(n.cast, convert_to_tensor(on), dtype), op(n.cast, convert_to_tensor(off), dtype))


def eye(rows, columns, dtype):
    """Ones on the diagonal of a matrix whose sizes are values."""
    down, across = arange(0, as_int64(rows)), arange(0, as_int64(columns))
    return op(n.cast, op(n.equal, op(n.expand_dims, down, 1), op(n.expand_dims, across, 0)), dtype)


def linspace(start, stop, num, shape=(-1,)):
    """`num` numbers from start to stop, with the steps of n.linspace, whose numbers have a shape."""
    count = as_int64(num)
    places = op(n.reshape, arange(as_int64(0), count), list(shape))
    last = op(n.subtract, count, 1)
    steps = op(n.cast, op(n.maximum, last, 1), start.dtype)
    step = op(n.divide, op(n.subtract, stop, start), steps)
    inner = op(n.add, start, op(n.multiply, step, op(n.cast, places, start.dtype)))
    ends = op(n.logical_and, op(n.equal, places, last), op(n.greater, last, 0))
    return op(n.where, ends, stop, inner)


def linspace_along(start, stop, num, axis):
    """`num` tensors from start to stop, which have one shape, along a new axis."""
    rank = start._rank + 1
    if start._rank != stop._rank:
        raise ValueError(f"start and stop must have one shape; got {start.shape} and {stop.shape}")
    first, last = [op(n.expand_dims, one, axis) for one in (start, stop)]
    along = [-1 if i == axis_of(axis, rank) else 1 for i in range(rank)]
    return linspace(first, last, num, along)


def repeat(tensor, repeats, axis):
    """Each row along `axis` as often as `repeats`, one number or one for each row, says."""
    repeats = as_int64(repeats)
    size = op(n.gather, op(n.shape_of, tensor, int64), convert_to_tensor(axis), 0, 0)
    if repeats._rank == 0 or repeats._shape[0] == 1:
        repeats = full([size], op(n.reshape, repeats, []))
    ends = op(n.cumsum, repeats, 0, False, False)
    total = op(n.reduce_sum, repeats, None, False)
    places = op(n.searchsorted, ends, arange(as_int64(0), total), True)
    return op(n.gather, tensor, places, axis, 0)


def roll(tensor, shift, axis):
    size = op(n.gather, op(n.shape_of, tensor, int64), convert_to_tensor(axis_of(axis, tensor._rank)), 0, 0)
    order = op(n.floormod, op(n.subtract, arange(as_int64(0), size), as_int64(shift)), size)
    return op(n.gather, tensor, order, axis_of(axis, tensor._rank), 0)


def top_k(tensor, k):
    """(the k largest, their places): all are sorted, the first k kept."""
    size = tensor._shape[-1]
    if size is None:
        raise errors.UnimplementedError(
            None, None, f"[top_k] the size of the last axis or k must be known while a function is traced; got "
            f"{tensor!r} and {k!r}")
    keep = [(0, 0, 1)] * (tensor._rank - 1) + [(0, k, 1)]
    masks = [0, (1 << (tensor._rank - 1)) - 1, 0, 0, 0]
    return [strided_slice(one, keep, masks) for one in op(n.top_k, tensor, size)]
