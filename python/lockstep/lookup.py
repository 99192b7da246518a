"""Tables from keys to values: `tf.lookup`. Keys are texts or integers. Tables that never change are native, also in graphs;
those that change are Python, in graphs an op of the host."""

import functools

from . import _native
from ._dtypes import as_dtype
from ._function import init_scope
from ._host_calls import _on_host
from ._tensor import convert_to_tensor
from .ragged import RaggedTensor
from .sparse import SparseTensor


class TextFileIndex:
    """Of what of a line of a file keys or values are made; a number from 0 on is a column."""
    WHOLE_LINE = -2
    LINE_NUMBER = -1


class KeyValueTensorInitializer:
    """Fills a table from two vectors of one length; in graphs they must be constants of the graph."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = _known(convert_to_tensor(keys, dtype=key_dtype))
        self._values = _known(convert_to_tensor(values, dtype=value_dtype))
        self.key_dtype, self.value_dtype = self._keys.dtype, self._values.dtype

    def _pairs(self):
        return zip(_leaves(self._keys), _leaves(self._values))


class TextFileInitializer:
    """Fills a table from the lines of a file. Raises: NotFoundError, InvalidArgumentError for a line without the column."""

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None,
                 value_index_offset=0):
        self._filename, self._delimiter = filename, delimiter
        self._wanted, self._offset, self._limit = (key_index, value_index), value_index_offset, vocab_size
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    def _pairs(self):
        from .gfile import GFile
        with GFile(self._filename, "rb") as file:
            lines = file.read().split(b"\n")
        lines = lines[:-1] if lines and not lines[-1] else lines
        for number, line in enumerate(lines[:self._limit]):
            key, value = (self._part(line, number, one) for one in self._wanted)
            yield (_typed(key, self.key_dtype),
                   _typed(value + self._offset if self._wanted[1] == TextFileIndex.LINE_NUMBER else value, self.value_dtype))

    def _part(self, line, number, index):
        if index == TextFileIndex.LINE_NUMBER:
            return number
        if index == TextFileIndex.WHOLE_LINE:
            return line
        columns = line.split(self._delimiter.encode())
        if index >= len(columns):
            from .errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, f"Invalid number of columns in {self._filename} line {number} ({line!r}): "
                                       f"expected at least {index + 1} got {len(columns)}")
        return columns[index]


def _typed(value, dtype):
    if dtype.name == "string":
        return value if isinstance(value, bytes) else str(value).encode()
    return float(value) if dtype.is_floating else int(value)


def _known(tensor):
    """A tensor whose value is known when a graph is built. Raises: NotImplementedError for one that only a run gives."""
    known = _native.static_value(tensor) if tensor._symbolic else tensor
    if known is None:
        raise NotImplementedError(f"a table takes its first keys, values and default when it is made; got {tensor}, which only "
                                  "a run gives; use tf.lookup.experimental.MutableHashTable and its insert")
    return known


def _leaves(tensor):
    return tensor._strings() if tensor._dtype == 7 else tensor.numpy().reshape(-1).tolist()


def _made(values, dtype, shape):
    if dtype.name == "string":
        return _native.from_strings(values, list(shape))
    import numpy
    return convert_to_tensor(numpy.array(values, dtype.as_numpy_dtype).reshape(tuple(shape)))


def _wide(keys):
    """Keys as a native table has them."""
    return keys if keys.dtype.name in ("string", "int64") else _native.cast(keys, as_dtype("int64"))


def _of_values(lookup):
    """A table's method of tensors; of sparse and ragged tensors for their values."""
    @functools.wraps(lookup)
    def call(self, keys, *arguments, **options):
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, lookup(self, keys.values, *arguments, **options), keys.dense_shape)
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(lookup(self, keys.flat_values, *arguments, **options))
        return lookup(self, keys, *arguments, **options)
    return call


class _Table:
    """What all tables do."""

    def _begin(self, key_dtype, value_dtype, name):
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self.name = name
        self._entries = {}

    def _keys_of(self, keys):
        if not hasattr(keys, "dtype"):  # numbers and texts of Python are keys of the table's dtype
            return convert_to_tensor(keys, dtype=self.key_dtype)
        keys = convert_to_tensor(keys) if not hasattr(keys, "_symbolic") else keys
        if keys.dtype != self.key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}")
        return keys

    def _each(self, keys, function):
        """A tensor of `function(key)` for each key."""
        if keys._symbolic:
            return _on_host(lambda one: self._each(one, function), [keys],
                           list(keys._shape) + self._row_shape(), self.value_dtype)
        values = [function(one) for one in _leaves(keys)]
        return _made(values, self.value_dtype, list(keys._shape) + self._row_shape())

    def _row_shape(self):
        return []

    @property
    def initializer(self):
        """An operation that does nothing: a table has its values when it is made. None outside of graphs."""
        from .compat.v1 import in_graph, tables_initializer
        return tables_initializer() if in_graph() else None

    def size(self, name=None):
        """How many entries there are, int64."""
        return convert_to_tensor(len(self._entries), dtype="int64")

    def export(self, name=None):
        """(keys, values) of all entries."""
        entries = list(self._entries.items())
        return (_made([key for key, _ in entries], self.key_dtype, [len(entries)]),
                _made([value for _, value in entries], self.value_dtype, [len(entries)] + self._row_shape()))

    def __getitem__(self, keys):
        return self.lookup(keys if hasattr(keys, "_symbolic") else convert_to_tensor(keys, dtype=self.key_dtype))

    def _columns(self):
        """Keys, integers as int64, and values."""
        kind = self.key_dtype if self.key_dtype.name == "string" else as_dtype("int64")
        return (_made(list(self._entries), kind, [len(self._entries)]),
                _made(list(self._entries.values()), self.value_dtype, [len(self._entries)]))

    def _fill(self, pairs):
        for key, value in pairs:
            known = self._entries.setdefault(key, value)
            if known != value:
                from .errors import FailedPreconditionError
                raise FailedPreconditionError(None, None, f"HashTable has different value for same key. Key {key!r} has "
                                              f"{known!r} and trying to add value {value!r}")


