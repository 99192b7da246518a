"""Rows of different lengths: `tf.ragged`. The values are a tensor, so gradients flow through them; where rows begin and end is
one, too, so that functions take and give ragged tensors of any lengths."""

import builtins

from . import _native, _ragged_forms, _ragged_rows as _rows, ops_array, ops_math
from ._dtypes import TensorShape, as_dtype, int64
from ._ragged_reduce import reduced  # noqa: F401
from ._ragged_specs import RaggedParts, RaggedTensorSpec  # noqa: F401
from ._tensor import convert_to_tensor
from .errors import InvalidArgumentError

_range = builtins.range


class RaggedTensor:
    """Row i is `values[row_splits[i]:row_splits[i + 1]]`; `values` may be ragged itself.

    Rows that are known to have one length have it in `shape`."""

    def __init__(self, values, row_splits, internal=False):
        if not internal:
            raise ValueError("RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                             "RaggedTensor.from_row_lengths())")
        self._values = values
        self._row_splits = row_splits
        self._uniform = None

    def _of_length(self, uniform):
        """This tensor, whose rows all have a length, if that is not None."""
        self._uniform = uniform
        return self

    # ---- made of

    @classmethod
    def _checked(cls, values, splits, validate, name):
        values = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        count = values._row_splits._shape[0] if isinstance(values, RaggedTensor) else values._shape[0]
        if splits._symbolic or not validate or count is None:
            return cls(values, splits, internal=True)
        plain = splits.numpy()
        count -= isinstance(values, RaggedTensor)
        if len(plain) == 0 or plain[0] != 0 or (plain[1:] < plain[:-1]).any() or plain[-1] != count:
            raise InvalidArgumentError(None, None, f"Arguments to {name} do not form a valid RaggedTensor: "
                                       f"row_splits={plain.tolist()}, {count} values")
        return cls(values, splits, internal=True)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Raises: InvalidArgumentError for splits that do not begin with 0 or fall."""
        return cls._checked(values, _splits(row_splits), validate, "from_row_splits")

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Raises: InvalidArgumentError for lengths whose sum is not the number of values."""
        return cls._checked(values, _rows.splits_of(_splits(row_lengths)), validate, "from_row_lengths")

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Raises: InvalidArgumentError for starts that do not begin with 0 or fall."""
        starts = _splits(row_starts)
        return cls._checked(values, ops_array.concat([starts, [_count(values, starts.dtype)]], 0), validate,
                            "from_row_starts")

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Raises: InvalidArgumentError for limits that fall or do not end with the number of values."""
        limits = _splits(row_limits)
        return cls._checked(values, ops_array.concat([ops_array.zeros([1], limits.dtype), limits], 0), validate,
                            "from_row_limits")

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """Raises: InvalidArgumentError for numbers of rows that fall; ValueError for fewer rows than they name."""
        rows = _splits(value_rowids)
        if validate and not rows._symbolic:
            plain = rows.numpy()
            if (plain[1:] < plain[:-1]).any() or len(plain) and plain[0] < 0:
                raise InvalidArgumentError(None, None, "Arguments to from_value_rowids do not form a valid RowPartition.")
            if isinstance(nrows, int) and len(plain) and plain[-1] >= nrows:
                raise ValueError(f"Expected nrows >= value_rowids[-1] + 1; got nrows={nrows}, value_rowids[-1]={plain[-1]}")
        if nrows is None:
            nrows = ops_math.reduce_max(ops_array.concat([ops_array.zeros([1], rows.dtype), rows + 1], 0))
        count = nrows + 1 if isinstance(nrows, int) else ops_math.cast(nrows, rows.dtype) + 1
        splits = _native.searchsorted(rows, _rows.numbers(count, rows.dtype), False)
        return cls._checked(values, ops_math.cast(splits, rows.dtype), validate, "from_value_rowids")

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        """Rows of one length. Raises: ValueError where the values do not make whole rows; without `nrows` for a length of 0."""
        values = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        size, count = uniform_row_length, _rows.count_of(values)
        known = isinstance(size, int) and isinstance(count, int)
        if nrows is None and known and size == 0:
            raise ValueError("nrows must be specified if uniform_row_length=0" if count == 0 else
                             f"uniform_row_length=0 but there are {count} values")
        if nrows is None:
            nrows = count // size if known else ops_math.cast(count, int64) // ops_math.cast(size, int64)
        if known and isinstance(nrows, int) and nrows * size != count:
            raise ValueError(f"uniform_row_length={size} times nrows={nrows} must equal nvals={count}")
        size = size if isinstance(size, int) else ops_math.cast(size, int64)
        rows = nrows + 1 if isinstance(nrows, int) else ops_math.cast(nrows, int64) + 1
        made = cls(values, _rows.numbers(rows, int64) * size, internal=True)
        return made._of_length(size if isinstance(size, int) else None)

    @classmethod
    def _nested(cls, function, flat_values, lists, validate):
        for one in reversed(list(lists)):
            flat_values = function(flat_values, one, validate=validate)
        return flat_values

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """The splits from the outermost ragged axis on."""
        return cls._nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """The lengths from the outermost ragged axis on."""
        return cls._nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        """The numbers of rows from the outermost ragged axis on."""
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        for rows, count in reversed(list(zip(nested_value_rowids, counts))):
            flat_values = cls.from_value_rowids(flat_values, rows, count, validate=validate)
        return flat_values

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=int64):
        """The rows of a tensor, up to `lengths` (or a list of them for several axes), or without trailing `padding`."""
        return _ragged_forms.from_tensor(cls, tensor, lengths, padding, ragged_rank, as_dtype(row_splits_dtype))

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=int64):
        """Raises: InvalidArgumentError for values that do not stand at the begin of their rows."""
        return _ragged_forms.from_sparse(cls, st_input, as_dtype(row_splits_dtype))

    # ---- what it is

    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._row_splits)
    dtype = property(lambda self: self._values.dtype)
    ragged_rank = property(lambda self: len(self.nested_row_splits))

    @property
    def flat_values(self):
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def nested_row_splits(self):
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits,) + inner

    @property
    def uniform_row_length(self):
        """The length of all rows where it is known to be one, as a scalar, else None."""
        return None if self._uniform is None else convert_to_tensor(self._uniform, dtype=self._row_splits.dtype)

    @property
    def shape(self):
        rows = len(self) if self._row_splits._shape[0] is not None else None
        return TensorShape([rows, self._uniform] + list(self._values.shape)[1:])

    def get_shape(self):
        return self.shape

    def nrows(self, out_type=None, name=None):
        """How many rows there are, as a scalar."""
        return ops_array.shape(self._row_splits, out_type=out_type or self._row_splits.dtype)[0] - 1

    def row_lengths(self, axis=1, name=None):
        """How many elements each row has."""
        if axis > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        return _rows.lengths_of(self._row_splits)

    def row_starts(self, name=None):
        return self._row_splits[:-1]

    def row_limits(self, name=None):
        return self._row_splits[1:]

    def value_rowids(self, name=None):
        """The row of each value."""
        return _rows.row_ids(self._row_splits)

    def nested_row_lengths(self, name=None):
        """How many elements the rows of each ragged axis have, from the outermost on."""
        inner = self._values.nested_row_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self.row_lengths(), *inner)

    def nested_value_rowids(self, name=None):
        """The row of each value of each ragged axis, from the outermost on."""
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def merge_dims(self, outer_axis, inner_axis):
        """The axes from one to another as one. Raises: ValueError for axes that are not there, or in another order."""
        rank = self.shape.rank
        outer, inner = [axis + (rank if axis < 0 else 0) for axis in (outer_axis, inner_axis)]
        if not 0 <= outer <= inner < rank:
            raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis})")
        return _ragged_forms.merge(self, outer, inner)

    def _plain_splits(self):
        if self._row_splits._symbolic:
            from .errors import UnimplementedError
            raise UnimplementedError(None, None, "[ragged] the rows' lengths must be known here while a function is traced; got "
                                     "those of an element; write tf.py_function(...), or give the tensor as it is")
        return self._row_splits.numpy()

    def _parts(self):
        return RaggedParts(self.flat_values, *self.nested_row_splits)

    _key_parts = _parts

    def __tensor__(self):
        raise ValueError(f"Failed to convert a RaggedTensor to a Tensor: {self!r}. Consider to_tensor().")

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The sizes of the smallest tensor that holds this one, all or those of some axes."""
        return _ragged_forms.bounding_shape(self, axis, out_type)

    def with_values(self, new_values):
        return RaggedTensor(new_values, self._row_splits, internal=True)._of_length(self._uniform)

    def with_flat_values(self, new_values):
        if isinstance(self._values, RaggedTensor):
            new_values = self._values.with_flat_values(new_values)
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype):
        """The same with splits of int32 or int64."""
        values = self._values.with_row_splits_dtype(dtype) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(values, ops_math.cast(self._row_splits, dtype), internal=True)._of_length(self._uniform)

    def _as_only_row(self):
        """A tensor whose only row this one is."""
        count = _rows.count_of(self)
        return RaggedTensor.from_uniform_row_length(self, count, 1)

    def _in_rows_of_one(self):
        """A tensor each of whose rows has one row of this one."""
        return RaggedTensor.from_uniform_row_length(self, 1)

    def __len__(self):
        if self._row_splits._shape[0] is None:
            self._plain_splits()
        return self._row_splits._shape[0] - 1

    def __iter__(self):
        return (self[i] for i in _range(len(self)))

    # ---- made into

    def to_list(self):
        """Nested lists of Python values."""
        inner = self._values.to_list() if isinstance(self._values, RaggedTensor) else \
            self._values.numpy().tolist()
        splits = self._plain_splits().tolist()
        return [inner[a:b] for a, b in zip(splits, splits[1:])]

    def numpy(self):
        """An array, of objects where rows have several lengths."""
        import numpy
        values, splits = self._values.numpy(), self._plain_splits()
        if len(splits) < 2:
            return numpy.array([], dtype=values.dtype)
        rows = numpy.split(values, splits[1:-1])
        if len({len(row) for row in rows}) == 1:
            return numpy.array(rows)
        made = numpy.empty(len(rows), dtype=object)
        made[:] = rows
        return made

    def to_tensor(self, default_value=None, name=None, shape=None):
        """A tensor as wide as the longest row, or of a shape, filled with `default_value`."""
        return _ragged_forms.to_tensor(self, default_value, shape)

    def to_sparse(self, name=None):
        """A sparse tensor of the elements at their places."""
        return _ragged_forms.to_sparse(self)

    def __getitem__(self, key):
        from ._ragged_items import item
        return item(self, key if isinstance(key, tuple) else (key,))

    # ---- operators

    def _check_rows(self, other):
        """Raises: InvalidArgumentError for a ragged tensor whose rows have other lengths."""
        if self._row_splits is other._row_splits or self._row_splits._symbolic or other._row_splits._symbolic:
            return
        if self._row_splits.numpy().tolist() != other._row_splits.numpy().tolist():
            raise InvalidArgumentError(None, None, "Unable to broadcast: dimension size mismatch in "
                                       "dimension 1 of ragged tensors")

    def _with(self, other, function, swapped=False):
        if isinstance(other, RaggedTensor):
            self._check_rows(other)
            values = self._values._with(other._values, function) if isinstance(
                self._values, RaggedTensor) else function(self._values, other._values)
            return self.with_values(values)
        other = convert_to_tensor(other, dtype_hint=self.dtype)
        if other._rank >= 2 and other._shape[0] != 1:  # a column
            other = ops_array.gather(ops_array.squeeze(other, 1), self.value_rowids())
        flat = self.flat_values
        return self.with_flat_values(function(other, flat) if swapped else function(flat, other))

    def __neg__(self):
        return self.with_flat_values(-self.flat_values)

    def __abs__(self):
        return self.with_flat_values(ops_math.abs(self.flat_values))

    def __invert__(self):
        return self.with_flat_values(~self.flat_values)

    def __repr__(self):
        if self._row_splits._symbolic or self.flat_values._symbolic:
            return f"tf.RaggedTensor(values={self._values!r}, row_splits={self._row_splits!r})"
        return f"<tf.RaggedTensor {_text(self)}>"

    __str__ = __repr__


def _text(value):
    """The rows as NumPy prints them, with commas."""
    import numpy

    def shown(part):
        if not isinstance(part, numpy.ndarray):
            return str(part)
        return numpy.array2string(part, separator=", ") if part.size else repr(part.tolist())
    with numpy.printoptions(formatter={"all": shown}):
        return shown(value.numpy())


def _give_operators():
    import operator
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
        function = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(RaggedTensor, f"__{name}__", lambda self, other, f=function: self._with(other, f))
        setattr(RaggedTensor, f"__r{name}__", lambda self, other, f=function: self._with(other, f, True))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        function = getattr(operator, name)
        setattr(RaggedTensor, f"__{name}__", lambda self, other, f=function: self._with(other, f))
    RaggedTensor.__hash__ = object.__hash__


_give_operators()


def _splits(given):
    given = convert_to_tensor(given, dtype_hint=int64)
    return given if given.dtype == "int32" else _native.cast(given, int64)


def _count(values, dtype):
    count = _rows.count_of(values if isinstance(values, RaggedTensor) else convert_to_tensor(values))
    return convert_to_tensor(count, dtype=dtype) if isinstance(count, int) else ops_math.cast(count, dtype)


def _of_rows(rows, like):
    """Tensors, or ragged ones, as rows; without any, rows of no elements `like` a tensor's."""
    if rows and isinstance(rows[0], RaggedTensor):
        inner = [row for one in rows for row in one]
        return RaggedTensor.from_row_lengths(_of_rows(inner, like._values), [len(one) for one in rows])
    lengths = [one._shape[0] for one in rows]
    values = ops_array.concat(rows, 0) if rows else like.flat_values[:0]
    return RaggedTensor.from_row_lengths(values, lengths)


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=int64):
    """A ragged tensor of nested lists, whose innermost axes are not ragged if `ragged_rank` or `inner_shape` says so.

    Raises: ValueError for lists of different depths."""
    from ._ragged_lists import constant_of
    return constant_of(pylist, dtype, ragged_rank, inner_shape, as_dtype(row_splits_dtype))


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=int64):
    """A row of numbers for each start and limit. Raises: InvalidArgumentError for a step of 0."""
    from ._ragged_lists import range_of
    starts, limits = (0, starts) if limits is None else (starts, limits)
    return range_of(starts, limits, deltas, dtype, as_dtype(row_splits_dtype))


