"""Making tensors and moving their elements."""

import collections

from . import _native as n, _refused
from . import _memory, _op_names, _value_shapes, errors, nest
from ._axes import axis_of as _axis_of, require_rank as _require_rank
from ._dtypes import TensorShape, as_dtype, float32, int32
from ._tensor import (Tensor, _with_known_shape, convert_to_tensor, from_python, get_item, integers, is_tensor, op,
                      static_shape)
from ._run_shapes import in_one_row, open_shape
from ._takes_ragged import takes_ragged as _takes_ragged
from ._variable import Variable

newaxis = None


def constant(value, dtype=None, shape=None, name="Const"):
    """A tensor of numbers, text, nested lists or an array. A single value fills `shape`.

    Raises: TypeError for values that do not fit the dtype; ValueError for lists that are not
    rectangular or a shape of another number of elements."""
    if dtype is not None:
        dtype = as_dtype(dtype)
    if is_tensor(value):
        result = convert_to_tensor(value)
        if dtype is not None and result.dtype != dtype:
            result = op(n.cast, result, dtype)
    else:
        result = from_python(value, dtype)
    if n.has_graph() and not result._symbolic:
        result = n.named_constant(result, name or "Const")
    if shape is None:
        return result
    sizes = static_shape(shape)
    if list(result._shape) == sizes:
        return result
    if result._size == 1:
        return op(n.broadcast_to, op(n.reshape, result, []), sizes)
    count = TensorShape(sizes).num_elements()
    if count != result._size:
        raise TypeError(f"Eager execution of tf.constant with unsupported shape. Tensor "
                        f"{result!r} (converted from {value!r}) has {result._size} elements, but got "
                        f"`shape` {sizes} with {count} elements).")
    return op(n.reshape, result, sizes)


def _sizes(shape):
    """The sizes of a shape, all known. Raises: InvalidArgumentError for negative ones."""
    sizes = static_shape(shape)
    if any(one < 0 for one in sizes):
        from .errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, f"[shape] Dimension {min(sizes)} must be >= 0; got {sizes}")
    return sizes


def zeros(shape, dtype=float32, name=None, layout=None):
    """Zeros of a shape."""
    _refused.only("zeros", layout=(layout, None))
    dtype = as_dtype(dtype)
    if dtype == "string":
        return fill(shape, "")
    if _value_shapes.is_value(shape):
        return _value_shapes.full(shape, op(n.zeros, [], dtype))
    return op(n.zeros, _sizes(shape), dtype)


def ones(shape, dtype=float32, name=None, layout=None):
    """Ones of a shape."""
    _refused.only("ones", layout=(layout, None))
    if _value_shapes.is_value(shape):
        return _value_shapes.full(shape, op(n.ones, [], as_dtype(dtype)))
    return op(n.ones, _sizes(shape), as_dtype(dtype))


def fill(dims, value, name=None, layout=None):
    """`value`, a scalar, in every element."""
    _refused.only("fill", layout=(layout, None))
    value = convert_to_tensor(value)
    if _value_shapes.is_value(dims):
        return _value_shapes.full(dims, value)
    if value._dtype == 7:
        sizes = static_shape(dims)
        return n.from_strings([value._item()] * TensorShape(sizes).num_elements(), sizes)
    return op(n.fill, _sizes(dims), value)


@_takes_ragged
def zeros_like(input, dtype=None, name=None, layout=None):
    """Zeros in the shape of `input`."""
    _refused.only("zeros_like", layout=(layout, None))
    made = op(n.zeros_like, convert_to_tensor(input))
    return made if dtype is None else _as(made, dtype)


@_takes_ragged
def ones_like(input, dtype=None, name=None, layout=None):
    """Ones in the shape of `input`."""
    _refused.only("ones_like", layout=(layout, None))
    made = op(n.ones_like, convert_to_tensor(input))
    return made if dtype is None else _as(made, dtype)


