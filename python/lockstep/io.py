"""Files: `tf.io`."""

from . import _native, gfile  # noqa: F401
from ._dtypes import as_dtype, int64
from ._tensor import convert_to_tensor


def _path(name):
    if hasattr(name, "numpy"):
        name = name.numpy()
    return name.decode() if isinstance(name, bytes) else str(name)


def read_file(filename, name=None):
    """The bytes of a file, as a string tensor. Raises: NotFoundError."""
    from .errors import NotFoundError
    try:
        with open(_path(filename), "rb") as file:
            return convert_to_tensor(file.read())
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{_path(filename)}; No such file or directory") from None


def write_file(filename, contents, name=None):
    """Writes a string to a file, whose folders are made."""
    import os
    path = _path(filename)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    data = contents.numpy() if hasattr(contents, "numpy") else contents
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else str(data).encode())


class TFRecordOptions:
    def __init__(self, compression_type="", **kwargs):
        self.compression_type = compression_type or ""


class TFRecordWriter:
    """Writes records one after another, with their checksums."""

    def __init__(self, path, options=None):
        compression = options if isinstance(options, str) else getattr(options, "compression_type", "")
        self._native = _native.TFRecordWriter.open(_path(path), compression or "")

    def write(self, record):
        self._native.write(bytes(record))

    def flush(self):
        self._native.flush()

    def close(self):
        self._native.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class FixedLenFeature:
    """A feature of exactly `shape`."""

    def __init__(self, shape, dtype, default_value=None):
        self.shape, self.dtype, self.default_value = list(shape), as_dtype(dtype), default_value


class VarLenFeature:
    """A feature of any length, given as a sparse tensor: a vector, of a batch a matrix."""

    def __init__(self, dtype):
        self.dtype = as_dtype(dtype)


class RaggedFeature:
    """A feature of any length: a vector, of a batch rows of a ragged tensor.

    Args: value_key: the feature's name, by default its key. Raises: NotImplementedError for partitions."""

    def __init__(self, dtype, value_key=None, partitions=(), row_splits_dtype="int32", validate=False):
        if partitions:
            raise NotImplementedError("rows within an example are not built; parse the partitions as features of their own, "
                                      "and write tf.RaggedTensor.from_row_splits(values, splits)")
        self.dtype, self.value_key, self.partitions = as_dtype(dtype), value_key, ()
        self.row_splits_dtype, self.validate = as_dtype(row_splits_dtype), validate


class SparseFeature:
    """Two features, of places and of values, given as a sparse tensor of `size`; of several places for as many axes.

    Raises, when parsed: InvalidArgumentError where there are not as many places as values."""

    def __init__(self, index_key, value_key, dtype, size, already_sorted=False):
        self.index_key, self.value_key, self.dtype = index_key, value_key, as_dtype(dtype)
        self.size, self.already_sorted = size, already_sorted

    def _keys(self):
        return [self.index_key] if isinstance(self.index_key, str) else list(self.index_key)

    def _sizes(self):
        return [self.size] if isinstance(self.index_key, str) else list(self.size)


_FIXED, _PADDED, _SPARSE, _RAGGED = range(4)  # FeatureSpec's kinds


def _with_features(feature):
    """The representation of a feature, with its class's and attributes' names, as TensorFlow's tuples print it."""
    return f"{type(feature).__name__}({', '.join(f'{key}={value!r}' for key, value in vars(feature).items())})"


def _specs(features):
    """What is asked for: (name, dtype, shape, kind, default) each, in the order in which `_taken` takes it."""
    made = []
    for name in sorted(features):
        one = features[name]
        if isinstance(one, VarLenFeature):
            made.append((name, int(one.dtype), [], _SPARSE, None))
        elif isinstance(one, RaggedFeature):
            made.append((one.value_key or name, int(one.dtype), [], _RAGGED, None))
        elif isinstance(one, SparseFeature):
            made += [(key, int(int64), [], _SPARSE, None) for key in one._keys()]
            made.append((one.value_key, int(one.dtype), [], _SPARSE, None))
        elif isinstance(one, (FixedLenFeature, FixedLenSequenceFeature)):
            if isinstance(one, FixedLenSequenceFeature) and not one.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            default = one.default_value
            if default is not None:
                default = convert_to_tensor(default, dtype=one.dtype)
            made.append((name, int(one.dtype), one.shape, _FIXED if isinstance(one, FixedLenFeature) else _PADDED, default))
        else:
            raise ValueError(f"Unsupported FixedLenFeature, VarLenFeature, SparseFeature, FixedLenSequenceFeature or "
                             f"RaggedFeature for key {name}: got {one!r}")
    return made


