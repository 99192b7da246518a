"""Crosses of categories: `tf.sparse.cross` and `tf.sparse.cross_hashed`.

Row by row, each combination of one element of every input gives one element: their texts joined by "_X_", or a hash of
all. The combinations of a row come in the order in which the last input changes fastest. The hash folds FarmHash's
fingerprints of texts, or whole numbers as they are, into a key, one after another."""

import itertools

import numpy

from . import _native
from ._dtypes import as_dtype
from ._tensor import convert_to_tensor, Tensor

DEFAULT_KEY = 0xDECAFCAFFE
_FACTOR = numpy.uint64(0xC6A4A7935BD1E995)
_SHIFT = numpy.uint64(47)


def _mixed(values):
    return values ^ (values >> _SHIFT)


def joined(first, second):
    """FarmHash's fingerprint of two fingerprints, uint64."""
    made = (first ^ _FACTOR) ^ (_mixed(second * _FACTOR) * _FACTOR)
    return _mixed(_mixed(made * _FACTOR) * _FACTOR)


def fingerprints(tensor):
    """Whole numbers as they are, texts by FarmHash's fingerprint, uint64 [elements]."""
    if tensor.dtype.is_integer:
        return tensor.numpy().reshape(-1).astype("int64").view("uint64")
    return numpy.array([_native.fingerprint64(one) for one in tensor._strings()], "uint64")


def _rows(places, values, count):
    """The elements of each row."""
    rows = [[] for _ in range(count)]
    for place, value in zip(places, values):
        rows[int(place)].append(value)
    return rows


def _texts(tensor):
    return tensor._strings() if tensor.dtype.name == "string" else [str(one).encode() for one in tensor.numpy().reshape(-1).tolist()]


def _crossed(inputs, elements, cell, dtype):
    """A sparse tensor of `cell(combination)` of the `elements` of each row of the inputs."""
    from .sparse import SparseTensor
    columns = [(one.indices[:, 0], one.values, one.dense_shape[0]) if isinstance(one, SparseTensor) else
               _flat(convert_to_tensor(one)) for one in inputs]
    given = [tensor for column in columns for tensor in column]

    def compute(*tensors):
        triples = [tensors[i:i + 3] for i in range(0, len(tensors), 3)]
        count = int(triples[0][2].numpy())
        rows = [_rows(places.numpy(), elements(values), count) for places, values, _ in triples]
        made = [[cell(one) for one in itertools.product(*(column[row] for column in rows))] for row in range(count)]
        indices = [(row, place) for row, cells in enumerate(made) for place in range(len(cells))]
        width = max((len(cells) for cells in made), default=0)
        flat = [one for cells in made for one in cells]
        values = _native.from_strings(flat, [len(flat)]) if dtype == "string" else convert_to_tensor(numpy.array(flat, "int64"))
        return [convert_to_tensor(numpy.array(indices, "int64").reshape(-1, 2)), values,
                convert_to_tensor(numpy.array([count, width], "int64"))]
    if not any(one._symbolic for one in given):
        return SparseTensor(*compute(*given))
    from ._function import TensorSpec
    from ._host_calls import py_function
    return SparseTensor(*py_function(compute, given, [TensorSpec([None, 2], as_dtype("int64")), TensorSpec([None], as_dtype(dtype)),
                                                      TensorSpec([2], as_dtype("int64"))]))


def _flat(tensor):
    """The row numbers, the elements and the number of rows of a dense input. Shapes: [n, k]."""
    from . import ops_array, ops_math
    if tensor._rank != 2:
        raise ValueError(f"Inputs must be matrices or sparse tensors with two axes; got shape {tensor.shape}")
    sizes = ops_array.shape(tensor, out_type="int64")
    places = ops_array.reshape(ops_array.broadcast_to(ops_array.expand_dims(ops_math.range(sizes[0]), 1), sizes), [-1])
    return places, ops_array.reshape(tensor, [-1]), sizes[0]


def _checked(inputs):
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    from .sparse import SparseTensor
    if not all(isinstance(one, (Tensor, SparseTensor)) for one in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    return sorted(inputs, key=lambda one: isinstance(one, Tensor))  # the sparse ones first, as TensorFlow crosses them


def cross(inputs, name=None, separator=None):
    """All combinations of the inputs' elements in each row, as texts joined by `separator`, "_X_" by default: a sparse tensor.

    Shapes: inputs, dense or sparse, [n, k]; result [n, the most combinations]."""
    between = b"_X_" if separator is None else separator.encode() if isinstance(separator, str) else separator
    return _crossed(_checked(inputs), _texts, between.join, "string")


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """The same as numbers below `num_buckets` (0: below 2^63 - 1), the hash of each combination, int64."""
    buckets = int(num_buckets) or (1 << 63) - 1

    def cell(combination):
        made = numpy.full(1, hash_key or DEFAULT_KEY, "uint64")
        for one in combination:
            made = joined(made, numpy.full(1, one, "uint64"))
        return int(made[0] % numpy.uint64(buckets))
    return _crossed(_checked(inputs), fingerprints, cell, "int64")
