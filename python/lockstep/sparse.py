"""Tensors of which only some elements are kept: `tf.sparse`. The values are a tensor, so gradients flow
through them; the places must be known when a function is traced."""

from . import _native, ops_array, ops_math
from ._dtypes import TensorShape, as_dtype, int64
from ._tensor import Tensor, convert_to_tensor, integers


class SparseTensor:
    """`values[i]` at the place `indices[i]` of a tensor of `dense_shape`; elsewhere zeros.

    Shapes: indices [n, rank] int64; values [n]; dense_shape [rank] int64."""

    def __init__(self, indices, values, dense_shape):
        self.indices = _native.cast(convert_to_tensor(indices, dtype_hint=int64), int64)
        if self.indices._rank == 1:  # of nothing
            self.indices = ops_array.reshape(self.indices, [0, len(integers(dense_shape, "a shape"))])
        self.values = convert_to_tensor(values)
        self.dense_shape = _native.cast(convert_to_tensor(dense_shape, dtype_hint=int64), int64)
        if self.indices._shape[0] != self.values._shape[0]:
            raise ValueError(f"Dimensions {self.indices._shape[0]} and {self.values._shape[0]} are not compatible")

    dtype = property(lambda self: self.values.dtype)
    shape = property(lambda self: TensorShape(integers(self.dense_shape, "a shape")))
    rank = property(lambda self: self.shape.rank)

    def get_shape(self):
        return self.shape

    def with_values(self, new_values):
        return SparseTensor(self.indices, new_values, self.dense_shape)

    @classmethod
    def from_value(cls, value):
        return cls(value.indices, value.values, value.dense_shape)

    def __repr__(self):
        return (f"SparseTensor(indices={self.indices!s}, values={self.values!s}, "
                f"dense_shape={self.dense_shape!s})")

    def __tensor__(self):
        raise TypeError(f"Failed to convert a SparseTensor to a Tensor: {self!r}. Consider "
                        "tf.sparse.to_dense.")

    def __neg__(self):
        return self.with_values(-self.values)

    def __mul__(self, other):
        return self.with_values(self.values * _at(self, other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.with_values(self.values / _at(self, other))


def _at(sparse, dense):
    """The elements of a dense tensor at the places of a sparse one."""
    dense = convert_to_tensor(dense, dtype_hint=sparse.dtype)
    if dense._rank == 0:
        return dense
    whole = ops_array.broadcast_to(dense, sparse.shape.as_list())
    return ops_array.gather_nd(whole, sparse.indices)


def _flat(sparse):
    """The places as single numbers, row-major."""
    import numpy
    places = sparse.indices.numpy()
    return numpy.ravel_multi_index(tuple(places.T), tuple(sparse.shape)) if len(places) else \
        numpy.zeros([0], "int64")


def from_dense(tensor, name=None):
    """The elements that are not zero."""
    tensor = convert_to_tensor(tensor)
    if tensor._dtype == 7:
        places = ops_array.where(convert_to_tensor(tensor.numpy() != b""))
    else:
        places = ops_array.where(ops_math.not_equal(tensor, ops_array.zeros_like(tensor)))
    return SparseTensor(places, ops_array.gather_nd(tensor, places), list(tensor._shape))


def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The whole tensor. Raises: InvalidArgumentError for places out of order, or twice."""
    from .errors import InvalidArgumentError
    if isinstance(sp_input, Tensor):  # a feature of any length, which is a vector here
        return sp_input
    if validate_indices and not sp_input.indices._symbolic:
        flat = _flat(sp_input)
        for i in range(1, len(flat)):
            if flat[i] <= flat[i - 1]:
                wrong = "repeated" if flat[i] == flat[i - 1] else "out of order"
                raise InvalidArgumentError(None, None, f"indices[{i}] = {sp_input.indices.numpy()[i].tolist()} is "
                                           f"{wrong}. Many sparse ops require sorted indices. Use "
                                           "`tf.sparse.reorder` to create a correctly ordered copy.")
    shape = sp_input.shape.as_list()
    if sp_input.values._dtype == 7:
        import numpy
        made = numpy.full(shape, default_value or b"", dtype=object)
        for place, value in zip(sp_input.indices.numpy(), sp_input.values.numpy()):
            made[tuple(place)] = value
        return convert_to_tensor(made)
    if default_value in (None, 0):
        return ops_array.scatter_nd(sp_input.indices, sp_input.values, shape)
    base = ops_array.fill(shape, convert_to_tensor(default_value, dtype=sp_input.dtype))
    return ops_array.tensor_scatter_nd_update(base, sp_input.indices, sp_input.values)


def reorder(sp_input, name=None):
    """The same with its places in row-major order."""
    import numpy
    order = numpy.argsort(_flat(sp_input), kind="stable").astype("int32")
    return SparseTensor(ops_array.gather(sp_input.indices, order), ops_array.gather(sp_input.values, order),
                        sp_input.dense_shape)


def reshape(sp_input, shape, name=None):
    """The same elements in another shape."""
    import numpy
    shape = list(integers(shape, "a shape")) if isinstance(shape, Tensor) else list(shape)
    total = sp_input.shape.num_elements()
    if -1 in shape:
        known = -int(numpy.prod(shape))
        shape[shape.index(-1)] = total // known if known else 0
    places = numpy.stack(numpy.unravel_index(_flat(sp_input), shape), axis=1)
    return SparseTensor(places.astype("int64"), sp_input.values, shape)


def transpose(sp_input, perm=None, name=None):
    """The axes in another order."""
    perm = list(reversed(range(sp_input.rank))) if perm is None else list(perm)
    return reorder(SparseTensor(ops_array.gather(sp_input.indices, perm, axis=1), sp_input.values,
                                [sp_input.shape[i] for i in perm]))


def add(a, b, threshold=0):
    """The sum of two sparse tensors, or of a sparse and a dense one."""
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(b, SparseTensor):
        return ops_array.tensor_scatter_nd_add(convert_to_tensor(b, dtype=a.dtype), a.indices, a.values)
    import numpy
    both = numpy.concatenate([_flat(a), _flat(b)])
    places, groups = numpy.unique(both, return_inverse=True)
    values = ops_math.unsorted_segment_sum(ops_array.concat([a.values, b.values], 0),
                                           groups.astype("int32"), len(places))
    made = numpy.stack(numpy.unravel_index(places, tuple(a.shape)), axis=1)
    return SparseTensor(made.astype("int64"), values, a.dense_shape)


def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """A matrix product. Shapes: a [m, k] (or [k, m] adjoint), b [k, n]; result [m, n]."""
    if not isinstance(sp_a, SparseTensor):  # dense times sparse
        return ops_array.transpose(sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a))
    b = convert_to_tensor(b, dtype_hint=sp_a.dtype)
    b = ops_array.transpose(b) if adjoint_b else b
    rows, columns = (1, 0) if adjoint_a else (0, 1)
    picked = ops_array.gather(b, sp_a.indices[:, columns]) * ops_array.expand_dims(sp_a.values, -1)
    return ops_math.unsorted_segment_sum(picked, sp_a.indices[:, rows], sp_a.shape[rows])


def _fold(function):
    def reduce(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
        """Over the elements that are kept; zeros where there are none."""
        import numpy
        rank = sp_input.rank
        axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
        axes = [one % rank for one in axes]
        kept = [i for i in range(rank) if i not in axes]
        shape = [sp_input.shape[i] for i in kept]
        places = sp_input.indices.numpy()[:, kept]
        groups = numpy.ravel_multi_index(tuple(places.T), shape) if kept else numpy.zeros(len(places), "int64")
        made = function(sp_input.values, groups.astype("int32"), int(numpy.prod(shape)))
        whole = [1 if i in axes else sp_input.shape[i] for i in range(rank)] if keepdims else shape
        made = ops_array.reshape(made, [int(one) for one in whole])
        return from_dense(made) if output_is_sparse else made
    return reduce


def _segment_max(values, groups, count):
    from . import math
    made = math.unsorted_segment_max(values, groups, count)
    there = ops_math.unsorted_segment_sum(ops_array.ones_like(values), groups, count)
    return ops_array.where(there > 0, made, ops_array.zeros_like(made))


reduce_sum = _fold(ops_math.unsorted_segment_sum)
reduce_max = _fold(_segment_max)


def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    """Sparse tensors one after another."""
    import numpy
    rank = sp_inputs[0].rank
    axis %= rank
    places, before = [], 0
    for one in sp_inputs:
        moved = one.indices.numpy().copy()
        moved[:, axis] += before
        before += one.shape[axis]
        places.append(moved)
    shape = [before if i == axis else max(one.shape[i] for one in sp_inputs) for i in range(rank)]
    return reorder(SparseTensor(numpy.concatenate(places), ops_array.concat([one.values for one in sp_inputs], 0),
                                shape))


def slice(sp_input, start, size, name=None):
    """A part."""
    import numpy
    places, start = sp_input.indices.numpy(), numpy.asarray(start)
    size = numpy.minimum(numpy.asarray(size), numpy.asarray(list(sp_input.shape)) - start)
    kept = numpy.nonzero(((places >= start) & (places < start + size)).all(1))[0].astype("int32")
    return SparseTensor(places[kept] - start, ops_array.gather(sp_input.values, kept), size)


def expand_dims(sp_input, axis=None, name=None):
    """One axis of size 1 more."""
    shape = sp_input.shape.as_list()
    axis = -1 if axis is None else axis
    place = axis if axis >= 0 else len(shape) + 1 + axis
    return reshape(sp_input, shape[:place] + [1] + shape[place:])


def retain(sp_input, to_retain):
    """The elements where `to_retain` is true."""
    import numpy
    kept = numpy.nonzero(convert_to_tensor(to_retain).numpy())[0].astype("int32")
    return SparseTensor(ops_array.gather(sp_input.indices, kept), ops_array.gather(sp_input.values, kept),
                        sp_input.dense_shape)


def fill_empty_rows(sp_input, default_value, name=None):
    """(the same with `default_value` in each row that has no element, which rows these were)"""
    import numpy
    rows = set(sp_input.indices.numpy()[:, 0].tolist())
    empty = [i for i in range(sp_input.shape[0]) if i not in rows]
    more = numpy.zeros((len(empty), sp_input.rank), "int64")
    more[:, 0] = empty
    values = ops_array.concat([sp_input.values, ops_array.fill([len(empty)], convert_to_tensor(
        default_value, dtype=sp_input.dtype))], 0)
    made = reorder(SparseTensor(numpy.concatenate([sp_input.indices.numpy(), more]), values, sp_input.dense_shape))
    return made, convert_to_tensor([i in empty for i in range(sp_input.shape[0])])


def eye(num_rows, num_columns=None, dtype="float32", name=None):
    """Ones on the diagonal."""
    count = min(num_rows, num_columns or num_rows)
    return SparseTensor([[i, i] for i in range(count)], ops_array.ones([count], as_dtype(dtype)),
                        [num_rows, num_columns or num_rows])


def softmax(sp_input, name=None):
    """Along the last axis, over the elements that are kept."""
    import numpy
    from . import math
    places = sp_input.indices.numpy()[:, :-1]
    _, groups = numpy.unique(places, axis=0, return_inverse=True)
    groups = groups.reshape(-1).astype("int32")
    count = int(groups.max()) + 1 if len(groups) else 0
    most = ops_array.gather(math.unsorted_segment_max(sp_input.values, groups, count), groups)
    values = ops_math.exp(sp_input.values - most)
    return sp_input.with_values(values / ops_array.gather(
        ops_math.unsorted_segment_sum(values, groups, count), groups))


def map_values(op, *args, **kwargs):
    """`op` of the values."""
    first = next(one for one in args if isinstance(one, SparseTensor))
    return first.with_values(op(*[one.values if isinstance(one, SparseTensor) else one for one in args], **kwargs))