def _taken(feature, tensors, batched):
    """The value of a feature, of the tensors that come next."""
    from .ragged import RaggedTensor
    from .sparse import SparseTensor
    if isinstance(feature, VarLenFeature):
        return SparseTensor(next(tensors), next(tensors), next(tensors))
    if isinstance(feature, RaggedFeature):
        values = next(tensors)
        return RaggedTensor.from_row_splits(values, _native.cast(next(tensors), feature.row_splits_dtype),
                                            validate=False) if batched else values
    if isinstance(feature, SparseFeature):
        parts = [[next(tensors), next(tensors), next(tensors)] for _ in range(len(feature._keys()) + 1)]
        return _placed(feature, [one[1] for one in parts[:-1]], *parts[-1])
    return next(tensors)


def _placed(feature, places, own, values, shape):
    """Values at the places that other features have."""
    from . import ops_array
    from .sparse import SparseTensor, reorder
    columns = [own[:, i:i + 1] for i in range(own._shape[1] - 1)] + [ops_array.expand_dims(one, 1) for one in places]
    whole = ops_array.concat([shape[:-1], convert_to_tensor(feature._sizes(), dtype=int64)], 0)
    made = SparseTensor(ops_array.concat(columns, 1), values, whole)
    return made if feature.already_sorted else reorder(made)


def _parsed(features, serialized):
    if not features:
        raise ValueError("Missing features: [parse_example] at least one feature must be asked for; got none")
    serialized = convert_to_tensor(serialized)
    tensors = iter(_native.parse_example(serialized, _specs(features)))
    return {name: _taken(features[name], tensors, serialized._rank > 0) for name in sorted(features)}


def parse_single_example(serialized, features, example_names=None, name=None):
    """The features of one serialized `tf.train.Example`, by name.

    Raises: InvalidArgumentError naming a feature that is missing or of another kind."""
    return _parsed(features, serialized)


def parse_example(serialized, features, example_names=None, name=None):
    """The same of each of a vector of serialized examples, stacked."""
    return _parsed(features, serialized)


class FixedLenSequenceFeature:
    """Any number of elements of `shape`, stacked; in a batch padded behind with `default_value`."""

    def __init__(self, shape, dtype, allow_missing=False, default_value=None):
        self.shape, self.dtype, self.allow_missing = list(shape), as_dtype(dtype), allow_missing
        self.default_value = default_value


for _kind in (FixedLenFeature, VarLenFeature, RaggedFeature, SparseFeature, FixedLenSequenceFeature):
    _kind.__repr__ = _with_features


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None,
               name=None):
    """The columns of lines of CSV, one tensor each. Shapes: those of `records`.

    Raises: InvalidArgumentError for another number of fields or a field that is no number."""
    from ._function import TensorSpec
    from ._host_calls import py_function
    records = convert_to_tensor(records)
    defaults = [_csv_default(one) for one in record_defaults]
    if records._symbolic:
        return py_function(lambda r: decode_csv(r, record_defaults, field_delim, use_quote_delim, na_value,
                                                select_cols), [records],
                           [TensorSpec(records.shape, dtype) for dtype, _ in defaults])
    rows = [_csv_row(one.decode(), defaults, field_delim, use_quote_delim, na_value, select_cols, i)
            for i, one in enumerate(records._strings())]
    made = []
    for place, (dtype, _) in enumerate(defaults):
        import numpy
        column = [row[place] for row in rows]
        if records._rank == 0:
            made.append(convert_to_tensor(column[0], dtype=None if dtype.name == "string" else dtype))
            continue
        kind = object if dtype.name == "string" else dtype.as_numpy_dtype
        made.append(convert_to_tensor(numpy.array(column, dtype=kind).reshape(tuple(records._shape)), dtype=dtype))
    return made


