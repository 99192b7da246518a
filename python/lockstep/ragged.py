"""Rows of different lengths: `tf.ragged`. The values are a tensor, so gradients flow through them; the
lengths must be known when a function is traced."""

import builtins

from . import _native, ops_array, ops_math
from ._composites import Parts
from ._dtypes import TensorShape, as_dtype, int64
from ._function import TensorSpec
from ._tensor import Tensor, convert_to_tensor, is_tensor

_range = builtins.range


class RaggedTensor:
    """Row i is `values[row_splits[i]:row_splits[i + 1]]`; `values` may be ragged itself."""

    def __init__(self, values, row_splits, internal=False):
        self._values = values
        self._row_splits = row_splits

    # ---- made of

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Raises: InvalidArgumentError for splits that do not begin with 0 or fall."""
        splits = _splits(row_splits)
        values = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        if splits._symbolic:
            return cls(values, splits)
        plain = splits.numpy()
        if validate:
            from .errors import InvalidArgumentError
            if len(plain) == 0 or plain[0] != 0 or (plain[1:] < plain[:-1]).any() or plain[-1] != _length(values):
                raise InvalidArgumentError(None, None, "Arguments to from_row_splits do not form a valid "
                                           f"RaggedTensor: row_splits={plain.tolist()}, "
                                           f"{_length(values)} values")
        return cls(values, splits)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        import numpy
        lengths = convert_to_tensor(row_lengths).numpy()
        return cls.from_row_splits(values, numpy.concatenate([[0], numpy.cumsum(lengths)]), validate=validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        import numpy
        starts = convert_to_tensor(row_starts).numpy()
        return cls.from_row_splits(values, numpy.concatenate([starts, [_length(values)]]), validate=validate)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        import numpy
        rows = convert_to_tensor(value_rowids).numpy()
        count = int(rows[-1]) + 1 if nrows is None and len(rows) else int(nrows or 0)
        return cls.from_row_lengths(values, numpy.bincount(rows, minlength=count), validate=validate)

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None):
        """The rows of a tensor, up to `lengths`, or without trailing `padding`."""
        import numpy
        tensor = convert_to_tensor(tensor)
        rows, size = tensor._shape[0], tensor._shape[1]
        if lengths is None:
            lengths = numpy.full([rows], size)
            if padding is not None:
                plain = tensor.numpy()
                for i in _range(rows):
                    while lengths[i] and (plain[i, lengths[i] - 1] == padding).all():
                        lengths[i] -= 1
        else:
            lengths = convert_to_tensor(lengths).numpy()
        places = numpy.concatenate([numpy.arange(n) + i * size for i, n in enumerate(lengths)] or [[]])
        flat = ops_array.reshape(tensor, [rows * size] + list(tensor._shape[2:]))
        return cls.from_row_lengths(ops_array.gather(flat, places.astype("int32")), lengths)

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=int64):
        import numpy
        lengths = numpy.bincount(st_input.indices.numpy()[:, 0], minlength=st_input.shape[0])
        return cls.from_row_lengths(st_input.values, lengths)

    # ---- what it is

    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._row_splits)
    dtype = property(lambda self: self._values.dtype)

    @property
    def flat_values(self):
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def nested_row_splits(self):
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits,) + inner

    ragged_rank = property(lambda self: len(self.nested_row_splits))

    @property
    def shape(self):
        rows = len(self) if self._row_splits._shape[0] is not None else None
        return TensorShape([rows, None] + list(self._values.shape)[1:])

    def get_shape(self):
        return self.shape

    def nrows(self, out_type=None, name=None):
        return ops_array.shape(self._row_splits, out_type=int64)[0] - 1

    def row_lengths(self, axis=1, name=None):
        """How many elements each row has."""
        if axis > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        return self._row_splits[1:] - self._row_splits[:-1]

    def row_starts(self, name=None):
        return self._row_splits[:-1]

    def row_limits(self, name=None):
        return self._row_splits[1:]

    def nested_row_lengths(self, name=None):
        """How many elements the rows of each ragged axis have, from the outermost on."""
        inner = self._values.nested_row_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self.row_lengths(), *inner)

    def merge_dims(self, outer_axis, inner_axis):
        """The axes from one to another as one. Raises: NotImplementedError behind the ragged ones."""
        if not isinstance(self._values, RaggedTensor) and inner_axis > 1:
            raise NotImplementedError("axes that are not ragged are merged by tf.reshape of the flat values")
        if outer_axis == inner_axis:
            return self
        if outer_axis > 1:
            return self.with_values(self._values.merge_dims(outer_axis - 1, inner_axis - 1))
        if outer_axis == 0:
            return self._values if inner_axis == 1 else self._values.merge_dims(0, inner_axis - 1)
        joined = RaggedTensor(self._values.values, ops_array.gather(self._values.row_splits, self._row_splits))
        return joined if inner_axis == 2 else joined.merge_dims(1, inner_axis - 1)

    def value_rowids(self, name=None):
        import numpy
        return convert_to_tensor(numpy.repeat(numpy.arange(len(self)), self._lengths()))

    def _lengths(self):
        splits = self._plain_splits()
        return splits[1:] - splits[:-1]

    def _plain_splits(self):
        if self._row_splits._symbolic:
            from .errors import UnimplementedError
            raise UnimplementedError(None, None, "[ragged] the rows' lengths must be known while a function is traced; got "
                                     "those of an element; write tf.py_function(...), or give the tensor as it is")
        return self._row_splits.numpy()

    def _parts(self):
        return RaggedParts(self.flat_values, *self.nested_row_splits)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        lengths = self._lengths()
        return convert_to_tensor([len(lengths), int(lengths.max(initial=0))], int64)

    def with_values(self, new_values):
        return RaggedTensor(new_values, self._row_splits)

    def with_flat_values(self, new_values):
        if isinstance(self._values, RaggedTensor):
            new_values = self._values.with_flat_values(new_values)
        return self.with_values(new_values)

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
        import numpy
        rows = [one.numpy() for one in self]
        if len({one.shape for one in rows}) == 1:
            return numpy.array(rows)
        made = numpy.empty(len(rows), dtype=object)
        made[:] = rows
        return made

    def to_tensor(self, default_value=None, name=None, shape=None):
        """A tensor as wide as the longest row, filled with `default_value`."""
        import numpy
        if isinstance(self._values, RaggedTensor):
            inner = self._values.to_tensor(default_value)
            return RaggedTensor(inner, self._row_splits).to_tensor(default_value)
        lengths = self._lengths()
        width = int(lengths.max(initial=0))
        if shape is not None and list(shape)[1] is not None:
            width = int(list(shape)[1])
        tail = list(self._values._shape[1:])
        if default_value is None:
            default_value = b"" if self._values._dtype == 7 else 0
        fill = ops_array.fill([1] + tail, convert_to_tensor(default_value, dtype=self.dtype))
        count = self._values._shape[0]
        places = numpy.full((len(lengths), width), count, "int32")
        starts = self._plain_splits()
        for i, n in enumerate(numpy.minimum(lengths, width)):
            places[i, :n] = starts[i] + numpy.arange(n)
        return ops_array.gather(ops_array.concat([self._values, fill], 0), places)

    def to_sparse(self, name=None):
        import numpy
        from .sparse import SparseTensor
        lengths = self._lengths()
        columns = numpy.concatenate([numpy.arange(n) for n in lengths] or [[]])
        places = numpy.stack([numpy.repeat(numpy.arange(len(lengths)), lengths), columns], 1)
        return SparseTensor(places.astype("int64"), self._values, [len(lengths), int(lengths.max(initial=0))])

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        first, rest = key[0], key[1:]
        if isinstance(first, int) or is_tensor(first):
            i = int(first)
            i += len(self) if i < 0 else 0
            splits = self._plain_splits()
            if not 0 <= i < len(self):
                from .errors import InvalidArgumentError
                raise InvalidArgumentError(None, None, f"slice index {i} of dimension 0 out of bounds.")
            row = self._values[int(splits[i]):int(splits[i + 1])]
            return row[rest if len(rest) > 1 else rest[0]] if rest else row
        if not isinstance(first, slice):
            raise TypeError(f"rows are picked by numbers and slices; got {first!r}")
        rows = list(_range(len(self)))[first]
        made = _of_rows([self[i] for i in rows], self)
        if not rest:
            return made
        if isinstance(rest[0], slice):
            return _of_rows([one[rest if len(rest) > 1 else rest[0]] for one in made], self)
        return ops_array.stack([one[rest if len(rest) > 1 else rest[0]] for one in made])

    # ---- operators

    def _check_rows(self, other):
        """Raises: InvalidArgumentError for a ragged tensor whose rows have other lengths."""
        if self._row_splits.numpy().tolist() != other._row_splits.numpy().tolist():
            from .errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, "Unable to broadcast: dimension size mismatch in "
                                       "dimension 1 of ragged tensors")

    def _with(self, other, function, swapped=False):
        if isinstance(other, RaggedTensor):
            self._check_rows(other)
            values = self._values._with(other._values, function) if isinstance(
                self._values, RaggedTensor) else function(self._values, other._values)
            return self.with_values(values)
        other = convert_to_tensor(other, dtype_hint=self.dtype)
        if other._rank >= 2 and other._shape[0] == len(self):  # a column
            other = ops_array.gather(ops_array.squeeze(other, 1), self.value_rowids())
        flat = self.flat_values
        return self.with_flat_values(function(other, flat) if swapped else function(flat, other))

    def __neg__(self):
        return self.with_flat_values(-self.flat_values)

    def __repr__(self):
        if self._row_splits._symbolic or self.flat_values._symbolic:
            return f"tf.RaggedTensor(values={self._values!r}, row_splits={self._row_splits!r})"
        return f"<tf.RaggedTensor {self.to_list()}>"

    __str__ = __repr__


def _give_operators():
    import operator
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        function = getattr(operator, name)
        setattr(RaggedTensor, f"__{name}__", lambda self, other, f=function: self._with(other, f))
        setattr(RaggedTensor, f"__r{name}__", lambda self, other, f=function: self._with(other, f, True))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        function = getattr(operator, name)
        setattr(RaggedTensor, f"__{name}__", lambda self, other, f=function: self._with(other, f))
    RaggedTensor.__hash__ = object.__hash__


_give_operators()


class RaggedTensorSpec:
    """The shape and dtype of a ragged tensor that is to come."""

    def __init__(self, shape=None, dtype="float32", ragged_rank=None, row_splits_dtype=int64, flat_values_spec=None):
        self.shape, self.dtype, self.row_splits_dtype = TensorShape(shape), as_dtype(dtype), as_dtype(row_splits_dtype)
        self.ragged_rank = self.shape.rank - 1 if ragged_rank is None else ragged_rank

    def _parts(self):
        tail = self.shape.as_list()[self.ragged_rank + 1:]
        rows = self.shape.as_list()[0] if self.ragged_rank else None
        splits = [TensorSpec([None if rows is None or i else rows + 1], self.row_splits_dtype)
                  for i in _range(self.ragged_rank)]
        return RaggedParts(TensorSpec([None] + tail, self.dtype), *splits)

    def is_compatible_with(self, other):
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other):
        return isinstance(other, RaggedTensorSpec) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return f"RaggedTensorSpec({self.shape!r}, {self.dtype!r}, {self.ragged_rank}, {self.row_splits_dtype!r})"


class RaggedParts(Parts):
    """The flat values, then the splits from the outermost on; without splits a row of its own."""

    def whole(self):
        if isinstance(self[0], TensorSpec):
            return self
        made = self[0]
        for splits in reversed(self[1:]):
            made = RaggedTensor(made, splits)
        return made

    def spec(self):
        depth = len(self) - 1
        splits = self[1].shape[0] if depth else None
        first = None if splits is None else splits - 1
        return RaggedTensorSpec([first] + [None] * depth + self[0].shape.as_list()[1:], self[0].dtype, depth,
                                self[1].dtype if depth else int64)

    def general(self):
        depth = len(self) - 1
        return RaggedTensorSpec([None] * (depth + 1) + list(self[0]._shape)[1:], self[0].dtype, depth,
                                self[1].dtype if depth else int64)._parts()

    def plain(self):
        return self.whole().numpy()

    @classmethod
    def stacked(cls, rows):
        """The parts of a batch of such tensors."""
        import numpy
        values = ops_array.concat([one[0] for one in rows], 0)
        counts = [[one[1]._shape[0] - 1 if len(one) > 1 else one[0]._shape[0] for one in rows]]
        for level in _range(1, len(rows[0])):
            counts.append(numpy.concatenate([numpy.diff(one[level].numpy()) for one in rows]))
        kind = rows[0][1].dtype if len(rows[0]) > 1 else int64
        return cls(values, *[convert_to_tensor(numpy.concatenate([[0], numpy.cumsum(one)]), dtype=kind) for one in counts])

    def rows(self):
        """The parts of its rows, one after another."""
        for row in self.whole():
            yield row._parts() if isinstance(row, RaggedTensor) else RaggedParts(row)

    def batch_spec(self, size):
        splits = TensorSpec([None if size is None else size + 1], self[1].dtype if len(self) > 1 else int64)
        return RaggedParts(TensorSpec([None] + self[0].shape.as_list()[1:], self[0].dtype), splits,
                           *[TensorSpec([None], one.dtype) for one in self[1:]])


def _splits(given):
    given = convert_to_tensor(given, dtype_hint=int64)
    return given if given.dtype == "int32" else _native.cast(given, int64)


def _length(values):
    return len(values) if isinstance(values, RaggedTensor) else convert_to_tensor(values)._shape[0]


def _of_rows(rows, like):
    if rows and isinstance(rows[0], RaggedTensor):
        inner = [row for one in rows for row in one]
        return RaggedTensor.from_row_lengths(_of_rows(inner, like._values), [len(one) for one in rows])
    lengths = [one._shape[0] for one in rows]
    values = ops_array.concat(rows, 0) if rows else like.flat_values[:0]
    return RaggedTensor.from_row_lengths(values, lengths)


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=int64):
    """A ragged tensor of nested lists. Raises: ValueError for lists of different depths."""
    def depth(value):
        if not isinstance(value, (list, tuple)):
            return 0
        return 1 + max((depth(one) for one in value), default=0)
    levels = depth(pylist)
    if levels == 0:
        return convert_to_tensor(pylist, dtype=dtype)

    def check(value, level):
        if level and not isinstance(value, (list, tuple)):
            raise ValueError(f"pylist has scalar values at different depths: {pylist}")
        for one in value if level else ():
            check(one, level - 1)
    check(pylist, levels)
    if levels == 1:
        return convert_to_tensor(pylist, dtype=dtype)
    lengths, rows = [], pylist
    for _ in _range(levels - 1 if ragged_rank is None else ragged_rank):
        lengths.append([len(one) for one in rows])
        rows = [inner for one in rows for inner in one]
    values = convert_to_tensor(rows, dtype=dtype) if rows or dtype else convert_to_tensor([], as_dtype("float32"))
    for one in reversed(lengths):
        values = RaggedTensor.from_row_lengths(values, one)
    return values


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=int64):
    """A row of numbers for each start and limit."""
    import numpy
    if limits is None:
        starts, limits = 0, starts
    given = numpy.broadcast_arrays(*[convert_to_tensor(one).numpy() for one in (starts, limits, deltas)])
    rows = [numpy.arange(*one) for one in zip(*[one.reshape(-1) for one in given])]
    return RaggedTensor.from_row_lengths(convert_to_tensor(numpy.concatenate(rows)), [len(one) for one in rows])


def stack(values, axis=0, name=None):
    """Tensors of one rank as rows."""
    if axis != 0:
        raise NotImplementedError("rows are stacked along axis 0")
    return _of_rows([convert_to_tensor(one) for one in values], None)


def boolean_mask(data, mask, name=None):
    """The elements where the mask is true, row by row."""
    import numpy
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data)
    flat = mask.flat_values if isinstance(mask, RaggedTensor) else ops_array.reshape(mask, [-1])
    kept = flat.numpy().astype(bool)
    lengths = numpy.array([int(kept[a:b].sum()) for a, b in zip(data.row_splits.numpy(), data.row_splits.numpy()[1:])])
    return RaggedTensor.from_row_lengths(ops_array.gather(data.flat_values, numpy.nonzero(kept)[0].astype("int32")),
                                         lengths)


def map_flat_values(op, *args, **kwargs):
    """`op` of the flat values."""
    first = next(one for one in args if isinstance(one, RaggedTensor))
    return first.with_flat_values(op(*[one.flat_values if isinstance(one, RaggedTensor) else one for one in args],
                                     **kwargs))


def _mean_of_rows(value, sums):
    dtype = value.dtype if value.dtype.is_floating else as_dtype("float64")
    counts = _native.cast(value.row_lengths(), dtype)
    shape = [-1] + [1] * (sums._rank - 1)
    return _native.cast(sums, dtype) / ops_array.reshape(counts, shape)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The number of the row of each element."""
    made = RaggedTensor(None, _splits(splits)).value_rowids()
    return made if out_type is None else _native.cast(made, as_dtype(out_type))


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Where each row begins, and where the last one ends, of the numbers of elements' rows."""
    rows = convert_to_tensor(segment_ids)
    made = RaggedTensor.from_value_rowids(rows, rows, num_segments, validate=False).row_splits
    return made if out_type is None else _native.cast(made, as_dtype(out_type))