class StaticHashTable(_Table):
    """A table that is filled once; keys that it lacks give `default_value`."""

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        self._begin(initializer.key_dtype, initializer.value_dtype, name or "hash_table")
        self._default = _known(convert_to_tensor(default_value, dtype=self.value_dtype))
        with init_scope():
            self._fill(initializer._pairs())
            self._native = _native.LookupTable(*self._columns(), self._default)

    default_value = property(lambda self: self._default)
    resource_handle = property(lambda self: self)

    @_of_values
    def lookup(self, keys, name=None):
        """The values of keys. Shapes: as the keys. Raises: TypeError for keys of another dtype."""
        return self._native.find(_wide(self._keys_of(keys)))


class StaticVocabularyTable(_Table):
    """Keys that an initializer numbers from 0 on; each other key gives one of `num_oov_buckets` further numbers, by its
    hash. Raises: ValueError, TypeError."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None, experimental_is_anonymous=False):
        if num_oov_buckets <= 0:
            raise ValueError(f"`num_oov_buckets` must be > 0; use StaticHashTable. Received: {num_oov_buckets}")
        key = "string" if initializer is None else initializer.key_dtype
        self._begin(lookup_key_dtype or key, "int64", name or "string_to_index")
        self._buckets = int(num_oov_buckets)
        if initializer is not None and initializer.value_dtype.name != "int64":
            raise TypeError(f"Invalid `value_dtype`, expected {as_dtype('int64')!r} but got {initializer.value_dtype!r}.")
        with init_scope():
            self._fill(initializer._pairs() if initializer is not None else ())
            self._native = _native.LookupTable(*self._columns(), self._buckets, len(self._entries), True)

    def size(self, name=None):
        return convert_to_tensor(len(self._entries) + self._buckets, dtype="int64")

    @_of_values
    def lookup(self, keys, name=None):
        """The number of each key, int64. Shapes: as the keys."""
        return self._native.find(_wide(self._keys_of(keys)))


class MutableHashTable(_Table):
    """A table that changes while it is used; `tf.lookup.experimental.MutableHashTable`."""

    def __init__(self, key_dtype, value_dtype, default_value, name="MutableHashTable", checkpoint=True,
                 experimental_is_anonymous=False):
        self._begin(key_dtype, value_dtype, name)
        self._is_saved = bool(checkpoint)
        self._default = convert_to_tensor(default_value, dtype=self.value_dtype)

    def _row_shape(self):
        return list(self._default._shape)

    def _row(self, value):
        return tuple(value) if isinstance(value, list) else value

    @_of_values
    def lookup(self, keys, dynamic_default_values=None, name=None):
        """The values of keys. Shapes: [keys..., value...]."""
        import numpy
        shape = self._row_shape()
        other = self._default._strings()[0] if self._default._dtype == 7 else self._default.numpy().tolist()
        others = None if dynamic_default_values is None else iter(_leaves(convert_to_tensor(dynamic_default_values)))

        def value(key):
            fallback = next(others) if others is not None else other
            found = self._entries.get(key, fallback)
            return numpy.asarray(found).tolist() if shape else found
        return self._each(self._keys_of(keys), value)

    def insert(self, keys, values, name=None):
        """Puts entries in, over those of the same keys. In a traced function it happens when the function runs."""
        keys = self._keys_of(keys)
        values = convert_to_tensor(values, dtype=None if hasattr(values, "dtype") else self.value_dtype)

        def put(tensors):
            rows = tensors[1]._strings() if tensors[1]._dtype == 7 else tensors[1].numpy().reshape(
                (-1,) + tuple(self._row_shape())).tolist()
            self._entries.update(zip(_leaves(tensors[0]), rows))
            return []
        return self._done(put, [keys, values])

    def remove(self, keys, name=None):
        """Takes entries out; keys that are not there do nothing."""
        def drop(tensors):
            for key in _leaves(tensors[0]):
                self._entries.pop(key, None)
            return []
        return self._done(drop, [self._keys_of(keys)])

    def erase(self, keys, name=None):
        return self.remove(keys, name)

    @staticmethod
    def _done(function, tensors):
        if _native.is_tracing():
            from ._function import host_operation
            return host_operation(function, tensors, "Lookup")
        function(tensors)
        return None

    def size(self, name=None):
        """How many entries there are, int64."""
        if _native.is_tracing():
            return _native.host_call(lambda _: [convert_to_tensor(len(self._entries), dtype="int64")], [],
                                     [as_dtype("int64")], [[]])[0]
        return convert_to_tensor(len(self._entries), dtype="int64")


class DenseHashTable(MutableHashTable):
    """The same, with two keys that are no entries; `tf.lookup.experimental.DenseHashTable`."""

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
                 name="MutableDenseHashTable", checkpoint=True, experimental_is_anonymous=False):
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint)
        self._refused = [_leaves(convert_to_tensor(one, dtype=self.key_dtype))[0] for one in (empty_key, deleted_key)]

    def insert(self, keys, values, name=None):
        """Raises: InvalidArgumentError for the empty and the deleted key."""
        keys = self._keys_of(keys)
        if not keys._symbolic and any(one in self._refused for one in _leaves(keys)):
            from .errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, "Using the empty_key as a table key is not allowed")
        return super().insert(keys, values, name)


class experimental:
    """Tables that change."""
    MutableHashTable = MutableHashTable
    DenseHashTable = DenseHashTable
