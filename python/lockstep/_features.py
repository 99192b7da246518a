"""What `tf.io.parse_example` is asked for: features by kind."""

import collections


class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """A feature of exactly `shape`; `default_value` where an example lacks it."""

    __slots__ = ()

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """A feature of any length, given as a sparse tensor: a vector, of a batch a matrix."""

    __slots__ = ()


class FixedLenSequenceFeature(collections.namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])):
    """Any number of elements of `shape`, stacked; in a batch padded behind with `default_value`."""

    __slots__ = ()

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


class SparseFeature(collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])):
    """Two features, of places and of values, given as a sparse tensor of `size`; of several places for as many axes.

    Raises, when parsed: InvalidArgumentError where there are not as many places as values."""

    __slots__ = ()

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)

    def _keys(self):
        return [self.index_key] if isinstance(self.index_key, str) else list(self.index_key)

    def _sizes(self):
        return [self.size] if isinstance(self.index_key, str) else list(self.size)


class RaggedFeature(collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])):
    """A feature of any length: a vector, of a batch rows of a ragged tensor.

    Args: value_key: the feature's name, by default its key. partitions: features that part the values into rows, the
    outermost first: RowSplits(key), RowLengths(key), RowStarts(key), RowLimits(key), ValueRowIds(key), UniformRowLength(length)."""

    __slots__ = ()

    RowSplits = collections.namedtuple("RowSplits", ["key"])
    RowLengths = collections.namedtuple("RowLengths", ["key"])
    RowStarts = collections.namedtuple("RowStarts", ["key"])
    RowLimits = collections.namedtuple("RowLimits", ["key"])
    ValueRowIds = collections.namedtuple("ValueRowIds", ["key"])
    UniformRowLength = collections.namedtuple("UniformRowLength", ["length"])

    def __new__(cls, dtype, value_key=None, partitions=(), row_splits_dtype=None, validate=False):
        from ._dtypes import int32
        known = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits, cls.ValueRowIds, cls.UniformRowLength)
        for one in partitions:
            if not isinstance(one, known):
                raise TypeError("Partitions must be a list of RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds or "
                                f"UniformRowLength of tf.io.RaggedFeature; got {one!r}")
        return super().__new__(cls, dtype, value_key, tuple(partitions), int32 if row_splits_dtype is None else row_splits_dtype,
                               validate)

    def _keys(self):
        """The features that partitions are in."""
        return [one.key for one in self.partitions if hasattr(one, "key")]


def rows_of_one(values, feature, given):
    """The values of one example in the rows of its partitions, whose features are in `given`."""
    from . import _native
    from ._dtypes import as_dtype
    from .ragged import RaggedTensor
    makers = {"RowSplits": RaggedTensor.from_row_splits, "RowLengths": RaggedTensor.from_row_lengths,
              "RowStarts": RaggedTensor.from_row_starts, "RowLimits": RaggedTensor.from_row_limits,
              "ValueRowIds": RaggedTensor.from_value_rowids}
    for one in reversed(feature.partitions):
        kind = type(one).__name__
        if kind == "UniformRowLength":
            values = RaggedTensor.from_uniform_row_length(values, one.length, validate=feature.validate)
        else:
            rows = _native.cast(given[one.key], as_dtype(feature.row_splits_dtype))
            values = makers[kind](values, rows, validate=feature.validate)
    return values


def batched_rows(values, feature, given):
    """The same of a batch: of the rows of `values`, an example each, where partitions count within an example."""
    for one in reversed(feature.partitions):
        values = _parted(values, one, given, feature.validate)
    return values


def _parted(rows, partition, given, validate):
    from .ops_array import repeat
    from .ragged import RaggedTensor
    kind = type(partition).__name__
    if kind == "UniformRowLength":
        inner = RaggedTensor.from_uniform_row_length(rows.values, partition.length, validate=validate)
        return RaggedTensor.from_row_splits(inner, rows.row_splits // partition.length, validate=validate)
    places = given[partition.key]
    if kind == "RowLengths":
        return places.with_values(RaggedTensor.from_row_lengths(rows.values, places.values, validate=validate))
    if kind == "ValueRowIds":
        return _by_ids(rows, places, validate)
    if kind == "RowSplits":
        places = places[:, 1:]
    shifted = places.values + repeat(rows.row_starts(), places.row_lengths())
    make = RaggedTensor.from_row_starts if kind == "RowStarts" else RaggedTensor.from_row_limits
    return places.with_values(make(rows.values, shifted, validate=validate))


def _by_ids(rows, ids, validate):
    from .math import cumsum, maximum, reduce_sum
    from .ops_array import repeat
    from .ops_math import reduce_max
    from .ragged import RaggedTensor
    counts = maximum(reduce_max(ids, axis=1) + 1, 0)
    shifted = ids.values + repeat(cumsum(counts, exclusive=True), ids.row_lengths())
    inner = RaggedTensor.from_value_rowids(rows.values, shifted, nrows=reduce_sum(counts), validate=validate)
    return RaggedTensor.from_row_lengths(inner, counts, validate=validate)
