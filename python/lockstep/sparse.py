"""Tensors of which only some elements are kept: `tf.sparse`. The values are a tensor, so gradients flow
through them. What becomes of the places is computed in Python, also where a traced function runs."""

from . import _memory, _native, ops_array, ops_math
from ._axes import axis_of as _axis_of, require_rank as _require_rank
from ._composites import Parts
from ._dtypes import TensorShape, as_dtype, int64
from ._function import TensorSpec
from ._tensor import Tensor, convert_to_tensor, integers, is_tensor as is_plain


class SparseTensor:
    """`values[i]` at the place `indices[i]` of a tensor of `dense_shape`; elsewhere zeros.

    Shapes: indices [n, rank] int64; values [n]; dense_shape [rank] int64."""

    def __init__(self, indices, values, dense_shape):
        self.indices = _native.cast(convert_to_tensor(indices, dtype_hint=int64), int64)
        self.dense_shape = _native.cast(convert_to_tensor(dense_shape, dtype_hint=int64), int64)
        if self.indices._rank == 1:  # of nothing
            self.indices = ops_array.reshape(self.indices, [0, self.dense_shape._shape[0]])
        self.values = convert_to_tensor(values)
        if not self.indices.shape[:1].is_compatible_with(self.values.shape[:1]):
            raise ValueError(f"Dimensions {self.indices._shape[0]} and {self.values._shape[0]} are not compatible")
        self._given = None

    dtype = property(lambda self: self.values.dtype)
    rank = property(lambda self: self.shape.rank)

    @property
    def shape(self):
        """As far as it is known, while a function is traced."""
        known = _native.static_value(self.dense_shape)
        sizes = [None] * self.dense_shape._shape[0] if known is None else known.numpy().tolist()
        given = self._given or sizes
        return TensorShape([own if size is None else size for size, own in zip(sizes, given)])

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        """What is known of the shape of a traced tensor beside what was known."""
        self._given = self.shape.merge_with(TensorShape(shape)).as_list()

    def with_values(self, new_values):
        made = SparseTensor(self.indices, new_values, self.dense_shape)
        made._given = self._given
        return made

    @classmethod
    def from_value(cls, value):
        return cls(value.indices, value.values, value.dense_shape)

    def _parts(self):
        return SparseParts(self.indices, self.values, self.dense_shape)

    def _key_parts(self):
        """The parts as arguments of a function, whose trace is one for a shape."""
        known = _native.static_value(self.dense_shape)
        return SparseParts(self.indices, self.values, self.dense_shape if known is None else known.numpy().tolist())

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


def rows_between(value, begin, end):
    """The rows [begin, end) of a sparse tensor. Eager."""
    import numpy
    places = value.indices.numpy()
    kept = numpy.flatnonzero((places[:, 0] >= begin) & (places[:, 0] < end))
    places = places[kept]
    places[:, 0] -= begin
    return SparseTensor(places, ops_array.gather(value.values, kept), [end - begin] + value.dense_shape.numpy().tolist()[1:])


def rows_of(value):
    """The rows of a sparse tensor, as sparse tensors. Eager."""
    _require_sparse(value)
    return [one.whole() for one in value._parts().rows()]


class SparseTensorSpec:
    """The shape and dtype of a sparse tensor that is to come."""

    def __init__(self, shape=None, dtype="float32"):
        self.shape, self.dtype = TensorShape(shape), as_dtype(dtype)

    def _parts(self):
        return SparseParts(TensorSpec([None, self.shape.rank], int64), TensorSpec([None], self.dtype),
                           TensorSpec([self.shape.rank], int64))

    def is_compatible_with(self, other):
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other):
        return isinstance(other, SparseTensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, int(self.dtype)))

    def __repr__(self):
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"