def _as(tensor, dtype):
    dtype = as_dtype(dtype)
    return tensor if tensor.dtype == dtype else op(n.cast, tensor, dtype)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=float32, name=None):
    """Ones on the diagonal."""
    if _value_shapes.is_value([num_rows, num_columns]):
        made = _value_shapes.eye(num_rows, num_rows if num_columns is None else num_columns, as_dtype(dtype))
        return made if batch_shape is None else broadcast_to(made, [*batch_shape, num_rows, num_columns or num_rows])
    rows = int(integers(num_rows, "num_rows"))
    columns = rows if num_columns is None else int(integers(num_columns, "num_columns"))
    made = op(n.one_hot, op(n.range, 0, rows, 1), columns, 1.0, 0.0, -1, as_dtype(dtype))
    if batch_shape is not None:
        made = op(n.broadcast_to, made, static_shape(batch_shape) + [rows, columns])
    return made


@_takes_ragged
def identity(input, name=None):
    """`input`, as a new value."""
    if isinstance(input, Variable):
        return input.read_value()
    return op(n.identity, convert_to_tensor(input))


def identity_n(input, name=None):
    """`identity` of each."""
    return [identity(one) for one in input]


def stop_gradient(input, name=None):
    """`input`, through which no gradient flows."""
    return op(n.stop_gradient, convert_to_tensor(input))


def prevent_gradient(input, message="", name=None):
    """`input`. Raises: LookupError with `message` where a gradient by it is asked for."""
    from ._function import custom_gradient

    def refuse(*_):
        raise LookupError(f"Gradient explicitly disabled. Reason: {message}")
    return custom_gradient(lambda x: (identity(x), refuse))(convert_to_tensor(input))


def reshape(tensor, shape, name=None):
    """The elements in another shape; one size may be -1 and follows.

    Raises: InvalidArgumentError when the numbers of elements differ."""
    tensor = in_one_row(convert_to_tensor(tensor))
    if _value_shapes.is_value(shape):
        return _value_shapes.reshape(tensor, shape)
    return op(n.reshape, tensor, static_shape(shape))


def ensure_shape(x, shape, name=None):
    """`x`. Raises: InvalidArgumentError (ValueError in a graph) when it has another shape."""
    x, shape = convert_to_tensor(x), TensorShape(shape)
    if not x.shape.is_compatible_with(shape):
        said = f"Shape of tensor input {list(x.shape)} is not compatible with expected shape {list(shape)}"
        if x._symbolic:
            raise ValueError(said)
        from .errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, said)
    return identity(x) if shape.rank is None or not x._symbolic else _with_known_shape(x, shape)


@_takes_ragged
def expand_dims(input, axis, name=None):
    """A new axis of size 1 at `axis`."""
    return op(n.expand_dims, convert_to_tensor(input), int(integers(axis, "an axis")))


@_takes_ragged
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Without axes of size 1: those named, or all."""
    axis = squeeze_dims if axis is None else axis
    axes = [] if axis is None else ([axis] if isinstance(axis, int) else list(axis))
    return op(n.squeeze, convert_to_tensor(input), axes)


def transpose(a, perm=None, conjugate=False, name="transpose"):
    """Axis i of the result is axis perm[i]; reversed without `perm`."""
    return op(n.transpose, convert_to_tensor(a),
              [] if perm is None else [int(one) for one in integers(perm, "perm")])


def matrix_transpose(a, name=None, conjugate=False):
    """The last two axes swapped."""
    a = _require_rank(convert_to_tensor(a), 2, "a")
    order = list(builtin_range(a._rank))
    order[-2:] = [order[-1], order[-2]]
    return op(n.transpose, a, order)


builtin_range = __builtins__["range"] if isinstance(__builtins__, dict) else __builtins__.range


@_takes_ragged
def concat(values, axis, name="concat"):
    """The values one after another along `axis`."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    axis = int(integers(axis, "an axis"))
    if len(values) == 1:
        return identity(values[0])
    return op(n.concat, _alike(values), axis)


def _alike(values):
    hint = next((one.dtype for one in values if is_tensor(one)), None)
    return [convert_to_tensor(one, dtype_hint=hint) for one in values]


@_takes_ragged
def stack(values, axis=0, name="stack"):
    """The values along a new axis."""
    values = list(values) if not is_tensor(values) else unstack(values)
    if not any(is_tensor(one) for one in values) and len({type(one) for one in values}) > 1:
        values = unstack(convert_to_tensor(values))
    return op(n.stack, _alike(values), int(axis))


parallel_stack = stack