def _csv_default(given):
    """(dtype, default or None) of a column."""
    from ._dtypes import DType
    if isinstance(given, (DType, type)):
        return as_dtype(given), None
    value = convert_to_tensor(given)
    if value._dtype == 7:
        return value.dtype, (value._strings()[0] if value._size else None)
    return value.dtype, (value.numpy().reshape(-1)[0] if value._size else None)


def _csv_row(line, defaults, delimiter, quotes, missing, columns, number):
    import csv
    from .errors import InvalidArgumentError
    fields = next(csv.reader([line], delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE), [""])
    if columns is not None:
        fields = [fields[i] for i in columns]
    if len(fields) != len(defaults):
        raise InvalidArgumentError(None, None, f"Expect {len(defaults)} fields but have {len(fields)} in record {number}")
    row = []
    for place, (field, (dtype, default)) in enumerate(zip(fields, defaults)):
        if field in ("", missing):
            if default is None:
                raise InvalidArgumentError(None, None, f"Field {place} is required but missing in record {number}!")
            row.append(default)
            continue
        try:
            row.append(field.encode() if dtype.name == "string" else
                       (float if dtype.is_floating else int)(field))
        except ValueError:
            raise InvalidArgumentError(None, None, f"Field {place} in record {number} is not a valid {dtype.name}: "
                                       f"{field}") from None
    return row


def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """The bytes of strings as the numbers that lie in them. Shapes: [...] to [..., n].

    Args: fixed_length: so many bytes of each string are taken, what is missing is zero.
    Raises: InvalidArgumentError where the strings' sizes differ or do not divide into numbers."""
    return _native.decode_raw(convert_to_tensor(input_bytes), int(as_dtype(out_type)), little_endian, fixed_length)


def serialize_tensor(tensor, name=None):
    """A tensor as the bytes of TensorFlow's TensorProto, a scalar string."""
    from ._host_calls import _on_host
    from ._tensor_proto import serialize
    return _on_host(lambda one: convert_to_tensor(serialize(one)), [convert_to_tensor(tensor)], [], "string")


def parse_tensor(serialized, out_type, name=None):
    """What `serialize_tensor`, here or in TensorFlow, has made bytes of. Raises: InvalidArgumentError for bytes that are
    none or of another dtype; UnimplementedError in traced functions, where the number of axes must be known."""
    from ._tensor_proto import parse
    data = convert_to_tensor(serialized)
    if data._symbolic:
        from .errors import UnimplementedError
        raise UnimplementedError(
            None, None, "[parse_tensor] the number of axes of a result must be known while a function is traced; write "
            "tf.py_function(lambda s: tf.io.parse_tensor(s, dtype), [serialized], tf.TensorSpec(shape, dtype))")
    return parse(data._item(), out_type)


def tf_record_iterator(path, options=None):
    """The records of a file one after another, as bytes. Raises: DataLossError for a broken one."""
    from .data import TFRecordDataset
    kind = getattr(options, "compression_type", options) or ""
    for record in TFRecordDataset(path, compression_type=kind):
        yield record.numpy()


def encode_base64(input, pad=False, name=None):
    """Texts in the base64 of addresses (RFC 4648, with - and _); padded with = where asked."""
    import base64
    from .strings import _map
    return _map(lambda s: base64.urlsafe_b64encode(s) if pad else base64.urlsafe_b64encode(s).rstrip(b"="), input)


def decode_base64(input, name=None):
    """The inverse of `encode_base64`."""
    import base64
    from .strings import _map
    return _map(lambda s: base64.urlsafe_b64decode(s + b"=" * (-len(s) % 4)), input)


def matching_files(pattern, name=None):
    """The files that fit a pattern, a vector."""
    return convert_to_tensor(gfile.matching(_path(pattern)) or [], dtype="string")


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph as a GraphDef, as text or in binary. Returns: the path."""
    from .compat.v1._graph_defs import write_graph as write
    return write(graph_or_graph_def, logdir, name, as_text)