def stack(values, axis=0, name=None):
    """Tensors of one rank, ragged or not, along a new axis; vectors and more give ragged rows."""
    from ._ragged_joins import stack as join
    return join([one if isinstance(one, RaggedTensor) else convert_to_tensor(one) for one in values], axis)


def boolean_mask(data, mask, name=None):
    """What is marked: rows by a vector, elements of rows by marks of their form."""
    from ._ragged_joins import masked
    return masked(*[one if isinstance(one, RaggedTensor) else _rectangular(one) for one in (data, mask)])


def _rectangular(value):
    """A tensor of a list, which may be ragged."""
    try:
        return convert_to_tensor(value)
    except ValueError:
        return constant(value)


def map_flat_values(op, *args, **kwargs):
    """`op` of the flat values. Raises: ValueError for ragged tensors whose rows have other lengths."""
    given = [one for one in [*args, *kwargs.values()] if isinstance(one, RaggedTensor)]
    if not given:
        return op(*args, **kwargs)
    for one in given[1:]:
        given[0]._check_rows(one)

    def flat(value):
        return value.flat_values if isinstance(value, RaggedTensor) else value
    return given[0].with_flat_values(op(*map(flat, args), **{key: flat(one) for key, one in kwargs.items()}))


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Row i has the elements of `data` with partition i. Raises: InvalidArgumentError for a partition that is not there."""
    from ._ragged_joins import partitioned
    return partitioned(data, partitions, num_partitions)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The number of the row of each element."""
    made = _rows.row_ids(_splits(splits))
    return made if out_type is None else _native.cast(made, as_dtype(out_type))


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Where each row begins, and where the last one ends, of the numbers of elements' rows."""
    rows = _splits(segment_ids)
    made = RaggedTensor.from_value_rowids(rows, rows, num_segments, validate=False).row_splits
    return made if out_type is None else _native.cast(made, as_dtype(out_type))