def unstack(value, num=None, axis=0, name="unstack"):
    """The elements along `axis`, as a list. Raises: ValueError for a size that is not `num`, or that nobody knows."""
    value = convert_to_tensor(value)
    size = value.shape[_axis_of(int(axis), value.shape.rank)] if value.shape.rank else None
    if num is not None and size is not None and size != num:
        raise errors.InvalidArgumentError(None, None, f"Input shape axis {axis} must equal {num}, got shape {value.shape}")
    if num is not None and size is None and value.shape.rank:
        sizes = value.shape.as_list()
        sizes[int(axis)] = int(num)
        value = ensure_shape(value, sizes)
    elif size is None and value.shape.rank:
        raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return op(n.unstack, value, int(axis))


@_takes_ragged
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Equal parts along `axis`, or parts of the sizes of a list, of which there are `num` if that is given."""
    value = convert_to_tensor(value)
    parts = integers(num_or_size_splits, "sizes")
    if isinstance(parts, int):
        return op(n.split, value, parts, int(axis))
    if num is not None and int(num) != len(parts):
        raise errors.InvalidArgumentError(None, None, f"[split] num must be the number of sizes; got num={num} and {len(parts)} "
                                          "sizes")
    return op(n.split_v, value, [int(one) for one in parts], int(axis))


def slice(input_, begin, size, name=None):
    """`size[i]` elements (-1: all that follow) along axis i, from begin[i] on."""
    if _value_shapes.is_value([begin, size]):
        return _value_shapes.slice(convert_to_tensor(input_), begin, size)
    return op(n.slice, convert_to_tensor(input_), [int(b) for b in integers(begin, "begin")],
              [int(s) for s in integers(size, "size")])


def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0,
                  new_axis_mask=0, shrink_axis_mask=0, var=None, name=None):
    """Python's slices begin:end:stride, one an axis."""
    _refused.only("strided_slice", var=(var, None))
    if _value_shapes.is_value([begin, end, strides]):
        begin, end = unstack(begin) if is_tensor(begin) else begin, unstack(end) if is_tensor(end) else end
        entries = list(zip(begin, end, [1] * len(begin) if strides is None else integers(strides, "strides")))
        return _value_shapes.strided_slice(convert_to_tensor(input_), entries, [
            begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask])
    begin, end = ([int(integers(one, "an end of a slice")) for one in integers(ends, "an end of a slice")]
                  for ends in (begin, end))
    strides = [1] * len(begin) if strides is None else list(integers(strides, "strides"))
    return op(n.strided_slice, convert_to_tensor(input_), begin, end, strides,
              [begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask])


_PADDINGS = {"CONSTANT": 0, "REFLECT": 1, "SYMMETRIC": 2}


def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """More elements before and after along each axis. mode: CONSTANT, REFLECT or SYMMETRIC."""
    kind = _PADDINGS[_refused.one_of("pad", "mode", mode.upper(), tuple(_PADDINGS))]
    tensor = convert_to_tensor(tensor)
    if kind == 0 and not _fits_float(tensor.dtype, constant_values):
        return _padded_beside(tensor, paddings, constant_values)
    if kind == 0 and _value_shapes.is_value(paddings):
        return _value_shapes.pad(tensor, paddings, float(integers(constant_values, "it")))
    pairs = [[int(integers(one, "a padding")) for one in pair]
             for pair in integers(paddings, "paddings")]
    if any(len(pair) != 2 for pair in pairs):
        raise errors.InvalidArgumentError(None, None, f"paddings must be a pair for each axis; got {pairs}")
    return op(n.pad, tensor, pairs, kind, float(integers(constant_values, "it")))


def _fits_float(dtype, *numbers):
    """Whether a dtype's numbers, these among them, can be told as floats: no texts, no values of a run, no large int64."""
    if dtype.name == "string" or any(_value_shapes.is_value(one) for one in numbers):
        return False
    return dtype.name != "int64" or all(-2**53 < integers(one, "a value") < 2**53 for one in numbers)


def _padded_beside(tensor, paddings, value):
    """`pad` with a value of any kind: where each element comes from is padded, and 0 stands for the value."""
    from . import ops_math
    value = "" if tensor.dtype.name == "string" and isinstance(value, int) else value
    whole = concat([reshape(convert_to_tensor(value, dtype=tensor.dtype), [1]), reshape(tensor, [-1])], 0)
    places = reshape(ops_math.range(1, size(tensor) + 1), sizes_of(tensor))
    return gather(whole, pad(places, paddings))


