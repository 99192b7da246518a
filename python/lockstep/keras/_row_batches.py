"""Batches of rows of sparse and ragged tensors, beside dense ones, for `fit`, `evaluate` and `predict`."""

from .. import _native, nest, ops_array
from .._composites import apart
from .._function import TensorSpec
from .._tensor import convert_to_tensor
from ..sparse import SparseTensor, SparseTensorSpec, reorder, rows_between
from ._symbol_parts import is_value, sizes_of


def is_scipy(value):
    """Whether `value` is a sparse matrix or array of SciPy."""
    return type(value).__module__.startswith("scipy.sparse")


def of_scipy(matrix):
    """SciPy's sparse matrix as a sparse tensor with its places in row-major order."""
    import numpy
    matrix = matrix.tocoo()
    places = numpy.stack([matrix.row, matrix.col], 1).astype("int64")
    return reorder(SparseTensor(places, matrix.data, matrix.shape))


def has_values(data):
    """Whether sparse or ragged tensors are in a structure."""
    return any(is_value(one) for one in nest.flatten(data))


def cut(value, begin, end):
    """The rows [begin, end) of a tensor of any kind, or of an array."""
    return rows_between(value, begin, end) if isinstance(value, SparseTensor) else value[begin:end]


def count_of(data):
    """How many rows the tensors of a structure have. Raises: ValueError where they do not all have as many."""
    counts = {sizes_of(one)[0] for one in nest.flatten(data)}
    if len(counts) > 1:
        raise ValueError("Data cardinality is ambiguous. Make sure all arrays contain the same number of samples. Got "
                         f"{', '.join(str(sizes_of(one)[0]) for one in nest.flatten(data))}")
    return counts.pop()


class _SparseRows:
    """The rows of a sparse tensor, ready to be picked."""

    def __init__(self, value):
        import numpy
        self._shape = value.dense_shape.numpy().tolist()
        places = value.indices.numpy()
        order = numpy.argsort(places[:, 0], kind="stable")
        self._places, self._values = places[order], ops_array.gather(value.values, order)
        self._ends = numpy.searchsorted(self._places[:, 0], numpy.arange(self._shape[0] + 1))

    def take(self, rows):
        """The rows of these numbers, in this order."""
        import numpy
        begins, counts = self._ends[rows], self._ends[rows + 1] - self._ends[rows]
        number = numpy.repeat(numpy.arange(len(rows)), counts)
        picked = numpy.arange(len(number)) - numpy.repeat(numpy.cumsum(counts) - counts - begins, counts)
        places = self._places[picked]
        places[:, 0] = number
        return SparseTensor(places, ops_array.gather(self._values, picked), [len(rows)] + self._shape[1:])


def _picker(value):
    if isinstance(value, SparseTensor):
        return _SparseRows(value).take
    if is_value(value):
        from .. import gather
        return lambda rows: gather(value, convert_to_tensor(rows))
    return lambda rows: _native.gather(value, convert_to_tensor(rows), 0, 0)


def _spec(value):
    if isinstance(value, SparseTensor):
        return SparseTensorSpec([None] + value.shape.as_list()[1:], value.dtype)._parts()
    return value._parts().general() if is_value(value) else TensorSpec([None, *value._shape[1:]], value.dtype)


def batches(data, size, order=None, shuffle=False):
    """A dataset of batches of `size` rows of the tensors of a structure: in the order of a permutation, or shuffled anew in each
    pass, or as they stand."""
    from ..data import Dataset
    count = count_of(data)
    numbers = Dataset.range(count) if order is None else Dataset.from_tensor_slices(order)
    numbers = (numbers.shuffle(max(count, 1), seed=0) if shuffle else numbers).batch(size)
    pickers = [_picker(one) for one in nest.flatten(data)]

    def make():
        for rows in numbers:
            rows = rows.numpy()
            yield nest.flatten([apart(pick(rows)) for pick in pickers])
    spec = nest._pack(data, iter([_spec(one) for one in nest.flatten(data)]))
    return Dataset.from_tensors(0)._from_python(make, spec, "_RowBatches")