def reduced(value, axis, kind, keepdims=False):
    """A reduction of a ragged tensor: over all (None), rows (0), or what is in a row (1 and more)."""
    from . import math
    whole = {"sum": ops_math.reduce_sum, "mean": ops_math.reduce_mean, "max": ops_math.reduce_max,
             "min": ops_math.reduce_min}[kind]
    if axis is None:
        return whole(value.flat_values)
    if axis < 0:
        axis += value.shape.rank
    if axis > 1:
        return value.with_values(reduced(value.values, axis - 1, kind) if isinstance(
            value.values, RaggedTensor) else whole(value.values, axis=axis - 1))
    if axis == 0:
        import numpy
        places = numpy.concatenate([numpy.arange(n) for n in value._lengths()] or [[]]).astype("int32")
        count = int(value._lengths().max(initial=0))
    else:
        places, count = _native.cast(value.value_rowids(), as_dtype("int32")), len(value)
    if isinstance(value.values, RaggedTensor):
        raise NotImplementedError("reduce the inner rows first")
    if kind == "mean" and axis == 1:  # of no elements NaN
        made = _mean_of_rows(value, math.unsorted_segment_sum(value.values, places, count))
    else:
        made = getattr(math, "unsorted_segment_" + kind)(value.values, places, count)
    return ops_array.expand_dims(made, axis) if keepdims else made


_ = Tensor