class SparseParts(Parts):
    """Places, values and shape."""

    def whole(self):
        return self if isinstance(self[0], TensorSpec) else SparseTensor(*self)

    def spec(self):
        return SparseTensorSpec([None] * self[2].shape[0], self[1].dtype)

    def general(self):
        """The parts' specs for any such tensor."""
        return SparseTensorSpec([None] * self[2]._shape[0], self[1].dtype)._parts()

    def of_other_rows(self):
        return SparseParts(*super().of_other_rows()[:2], self[2])

    def open_rows(self):
        return [True, True] + super().open_rows()[2:]

    def plain(self):
        return to_dense(self.whole(), validate_indices=False).numpy()

    @classmethod
    def stacked(cls, rows):
        """The parts of a batch of such tensors."""
        import numpy
        places = [one[0].numpy() for one in rows]
        numbers = numpy.repeat(numpy.arange(len(rows)), [len(one) for one in places])
        indices = numpy.concatenate([numbers[:, None], numpy.concatenate(places)], axis=1)
        sizes = [len(rows)] + numpy.max([one[2].numpy() for one in rows], axis=0).tolist()
        return cls(convert_to_tensor(indices), ops_array.concat([one[1] for one in rows], 0),
                   convert_to_tensor(sizes, dtype=int64))

    def rows(self):
        """The parts of its slices along axis 0, one after another."""
        import numpy
        order = numpy.argsort(self[0].numpy()[:, 0], kind="stable")
        places, values, shape = self[0].numpy()[order], ops_array.gather(self[1], order), self[2][1:]
        ends = numpy.searchsorted(places[:, 0], numpy.arange(int(self[2][0]) + 1)).tolist()
        for begin, end in zip(ends, ends[1:]):
            yield SparseParts(convert_to_tensor(places[begin:end, 1:]), values[begin:end], shape)

    def batch_spec(self, size):
        rank = self[2].shape[0]
        return SparseParts(TensorSpec([None, rank + 1], int64), TensorSpec([None], self[1].dtype),
                           TensorSpec([rank + 1], int64))


def _at(sparse, dense):
    """The elements of a dense tensor at the places of a sparse one."""
    dense = convert_to_tensor(dense, dtype_hint=sparse.dtype)
    if dense._rank == 0:
        return dense
    places = sparse.indices[:, sparse.rank - dense._rank:]
    sizes = ops_array.shape(dense, out_type=int64)
    return ops_array.gather_nd(dense, places * _native.cast(sizes > 1, int64))


def _planned(inputs, rank, plan, more=()):
    """What `plan` makes of tensors as arrays: (places [n, rank], which of the values these have, the shape), when
    the graph runs. more: dtypes of further results, which are vectors."""
    dtypes, shapes = ["int64", "int64", "int64", *more], [[-1, rank], [-1], [rank]] + [[-1]] * len(more)
    dtypes = [as_dtype(one) for one in dtypes]

    def call(tensors):
        import numpy
        results = plan(*[one.numpy() for one in tensors])
        sizes = [[len(results[0]), rank], [-1], [-1]] + [[-1]] * len(more)
        return [convert_to_tensor(numpy.asarray(one, dtype.as_numpy_dtype).reshape(size), dtype=dtype)
                for one, dtype, size in zip(results, dtypes, sizes)]
    if any(one._symbolic for one in inputs):
        return _native.host_call(call, list(inputs), dtypes, shapes)
    return call(inputs)


def _moved(sp_input, rank, plan, *more):
    """The sparse tensor of those values that `plan(places, shape, ...)` picks, at the places that it gives."""
    places, picked, shape = _planned([sp_input.indices, sp_input.dense_shape, *more], rank, plan)
    return SparseTensor(places, ops_array.gather(sp_input.values, picked), shape)


def _flat(places, shape):
    """The places as single numbers, row-major."""
    import numpy
    if not places.size:
        return numpy.zeros([len(places)], "int64")
    return numpy.ravel_multi_index(tuple(places.T), tuple(int(one) for one in shape))


def _unflat(numbers, shape):
    import numpy
    return numpy.stack(numpy.unravel_index(numbers, tuple(int(one) for one in shape)), axis=1)