@_takes_ragged
def tile(input, multiples, name=None):
    """Repeated multiples[i] times along axis i."""
    if _value_shapes.is_value(multiples):
        return _value_shapes.tile(convert_to_tensor(input), multiples)
    return op(n.tile, convert_to_tensor(input), [int(m) for m in integers(multiples, "multiples")])


def repeat(input, repeats, axis=None, name=None):
    """Each element repeated; along `axis`, or of the flat tensor."""
    input = convert_to_tensor(input)
    if axis is None:
        input, axis = op(n.reshape, input, [-1]), 0
    axis = _axis_of(axis, input._rank)
    size = input._shape[axis]
    if size is None or _value_shapes.is_value(repeats):
        return _value_shapes.repeat(input, repeats, axis)
    counts = integers(repeats, "repeats")
    counts = counts if isinstance(counts, (list, tuple)) else [counts]
    if hasattr(counts, "tolist"):
        counts = counts.tolist()
    if len(counts) == 1:
        counts = list(counts) * size
    if any(count < 0 for count in counts):
        raise errors.InvalidArgumentError(None, None, f"[repeat] repeats must not be negative; got {min(counts)}")
    rows = max(1, (input.shape.num_elements() or 0) // max(size, 1))
    _memory.require(sum(counts), 4 + rows * max(1, input.dtype.size), "repeat")
    places = [place for place, count in enumerate(counts) for _ in builtin_range(count)]
    return op(n.gather, input, from_python(places, int32), axis, 0)


@_takes_ragged
def reverse(tensor, axis, name=None):
    """Backwards along the axes."""
    axes = integers(axis, "an axis")
    return op(n.reverse, convert_to_tensor(tensor), [axes] if isinstance(axes, int) else list(axes))


def roll(input, shift, axis, name=None):
    """Elements moved on by `shift`, those beyond the end to the front."""
    input = convert_to_tensor(input)
    shifts, axes = ([one] if not isinstance(one, (list, tuple)) else one for one in (
        shift if _value_shapes.is_value(shift) else integers(shift, "a shift"), integers(axis, "an axis")))
    for by, along in zip(shifts, axes):
        along = _axis_of(int(along), input._rank)
        size = input._shape[along]
        if size is None or _value_shapes.is_value(by):
            input = _value_shapes.roll(input, by, along)
            continue
        by = int(integers(by, "a shift"))
        order = [(i - by) % size for i in builtin_range(size)]
        input = op(n.gather, input, from_python(order, int32), along, 0)
    return input


def broadcast_to(input, shape, name=None):
    """Repeated to a shape."""
    if _value_shapes.is_value(shape):
        return _value_shapes.broadcast(convert_to_tensor(input), shape)
    return op(n.broadcast_to, convert_to_tensor(input), static_shape(shape))


def broadcast_static_shape(shape_x, shape_y):
    import numpy
    return TensorShape(numpy.broadcast_shapes(tuple(TensorShape(shape_x)), tuple(TensorShape(shape_y))))


def meshgrid(*args, indexing="xy", name="meshgrid"):
    """Grids of the coordinates of vectors. indexing: "xy" or "ij". Raises: ValueError for another."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    vectors = [op(n.reshape, convert_to_tensor(one), [-1]) for one in args]
    count = len(vectors)
    shape = [sizes_of(one)[0] for one in vectors]
    grids = []
    for place, one in enumerate(vectors):
        sizes = [1] * count
        sizes[place] = -1
        grids.append(broadcast_to(op(n.reshape, one, sizes), shape))
    if indexing == "xy" and count > 1:
        order = [1, 0] + list(builtin_range(2, count))
        grids = [op(n.transpose, one, order) for one in grids]
    return grids


@_takes_ragged
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """The elements along `axis` that `indices` name. Raises: InvalidArgumentError outside."""
    params = convert_to_tensor(params)
    axis = batch_dims if axis is None else int(integers(axis, "an axis"))
    return op(n.gather, params, convert_to_tensor(indices), axis, batch_dims)


@_takes_ragged
def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """The slices at whole places, each in its own element of the first `batch_dims` axes.

    Args: bad_indices_policy: "IGNORE" gives zeros for places outside.
    Raises: InvalidArgumentError for places outside; ValueError for more batch axes than there are."""
    from . import _indexing
    params, indices, batch_dims = convert_to_tensor(params), convert_to_tensor(indices), int(batch_dims)

    def take(whole, places):
        if batch_dims:
            return _indexing.gather_nd_in_batches(whole, places, batch_dims)
        return op(n.gather_nd, whole, places)
    if not _indexing.is_ignoring(bad_indices_policy):
        return take(params, indices)
    return _indexing.gather_nd_inside(params, indices, take, batch_dims)


def scatter_nd(indices, updates, shape, name=None):
    """Zeros to which `updates` are added at places."""
    if _value_shapes.is_value(shape):
        updates = convert_to_tensor(updates)
        return tensor_scatter_nd_add(zeros(shape, updates.dtype), indices, updates)
    return op(n.scatter_nd, convert_to_tensor(indices), convert_to_tensor(updates),
              static_shape(shape))


def tensor_scatter_nd_update(tensor, indices, updates, name=None):
    """`tensor` in which `updates` replace the slices at places."""
    tensor = convert_to_tensor(tensor)
    return op(n.tensor_scatter_update, tensor, convert_to_tensor(indices),
              convert_to_tensor(updates, dtype_hint=tensor.dtype))


def tensor_scatter_nd_add(tensor, indices, updates, name=None):
    """The same, adding."""
    tensor = convert_to_tensor(tensor)
    return op(n.tensor_scatter_add, tensor, convert_to_tensor(indices),
              convert_to_tensor(updates, dtype_hint=tensor.dtype))


def tensor_scatter_nd_sub(tensor, indices, updates, name=None):
    """The same, subtracting."""
    tensor = convert_to_tensor(tensor)
    return op(n.tensor_scatter_add, tensor, convert_to_tensor(indices),
              -convert_to_tensor(updates, dtype_hint=tensor.dtype))


@_takes_ragged
def where(condition, x=None, y=None, name=None):
    """x where the condition holds, else y; alone, the places where it holds."""
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    condition = convert_to_tensor(condition)
    if x is None:
        return op(n.where_true, condition)
    return op(n.where, condition, x, y)


def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """The elements whose mark is true."""
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
    axis = int(integers(axis or 0, "an axis")) % (tensor._rank or 1)
    if axis:
        sizes = sizes_of(tensor)
        flat = [-1] + sizes[axis + mask._rank:]
        tensor = reshape(tensor, sizes[:axis] + flat) if mask._rank > 1 else tensor
        mask = reshape(mask, [-1])
        order = [axis] + [one for one in builtin_range(tensor._rank) if one != axis]
        back = [order.index(one) for one in builtin_range(tensor._rank)]
        return op(n.transpose, op(n.boolean_mask, op(n.transpose, tensor, order), mask), back)
    return op(n.boolean_mask, tensor, mask)


Unique = collections.namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = collections.namedtuple("UniqueWithCounts", ["y", "idx", "count"])


def _product(sizes):
    made = 1
    for size in sizes:
        made *= size
    return made


def _scattered(tensor, indices, updates, largest):
    from . import math as more, ops_math
    tensor, indices = convert_to_tensor(tensor), _require_rank(ops_math.cast(convert_to_tensor(indices), "int32"), 1, "indices")
    updates = convert_to_tensor(updates, dtype=tensor.dtype)
    sizes, axes = list(tensor._shape), indices._shape[-1]
    strides = [_product(sizes[i + 1:axes]) for i in range(axes)]
    places = ops_math.reduce_sum(indices * strides, axis=-1)
    rows = _product(sizes[:axes])
    own = reshape(updates, [-1, *sizes[axes:]])
    segment = more.unsorted_segment_max if largest else more.unsorted_segment_min
    best = reshape(segment(own, reshape(places, [-1]), rows), sizes)
    return (ops_math.maximum if largest else ops_math.minimum)(tensor, best)


def tensor_scatter_nd_max(tensor, indices, updates, name=None):
    """The tensor, and where there are updates the largest of them and of what was there."""
    return _scattered(tensor, indices, updates, True)


def tensor_scatter_nd_min(tensor, indices, updates, name=None):
    """The tensor, and where there are updates the smallest of them and of what was there."""
    return _scattered(tensor, indices, updates, False)


def unique(x, out_idx=int32, name=None):
    """(the different values in the order of their first occurrence, which one each element is)."""
    x = convert_to_tensor(x)
    if x._dtype == 7:
        return Unique(*_unique_texts(x, out_idx)[:2])
    made = op(n.unique, x)
    return Unique(made[0], _as(made[1], out_idx))


def _unique_texts(x, out_idx):
    """(values, which one each is, how often each occurs) of texts."""
    import collections
    texts = x._strings()
    counts = collections.Counter(texts)
    places = {one: place for place, one in enumerate(counts)}
    return (n.from_strings(list(counts), [len(counts)]), convert_to_tensor([places[one] for one in texts], dtype=out_idx),
            convert_to_tensor(list(counts.values()), dtype=out_idx))


def unique_with_counts(x, out_idx=int32, name=None):
    """(values, which one each element is, how often each occurs)."""
    x = convert_to_tensor(x)
    if x._dtype == 7:
        return UniqueWithCounts(*_unique_texts(x, out_idx))
    values, places = op(n.unique, x)
    counts = op(n.unsorted_segment_sum, n.ones_like(places), places, values._shape[0])
    return UniqueWithCounts(values, _as(places, out_idx), _as(counts, out_idx))


def _of_one_hot(on_value, off_value, dtype):
    """(dtype, the two values as they are) of `one_hot`. Raises: TypeError for dtypes that differ."""
    kinds = [None if one is None else convert_to_tensor(one, dtype_hint=dtype).dtype for one in (on_value, off_value)]
    if None not in kinds and kinds[0] != kinds[1]:
        raise TypeError(f"dtype {kinds[0]!r} of on_value does not match dtype {kinds[1]!r} of off_value")
    kind = kinds[0] or kinds[1]
    if dtype is not None and kind is not None and as_dtype(dtype) != kind:
        raise TypeError(f"dtype {kind!r} of {'on_value' if kinds[0] else 'off_value'} does not match dtype parameter "
                        f"{as_dtype(dtype)!r}")
    return as_dtype(dtype or kind or float32), 1 if on_value is None else on_value, 0 if off_value is None else off_value


def _whole_indices(indices):
    """NumPy's arrays of other numbers as int64, the default type of the op's indices, as TensorFlow converts them."""
    import numpy
    is_other = isinstance(indices, (numpy.ndarray, numpy.generic)) and indices.dtype.kind in "fb"
    return indices.astype("int64") if is_other else indices


@_takes_ragged
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """`on_value` where an index equals the place along a new axis, else `off_value`; of their dtype.

    Raises: TypeError for values of two dtypes, or of another one than `dtype`."""
    indices = convert_to_tensor(_whole_indices(indices))
    dtype, on, off = _of_one_hot(on_value, off_value, dtype)
    if not _fits_float(dtype, on, off):
        met = one_hot(indices, depth, axis=axis, dtype="bool")
        return where(met, *[convert_to_tensor(one, dtype=dtype) for one in (on, off)])
    on, off = [float(integers(one, "a value")) for one in (on, off)]
    if _value_shapes.is_value(depth):
        return _value_shapes.one_hot(indices, depth, on, off, axis, dtype)
    return op(n.one_hot, indices, int(integers(depth, "depth")), on, off, -1 if axis is None else axis, dtype)


def shape(input, out_type=None, name=None):
    """The sizes of the axes, as a tensor."""
    input, dtype = convert_to_tensor(input), as_dtype(out_type or int32)
    at_run = open_shape(input, dtype)
    return op(n.shape_of, input, dtype) if at_run is None else at_run


def sizes_of(input, axes=None):
    """The sizes of some axes, or of all: numbers, and scalars where only a run knows them."""
    sizes = input._shape
    return [sizes[axis] if sizes[axis] is not None else shape(input)[axis]
            for axis in (builtin_range(len(sizes)) if axes is None else axes)]


def shape_n(input, out_type=int32, name=None):
    return [shape(one, out_type) for one in input]


@_takes_ragged
def size(input, out_type=None, name=None):
    """The number of elements, as a tensor."""
    return op(n.size_of, in_one_row(convert_to_tensor(input)), as_dtype(out_type or int32))


@_takes_ragged
def rank(input, name=None):
    """The number of axes, as a tensor."""
    input = convert_to_tensor(input)
    at_run = open_shape(input, int32) if input._ranked else shape(input)
    return n.to_tensor(input._rank) if at_run is None else op(n.size_of, at_run, int32)


def sort(values, axis=-1, direction="ASCENDING", name=None):
    """The elements along `axis` in order. direction: ASCENDING or DESCENDING."""
    return op(n.sort, convert_to_tensor(values), axis, _falls(direction))


def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """The places from which `sort` takes."""
    return op(n.argsort, convert_to_tensor(values), axis, _falls(direction))


def _falls(direction):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError("Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. "
                         f"Received: direction={direction}")
    return direction == "DESCENDING"


TopKV2 = collections.namedtuple("TopKV2", ["values", "indices"])


def top_k(input, k=1, sorted=True, index_type=int32, name=None):
    """The k largest elements along the last axis, and their places."""
    if _value_shapes.is_value(k):
        values, places = _value_shapes.top_k(convert_to_tensor(input), k)
    else:
        values, places = op(n.top_k, convert_to_tensor(input), int(integers(k, "k")))
    return TopKV2(values, _as(places, index_type))


def searchsorted(sorted_sequence, values, side="left", out_type=int32, name=None):
    """How many elements of a rising row are below each value (right: or equal to it). Raises: ValueError for another side."""
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    rows = convert_to_tensor(sorted_sequence)
    found = op(n.searchsorted, rows, convert_to_tensor(values, dtype_hint=rows.dtype), side == "right")
    return _as(found, out_type)


def sequence_mask(lengths, maxlen=None, dtype="bool", name=None):
    """True for the first lengths[i] places of row i."""
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        maxlen = op(n.reduce_max, lengths, None, False)
    if _value_shapes.is_value(maxlen):
        places = _value_shapes.arange(0, maxlen, 1, lengths.dtype)
    else:
        places = op(n.cast, op(n.range, 0, int(integers(maxlen, "maxlen")), 1), lengths.dtype)
    return _as(op(n.less, places, op(n.expand_dims, lengths, -1)), dtype)


def band_part(input, num_lower, num_upper, name=None):
    """Matrices with zeros outside of a band."""
    return op(n.matrix_band_part, convert_to_tensor(input), int(num_lower), int(num_upper))


def _on_diagonal(size_):
    """Where the diagonal of a square matrix is, bool."""
    return eye(size_, dtype="bool")


def diag(diagonal, name=None):
    """A matrix with this diagonal."""
    diagonal = _require_rank(convert_to_tensor(diagonal), 1, "diagonal")
    size_, = sizes_of(diagonal, [-1])
    whole = op(n.expand_dims, diagonal, -1)
    return where(_on_diagonal(size_), whole, zeros_like(whole))


def diag_part(input, name=None):
    """The diagonal of matrices."""
    input = _require_rank(convert_to_tensor(input), 2, "input")
    rows, columns = input._shape[-2:]
    size_ = rows
    if rows is None or rows != columns:
        if rows is None or columns is None:
            sizes = shape(input)
            size_ = op(n.minimum, sizes[-2], sizes[-1])
        else:
            size_ = min(rows, columns)
        input = input[..., :size_, :size_]
    kept = where(_on_diagonal(size_), input, zeros_like(input))
    return op(n.reduce_any if input._dtype == 10 else n.reduce_sum, kept, [-1], False)


def trace(x, name=None):
    """The sum of the diagonal."""
    return op(n.reduce_sum, diag_part(x), [-1], False)


def is_symbolic_tensor(x):
    return isinstance(x, Tensor) and x._symbolic


_ = (nest, get_item)


_BYTES_OF_TENSOR = 4096  # what a tensor costs beside its elements, at most


def dynamic_partition(data, partitions, num_partitions, name=None):
    """The rows with partition 0, those with 1, ..., each as a tensor. In traced functions their numbers are
    not known. Raises: InvalidArgumentError for a partition that is known and not there."""
    data, partitions, count = convert_to_tensor(data), convert_to_tensor(partitions), int(num_partitions)
    if count < 1:
        raise errors.InvalidArgumentError(None, None, f"num_partitions must be at least 1; got {count}")
    _memory.require(count, _BYTES_OF_TENSOR, "dynamic_partition")
    known = n.static_value(partitions)
    if known is not None:
        for place, one in enumerate(known.numpy().reshape(-1).tolist()):
            if not 0 <= one < count:
                raise errors.InvalidArgumentError(None, None, f"partitions[{place}] = {one} is not in [0, {count})")
    return [boolean_mask(data, op(n.equal, partitions, i)) for i in builtin_range(count)]


def dynamic_stitch(indices, data, name=None):
    """The rows of `data[k]` at the places `indices[k]`, the last one where places meet. Eager."""
    places = concat([reshape(one, [-1]) for one in indices], 0)
    rows = []
    for place, one in zip(indices, data):
        place, one = convert_to_tensor(place), convert_to_tensor(one)
        rows.append(reshape(one, [-1] + list(one._shape[place._rank:])))
    rows = concat(rows, 0)
    size = int(places.numpy().max(initial=-1)) + 1
    base = zeros([size] + list(rows._shape[1:]), rows.dtype)
    return tensor_scatter_nd_update(base, expand_dims(places, -1), rows)


parallel_stack = stack


def unravel_index(indices, dims, name=None):
    """Flat places as one row of places for each axis."""
    import numpy
    dims = static_shape(dims)
    made = numpy.stack(numpy.unravel_index(convert_to_tensor(indices).numpy(), dims))
    return convert_to_tensor(made.astype("int32"))


def bitcast(input, type, name=None):
    """The same bytes as another dtype, by the host in graphs. Shapes: an axis more behind for a smaller dtype, one less for a
    wider one."""
    import numpy
    input = convert_to_tensor(input)
    if input._symbolic:
        from ._host_calls import _on_host
        own, wanted, shape = input.dtype.size, as_dtype(type).size, list(input._shape)
        shape = shape[:-1] if own < wanted else shape + [own // wanted] if own > wanted else shape
        return _on_host(lambda one: bitcast(one, type), [input], shape, as_dtype(type))
    array = numpy.asarray(input.numpy(), order="C")
    kind = numpy.dtype(as_dtype(type).as_numpy_dtype)
    if kind.itemsize == array.dtype.itemsize:
        return convert_to_tensor(array.reshape(-1).view(kind).reshape(array.shape))
    if kind.itemsize > array.dtype.itemsize:
        return convert_to_tensor(array.view(kind).reshape(array.shape[:-1]))
    made = array.view(kind)
    if kind.itemsize < array.dtype.itemsize:
        made = made.reshape(array.shape + (array.dtype.itemsize // kind.itemsize,))
    return convert_to_tensor(made)


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype="int32", name=None):
    """The bin of each element among `nbins` of equal width; what is outside is in the first and the last."""
    from . import ops_math
    values = convert_to_tensor(values)
    low, high = [ops_math.cast(convert_to_tensor(one), values.dtype) for one in (value_range[0], value_range[1])]
    place = ops_math.floor((values - low) / (high - low) * float(nbins))
    return ops_math.cast(ops_math.clip_by_value(place, 0.0, float(nbins - 1)), dtype)


def histogram_fixed_width(values, value_range, nbins=100, dtype="int32", name=None):
    """How many elements lie in each of `nbins` bins of one width; the first and the last take the rest."""
    import numpy
    _memory.require(int(nbins), 8, "histogram_fixed_width")
    low, high = (float(one) for one in convert_to_tensor(value_range).numpy())
    flat = convert_to_tensor(values).numpy().reshape(-1)
    bins = numpy.clip(numpy.floor((flat - low) / (high - low) * nbins), 0, nbins - 1).astype("int64")
    return convert_to_tensor(numpy.bincount(bins, minlength=nbins).astype(as_dtype(dtype).as_numpy_dtype))


def broadcast_dynamic_shape(shape_x, shape_y, name=None):
    """The shape of a result of two shapes. Raises: InvalidArgumentError where they do not fit."""
    return constant(broadcast_static_shape(static_shape(shape_x), static_shape(shape_y)).as_list(), "int32")


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None):
    """The first `seq_lengths[i]` steps along `seq_axis` in the other order, where i counts along `batch_axis` (0).

    Raises: InvalidArgumentError for lengths that no row has."""
    from ._indexing import reverse_sequence as reverse_rows
    input = convert_to_tensor(input)
    axes = [_axis_of(int(axis or 0), input._rank) for axis in (seq_axis, batch_axis)]
    return reverse_rows(input, convert_to_tensor(seq_lengths), *axes)


_op_names.name_all(globals(), __name__)
