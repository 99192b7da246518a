"""Files: `tf.io`."""

from . import _native, gfile  # noqa: F401
from ._dtypes import as_dtype, int64
from ._features import (FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, VarLenFeature, batched_rows,
                        rows_of_one)
from ._sequence_examples import parse_sequence_example, parse_single_sequence_example  # noqa: F401
from ._tensor import convert_to_tensor


def _path(name):
    if hasattr(name, "numpy"):
        name = name.numpy()
    return name.decode() if isinstance(name, bytes) else str(name)


def read_file(filename, name=None):
    """The bytes of a file, as a string tensor. Raises: NotFoundError."""
    from ._host_calls import _on_host
    from .errors import NotFoundError
    if getattr(filename, "_symbolic", False):
        return _on_host(read_file, [filename], [], "string")
    try:
        with open(_path(filename), "rb") as file:
            return convert_to_tensor(file.read())
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{_path(filename)}; No such file or directory") from None


def write_file(filename, contents, name=None):
    """Writes a string to a file, whose folders are made."""
    import os
    from ._host_calls import py_function
    if any(getattr(one, "_symbolic", False) for one in (filename, contents)):
        return py_function(write_file, [filename, contents], [])
    path = _path(filename)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    data = contents.numpy() if hasattr(contents, "numpy") else contents
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else str(data).encode())


class TFRecordOptions:
    """How records are compressed: "", "GZIP" or "ZLIB"; the other arguments change no record that is read. Raises: ValueError."""

    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None, window_bits=None,
                 compression_level=None, compression_method=None, mem_level=None, compression_strategy=None):
        self.get_compression_type_string(compression_type)
        self.compression_type, self.flush_mode = compression_type, flush_mode
        self.input_buffer_size, self.output_buffer_size, self.window_bits = input_buffer_size, output_buffer_size, window_bits
        self.compression_level, self.compression_method = compression_level, compression_method
        self.mem_level, self.compression_strategy = mem_level, compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """The compression of options, or of its name or number. Raises: ValueError."""
        if isinstance(options, cls):
            return cls.get_compression_type_string(options.compression_type)
        kind = cls.compression_type_map.get(options, options) or ""
        if kind not in cls.compression_type_map.values():
            raise ValueError(f'Not a valid compression_type: "{kind}"')
        return kind


class TFRecordWriter:
    """Writes records one after another, with their checksums. Raises: NotFoundError for a path that cannot be made;
    FailedPreconditionError once it is closed."""

    def __init__(self, path, options=None):
        self._native = _native.TFRecordWriter.open(_path(path), TFRecordOptions.get_compression_type_string(options))

    def write(self, record):
        """One more record: bytes, or text."""
        if self._native is None:
            from .errors import FailedPreconditionError
            raise FailedPreconditionError(None, None, "Writer is closed.")
        if isinstance(record, int):
            raise TypeError(f"a record must be bytes or text; got {record!r}")
        self._native.write(record.encode() if isinstance(record, str) else bytes(record))

    def flush(self):
        """Hands what was written to the system."""
        if self._native is not None:
            self._native.flush()

    def close(self):
        """Ends the file; a second time it does nothing."""
        if self._native is not None:
            self._native.close()
            self._native = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


_FIXED, _PADDED, _SPARSE, _RAGGED = range(4)  # FeatureSpec's kinds


def _specs(features):
    """What is asked for: (name, dtype, shape, kind, default) each, in the order in which `_taken` takes it."""
    made = []
    for name in sorted(features):
        one = features[name]
        if isinstance(one, VarLenFeature):
            made.append((name, int(as_dtype(one.dtype)), [], _SPARSE, None))
        elif isinstance(one, RaggedFeature):
            made.append((one.value_key or name, int(as_dtype(one.dtype)), [], _RAGGED, None))
            made += [(key, int(int64), [], _RAGGED, None) for key in one._keys()]
        elif isinstance(one, SparseFeature):
            made += [(key, int(int64), [], _SPARSE, None) for key in one._keys()]
            made.append((one.value_key, int(as_dtype(one.dtype)), [], _SPARSE, None))
        elif isinstance(one, (FixedLenFeature, FixedLenSequenceFeature)):
            if isinstance(one, FixedLenSequenceFeature) and not one.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            default = one.default_value
            if default is not None:
                default = convert_to_tensor(default, dtype=as_dtype(one.dtype))
            made.append((name, int(as_dtype(one.dtype)), list(one.shape), _FIXED if isinstance(one, FixedLenFeature) else _PADDED, default))
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
        def take():
            values = next(tensors)
            return RaggedTensor.from_row_splits(values, _native.cast(next(tensors), as_dtype(feature.row_splits_dtype)),
                                                validate=False) if batched else values
        values, given = take(), {key: take() for key in feature._keys()}
        return (batched_rows if batched else rows_of_one)(values, feature, given)
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
    """What `serialize_tensor`, here or in TensorFlow, has made bytes of. While a function is traced its shape is not known, until
    `tf.ensure_shape` or `tf.reshape` gives it. Raises: InvalidArgumentError for bytes that are none or of another dtype."""
    from ._host_calls import _on_host
    from ._tensor_proto import parse
    data = convert_to_tensor(serialized)
    if data._symbolic:
        return _on_host(lambda one: parse(one._item(), out_type), [data], None, out_type)
    return parse(data._item(), out_type)


def tf_record_iterator(path, options=None):
    """The records of a file one after another, as bytes. Raises: DataLossError for a broken one."""
    from .compat.v1._readers import tf_record_iterator as records
    yield from records(path, options)


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
    if getattr(pattern, "_symbolic", False):
        from ._host_calls import _on_host
        return _on_host(matching_files, [pattern], [None], "string")
    return convert_to_tensor(gfile.matching(_path(pattern)) or [], dtype="string")


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph as a GraphDef, as text or in binary. Returns: the path."""
    from .compat.v1._graph_defs import write_graph as write
    return write(graph_or_graph_def, logdir, name, as_text)