def _require_sparse(value):
    """Raises: TypeError."""
    if not isinstance(value, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor; got {value!r}")
    return value


def from_dense(tensor, name=None):
    """The elements that are not zero."""
    tensor = convert_to_tensor(tensor)
    if tensor._dtype == 7:
        places = ops_array.where(ops_math.not_equal(tensor, convert_to_tensor("")))
    else:
        places = ops_array.where(ops_math.not_equal(tensor, ops_array.zeros_like(tensor)))
    return _sized(SparseTensor(places, ops_array.gather_nd(tensor, places), ops_array.shape(tensor, out_type=int64)),
                  tensor.shape)


def _sized(made, shape):
    """The same sparse tensor, of which a part of the shape is known."""
    made.set_shape(shape)
    return made


def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The whole tensor. Raises: InvalidArgumentError for places out of order, or twice."""
    _require_sparse(sp_input)
    if default_value is None:
        default_value = b"" if sp_input.values._dtype == 7 else 0
    other = convert_to_tensor(default_value, dtype=sp_input.dtype)
    if sp_input.indices._symbolic and sp_input.shape.is_fully_defined() and sp_input.values._dtype != 7:
        base = ops_array.fill(sp_input.shape.as_list(), other)  # the shape is known behind it, too
        return ops_array.tensor_scatter_nd_update(base, sp_input.indices, sp_input.values)
    made = _native.sparse_to_dense(sp_input.indices, sp_input.dense_shape, sp_input.values, other, bool(validate_indices))
    return ops_array.ensure_shape(made, sp_input.shape) if made._symbolic else made


def _ordered(places, shape):
    import numpy
    order = numpy.argsort(_flat(places, shape), kind="stable")
    return places[order], order, shape


def reorder(sp_input, name=None):
    """The same with its places in row-major order."""
    _require_sparse(sp_input)
    return _moved(sp_input, sp_input.rank, _ordered)


def reshape(sp_input, shape, name=None):
    """The same elements in another shape."""
    _require_sparse(sp_input)
    target = _require_rank(convert_to_tensor(shape, dtype_hint=int64), 1, "shape")

    def plan(places, own, wanted):
        import numpy
        wanted = [int(one) for one in wanted]
        if -1 in wanted:
            known = -int(numpy.prod(wanted))
            wanted[wanted.index(-1)] = int(numpy.prod(own)) // known if known else 0
        if numpy.prod(wanted) != numpy.prod(own):
            from .errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, f"Input to reshape is a tensor with {numpy.prod(own)} dense values, "
                                       f"but the requested shape has {numpy.prod(wanted)}")
        return _unflat(_flat(places, own), wanted), range(len(places)), wanted
    made = _moved(sp_input, target._shape[0], plan, target)
    known = _native.static_value(target)
    return made if known is None else _sized(made, _sizes_of_reshape(sp_input.shape.as_list(), known.numpy().tolist()))


def _sizes_of_reshape(own, wanted):
    """The sizes that are known of a tensor of the sizes `own` in the shape `wanted`."""
    import numpy
    known = -int(numpy.prod(wanted))
    if -1 not in wanted:
        return wanted
    size = None if None in own or not known else int(numpy.prod(own)) // known
    return [size if one == -1 else one for one in wanted]


def transpose(sp_input, perm=None, name=None):
    """The axes in another order."""
    _require_sparse(sp_input)
    perm = list(reversed(range(sp_input.rank))) if perm is None else list(integers(perm, "an order of axes"))
    if sorted(_axis_of(int(one), sp_input.rank) for one in perm) != list(range(sp_input.rank)):
        raise ValueError(f"perm must have each of {sp_input.rank} axes once; got {perm}")
    made = _moved(sp_input, sp_input.rank, lambda places, shape: _ordered(places[:, perm], shape[perm]))
    sizes = sp_input.shape.as_list()
    return _sized(made, [sizes[axis] for axis in perm])


def _united(a, b, plan_values):
    """A sparse tensor with the places of both: `plan_values(values of both, which place each has)`."""
    def plan(own, shape, other):
        import numpy
        flat = numpy.concatenate([_flat(own, shape), _flat(other, shape)])
        order = numpy.argsort(flat, kind="stable")
        united, groups = numpy.unique(flat[order], return_inverse=True)
        first = numpy.searchsorted(flat[order], united)
        return _unflat(united, shape), first, shape, order, groups.reshape(-1)
    places, _, shape, order, groups = _planned([a.indices, a.dense_shape, b.indices], a.rank, plan, ["int64", "int64"])
    return _sized(SparseTensor(places, plan_values(order, groups), shape), a.shape.merge_with(b.shape))


def _intersection(function, a, b):
    """A sparse tensor of the places that both have, with `function` of both values."""
    def plan(own, shape, other):
        import numpy
        both, left, right = numpy.intersect1d(_flat(own, shape), _flat(other, shape), return_indices=True)
        return _unflat(both, shape), left, shape, right
    places, left, shape, right = _planned([a.indices, a.dense_shape, b.indices], a.rank, plan, ["int64"])
    values = function(ops_array.gather(a.values, left), ops_array.gather(b.values, right))
    return _sized(SparseTensor(places, values, shape), a.shape.merge_with(b.shape))


def _sparse_sparse_matmul(a, b):
    """The matrix product of two sparse tensors, which is sparse. Shapes: a [m, k], b [k, n]; result [m, n]."""
    def plan(own, shape, other, other_shape):
        import numpy
        order = numpy.argsort(other[:, 0], kind="stable")
        begins, ends = (numpy.searchsorted(other[order, 0], own[:, 1], side) for side in ("left", "right"))
        left = numpy.repeat(numpy.arange(len(own)), ends - begins)
        before = numpy.cumsum(ends - begins) - (ends - begins)
        right = order[numpy.arange(len(left)) - numpy.repeat(before - begins, ends - begins)]
        sizes = numpy.array([shape[0], other_shape[1]])
        flat = own[left, 0] * sizes[1] + other[right, 1]
        sorted_ = numpy.argsort(flat, kind="stable")
        united, groups = numpy.unique(flat[sorted_], return_inverse=True)
        return _unflat(united, sizes), left[sorted_][:len(united)], sizes, left[sorted_], right[sorted_], groups.reshape(-1)
    places, _, shape, left, right, groups = _planned([a.indices, a.dense_shape, b.indices, b.dense_shape], 2, plan, ["int64"] * 3)
    products = ops_array.gather(a.values, left) * ops_array.gather(b.values, right)
    return _sized(SparseTensor(places, _native.segment_sum(products, groups), shape), [a.shape[0], b.shape[1]])


def add(a, b, threshold=0):
    """The sum of two sparse tensors, or of a sparse and a dense one. Of two sparse ones sums that are smaller than
    `threshold` in absolute value, and zeros if that is not 0, are left out."""
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(b, SparseTensor):
        return ops_array.tensor_scatter_nd_add(convert_to_tensor(b, dtype=a.dtype), a.indices, a.values)
    both = ops_array.concat([a.values, b.values], 0)
    made = _united(a, b, lambda order, groups: _native.segment_sum(ops_array.gather(both, order), groups))
    if not is_plain(threshold) and threshold == 0:
        return made
    return retain(made, ops_math.abs(made.values) >= ops_math.cast(threshold, made.dtype))


def _chosen(function, name):
    def choose(sp_a, sp_b, name=None):
        zeros = ops_array.zeros_like(sp_a.values), ops_array.zeros_like(sp_b.values)
        both = [ops_array.concat([sp_a.values, zeros[1]], 0), ops_array.concat([zeros[0], sp_b.values], 0)]
        return _united(sp_a, sp_b, lambda order, groups: function(
            *[_native.segment_sum(ops_array.gather(one, order), groups) for one in both]))
    choose.__name__ = choose.__qualname__ = name
    choose.__doc__ = f"The {name} of two sparse tensors, element by element, of places that one has at least."
    return choose


maximum = _chosen(ops_math.maximum, "maximum")
minimum = _chosen(ops_math.minimum, "minimum")


def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """A matrix product. Shapes: a [m, k] (or [k, m] adjoint), b [k, n]; result [m, n]."""
    if not isinstance(sp_a, SparseTensor):  # dense times sparse
        _require_sparse(b)
        return ops_array.transpose(sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a))
    b = convert_to_tensor(b, dtype_hint=sp_a.dtype)
    b = ops_array.transpose(b) if adjoint_b else b
    rows, columns = (1, 0) if adjoint_a else (0, 1)
    if sp_a.shape[rows] is None:
        return ops_math.matmul(to_dense(sp_a, validate_indices=False), b, transpose_a=adjoint_a)
    picked = ops_array.gather(b, sp_a.indices[:, columns]) * ops_array.expand_dims(sp_a.values, -1)
    return ops_math.unsorted_segment_sum(picked, sp_a.indices[:, rows], sp_a.shape[rows])


def _highest(groups, values):
    """The numbers of the largest value of each group, in the order of groups."""
    import numpy
    order = numpy.lexsort((values, groups))
    return order[numpy.flatnonzero(numpy.diff(groups[order], append=-1))]


def _group(axes, keepdims):
    """A function of places and a shape: (a place for each group of those that differ along `axes` alone, the number of
    its group for each place, the shape of the groups)."""
    def group(places, shape):
        import numpy
        kept = [i for i in range(len(shape)) if i not in axes]
        united, groups = numpy.unique(_flat(places[:, kept], shape[kept]), return_inverse=True)
        made = _unflat(united, shape[kept]) if kept else numpy.zeros([len(united), 0], "int64")
        if not keepdims:
            return made, groups.reshape(-1), shape[kept]
        wide = numpy.zeros([len(united), len(shape)], "int64")
        wide[:, kept] = made
        return wide, groups.reshape(-1), numpy.where(numpy.isin(numpy.arange(len(shape)), axes), 1, shape)
    return group


def _reduced(sp_input, axis, keepdims, output_is_sparse, reduce):
    rank = sp_input.rank
    axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else integers(axis, "axes")
    axes = [_axis_of(one, rank) for one in axes]
    sizes = [1 if i in axes else size for i, size in enumerate(sp_input.shape) if keepdims or i not in axes]
    made = reduce(_group(axes, keepdims), len(sizes))
    made.set_shape(sizes)
    return made if output_is_sparse else to_dense(made)


def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The sums of the elements that are kept; zeros where there are none."""
    def reduce(group, rank):
        def plan(places, shape):
            made, groups, sizes = group(places, shape)
            order = groups.argsort(kind="stable")
            return made, order, sizes, groups[order]
        places, order, shape, groups = _planned([sp_input.indices, sp_input.dense_shape], rank, plan, ["int64"])
        return SparseTensor(places, _native.segment_sum(ops_array.gather(sp_input.values, order), groups), shape)
    return _reduced(sp_input, axis, keepdims, output_is_sparse, reduce)


def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The largest of the elements that are kept; zeros where there are none."""
    def reduce(group, rank):
        def plan(places, shape, values):
            made, groups, sizes = group(places, shape)
            return made, _highest(groups, values), sizes
        return _moved(sp_input, rank, plan, sp_input.values)
    return _reduced(sp_input, axis, keepdims, output_is_sparse, reduce)


def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    """Sparse tensors one after another. Raises: InvalidArgumentError where the other sizes differ, unless
    `expand_nonconcat_dims` lets the largest count."""
    sp_inputs = [_require_sparse(one) for one in sp_inputs]
    if not sp_inputs:
        raise ValueError("[sparse.concat] at least one sparse tensor is needed; got none")
    rank = sp_inputs[0].rank
    axis = _axis_of(axis, rank)

    def plan(*arrays):
        import numpy
        places, shapes = [one.copy() for one in arrays[::2]], numpy.stack(arrays[1::2])
        others = numpy.delete(shapes, axis, 1)
        if not expand_nonconcat_dims and (others != others[0]).any():
            from .errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, "Concat dimension sizes must agree in all other axes; got shapes "
                                       f"{shapes.tolist()} along axis {axis}")
        before = 0
        for one, shape in zip(places, shapes):
            one[:, axis] += before
            before += shape[axis]
        whole = shapes.max(0)
        whole[axis] = before
        return _ordered(numpy.concatenate(places), whole)
    places, picked, shape = _planned([one for st in sp_inputs for one in (st.indices, st.dense_shape)], rank, plan)
    values = ops_array.concat([one.values for one in sp_inputs], 0)
    sizes = [one.shape.as_list() for one in sp_inputs]
    known = [None if expand_nonconcat_dims else next((size for size in column if size is not None), None)
             for column in zip(*sizes)]
    along = [one[axis] for one in sizes]
    known[axis] = None if None in along else sum(along)
    return _sized(SparseTensor(places, ops_array.gather(values, picked), shape), known)


def slice(sp_input, start, size, name=None):
    """A part; what of it lies outside is left out."""
    _require_sparse(sp_input)

    def plan(places, shape, start, size):
        import numpy
        size = numpy.maximum(numpy.minimum(size, shape - start), 0)
        kept = numpy.nonzero(((places >= start) & (places < start + size)).all(1))[0]
        return places[kept] - start, kept, size
    return _moved(sp_input, sp_input.rank, plan, convert_to_tensor(start, dtype_hint=int64),
                  convert_to_tensor(size, dtype_hint=int64))


def split(sp_input=None, num_split=None, axis=None, name=None):
    """`num_split` parts along an axis; the first ones are larger where it does not divide."""
    axis = _axis_of(int(integers(axis, "an axis")), _require_sparse(sp_input).rank)
    if num_split < 1:
        raise ValueError(f"num_split must be at least 1; got {num_split}")
    _memory.require(num_split, 4096, "sparse.split")
    def part(number):
        def plan(places, shape):
            each, more = divmod(int(shape[axis]), num_split)
            begin, end = (number * each + min(number, more), (number + 1) * each + min(number + 1, more))
            kept = ((places[:, axis] >= begin) & (places[:, axis] < end)).nonzero()[0]
            moved, sizes = places[kept].copy(), shape.copy()
            moved[:, axis] -= begin
            sizes[axis] = end - begin
            return moved, kept, sizes
        return _moved(sp_input, sp_input.rank, plan)
    return [part(number) for number in range(num_split)]


def expand_dims(sp_input, axis=None, name=None):
    """One axis of size 1 more."""
    _require_sparse(sp_input)
    rank = sp_input.rank
    place = _axis_of(-1 if axis is None else axis, rank + 1)

    def plan(places, shape):
        import numpy
        return numpy.insert(places, place, 0, 1), range(len(places)), numpy.insert(shape, place, 1)
    sizes = sp_input.shape.as_list()
    return _sized(_moved(sp_input, rank + 1, plan), sizes[:place] + [1] + sizes[place:])


def _squeeze(sp_input, axis=None):
    """Without axes of size 1: those given, or all that are known to be of size 1. Raises: ValueError for another axis."""
    sizes = sp_input.shape.as_list()
    axes = [i for i, size in enumerate(sizes) if size == 1] if axis is None else [
        one % len(sizes) for one in ([axis] if isinstance(axis, int) else axis)]
    for one in axes:
        if sizes[one] not in (1, None):
            raise ValueError(f"Cannot squeeze axis={one}, because the dimension is not 1; got shape {tuple(sizes)}")
    kept = [i for i in range(len(sizes)) if i not in axes]
    made = _moved(sp_input, len(kept), lambda places, shape: (places[:, kept], range(len(places)), shape[kept]))
    return _sized(made, [sizes[i] for i in kept])


def retain(sp_input, to_retain):
    """The elements where `to_retain` is true."""
    _require_sparse(sp_input)
    kept = ops_array.reshape(ops_array.where(convert_to_tensor(to_retain)), [-1])
    return SparseTensor(ops_array.gather(sp_input.indices, kept), ops_array.gather(sp_input.values, kept),
                        sp_input.dense_shape)


def reset_shape(sp_input, new_shape=None):
    """The same elements in a larger shape, by default the smallest one. Raises: InvalidArgumentError for a smaller one."""
    _require_sparse(sp_input)
    more = [] if new_shape is None else [_require_rank(_native.cast(convert_to_tensor(new_shape, dtype_hint=int64), int64), 1, "new_shape")]

    def plan(places, shape, *wanted):
        made = wanted[0] if wanted else places.max(0, initial=-1) + 1
        if len(made) != len(shape) or wanted and (made < shape).any():
            from .errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, "[sparse.reset_shape] the new shape must have the rank of the old one and "
                                       f"be as large; got {made.tolist()} for {shape.tolist()}")
        return places, range(len(places)), made
    return _moved(sp_input, sp_input.rank, plan, *more)


def fill_empty_rows(sp_input, default_value, name=None):
    """(the same with `default_value` in each row that has no element, which rows these were)"""
    _require_sparse(sp_input)

    def plan(places, shape):
        import numpy
        empty = numpy.setdiff1d(numpy.arange(shape[0]), places[:, 0])
        more = numpy.zeros((len(empty), places.shape[1]), "int64")
        more[:, 0] = empty
        every = numpy.concatenate([places, more])
        order = numpy.argsort(every[:, 0], kind="stable")
        return every[order], numpy.minimum(order, len(places)), shape, numpy.isin(numpy.arange(shape[0]), empty)
    places, picked, shape, empty = _planned([sp_input.indices, sp_input.dense_shape], sp_input.rank, plan, ["bool"])
    other = ops_array.reshape(convert_to_tensor(default_value, dtype=sp_input.dtype), [1])
    values = ops_array.gather(ops_array.concat([sp_input.values, other], 0), picked)
    return SparseTensor(places, values, shape), empty


def eye(num_rows, num_columns=None, dtype="float32", name=None):
    """Ones on the diagonal."""
    count = min(num_rows, num_columns or num_rows)
    _memory.require(max(count, 0), 256, "sparse.eye")  # a list of Python for each element, too
    return SparseTensor([[i, i] for i in range(count)], ops_array.ones([count], as_dtype(dtype)),
                        [num_rows, num_columns or num_rows])


def softmax(sp_input, name=None):
    """Along the last axis, over the elements that are kept, which come in row-major order."""
    _require_sparse(sp_input)

    def plan(places, shape, values):
        import numpy
        order = numpy.argsort(_flat(places, shape), kind="stable")
        _, groups = numpy.unique(_flat(places[order][:, :-1], shape[:-1]), return_inverse=True)
        groups = groups.reshape(-1)
        return places[order], order, shape, groups, _highest(groups, values[order])[groups]
    places, order, shape, groups, highest = _planned(
        [sp_input.indices, sp_input.dense_shape, sp_input.values], sp_input.rank, plan, ["int64", "int64"])
    values = ops_array.gather(sp_input.values, order)
    made = ops_math.exp(values - ops_array.gather(values, highest))
    return SparseTensor(places, made / ops_array.gather(_native.segment_sum(made, groups), groups), shape)


def to_indicator(sp_input, vocab_size, name=None):
    """Which of `vocab_size` numbers are among the values of each row: bool [..., vocab_size]."""
    _require_sparse(sp_input)

    def plan(places, shape, values):
        import numpy
        made = numpy.concatenate([places[:, :-1], values.reshape(-1, 1)], axis=1)
        made = numpy.unique(made, axis=0)
        return made, numpy.zeros(len(made)), numpy.append(shape[:-1], vocab_size)
    places, picked, shape = _planned([sp_input.indices, sp_input.dense_shape, sp_input.values], sp_input.rank, plan)
    made = SparseTensor(places, ops_math.equal(picked, 0), shape)
    made.set_shape(sp_input.shape.as_list()[:-1] + [vocab_size])
    return to_dense(made, False)


def mask(a, mask_indices, name=None):
    """Indexed slices without those whose index is in `mask_indices`."""
    from ._tensor import IndexedSlices
    indices = convert_to_tensor(a.indices)
    hidden = ops_math.equal(ops_array.expand_dims(indices, 1), ops_array.expand_dims(
        convert_to_tensor(mask_indices, dtype=indices.dtype), 0))
    kept = ops_array.reshape(ops_array.where(ops_math.logical_not(ops_math.reduce_any(hidden, 1))), [-1])
    return IndexedSlices(ops_array.gather(a.values, kept), ops_array.gather(indices, kept), a.dense_shape)


def _segments(sorted_fold, unsorted_name):
    def fold(data, indices, segment_ids, num_segments=None, sparse_gradient=False, name=None):
        from . import math
        rows = ops_array.gather(data, indices)
        if num_segments is None:
            return getattr(math, sorted_fold)(rows, segment_ids)
        return getattr(math, unsorted_name)(rows, segment_ids, num_segments)
    fold.__name__ = fold.__qualname__ = sorted_fold
    fold.__doc__ = f"`tf.math.{sorted_fold}` of the rows `indices` of `data`."
    return fold


segment_sum = _segments("segment_sum", "unsorted_segment_sum")
segment_mean = _segments("segment_mean", "unsorted_segment_mean")


def segment_sqrt_n(data, indices, segment_ids, num_segments=None, sparse_gradient=False, name=None):
    """The sums of the rows `indices` of `data`, each divided by the root of how many rows it has."""
    rows = ops_array.gather(data, indices)
    ids = convert_to_tensor(segment_ids)
    ones = ops_array.ones_like(rows[..., :1] if rows._rank > 1 else rows)
    if num_segments is None:
        sums, counts = _native.segment_sum(rows, ids), _native.segment_sum(ones, ids)
    else:
        sums = ops_math.unsorted_segment_sum(rows, ids, num_segments)
        counts = ops_math.unsorted_segment_sum(ones, ids, num_segments)
    return sums / ops_math.sqrt(ops_math.maximum(counts, ops_array.ones_like(counts)))


def map_values(op, *args, **kwargs):
    """`op` of the values."""
    first = next((one for one in args if isinstance(one, SparseTensor)), None)
    if first is None:
        raise ValueError("[sparse.map_values] at least one argument must be a SparseTensor; got none")
    return first.with_values(op(*[one.values if isinstance(one, SparseTensor) else one for one in args], **kwargs))


from ._sparse_crosses import cross, cross_hashed  # noqa: E402,F401
