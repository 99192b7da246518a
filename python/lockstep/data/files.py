"""Datasets in files: kept ones, fixed records, and CSV with a header."""

import gzip
import math
import os
import zlib

from .. import _native, _refused, errors, nest
from .._damage import reading, refuse
from .._dtypes import as_dtype
from .._function import TensorSpec
from .._tensor import convert_to_tensor


def _form(spec):
    """A structure of specs as plain values for a file."""
    if isinstance(spec, TensorSpec):
        return ("tensor", int(spec.dtype), None if spec.shape.rank is None else spec.shape.as_list())
    if isinstance(spec, dict):
        return ("dict", [(key, _form(one)) for key, one in spec.items()])
    return ("tuple", [_form(one) for one in spec])


def _formed(form):
    kind = form[0]
    if kind == "tensor":
        return TensorSpec(form[2], as_dtype(form[1]))
    if kind == "dict":
        return {key: _formed(one) for key, one in form[1]}
    if kind != "tuple":
        raise ValueError(f"got a structure of the kind {kind!r}")
    return tuple(_formed(one) for one in form[1])


def _packed(tensor):
    """A tensor as bytes."""
    import json
    if tensor._dtype == 7:
        texts = tensor._strings()
        head = {"dtype": 7, "shape": list(tensor._shape), "sizes": [len(one) for one in texts]}
        body = b"".join(texts)
    else:
        head = {"dtype": tensor._dtype, "shape": list(tensor._shape)}
        body = tensor.numpy().tobytes()
    text = json.dumps(head).encode()
    return len(text).to_bytes(4, "little") + text + body


def _unpacked(data):
    """The tensor of `_packed`. Raises: ValueError where the sizes that it declares are not those of its bytes."""
    import json
    import numpy
    size = int.from_bytes(data[:4], "little")
    head, body = json.loads(data[4:4 + size]), data[4 + size:]
    shape = [int(one) for one in head["shape"]]
    if min(shape, default=0) < 0:
        raise ValueError(f"got the shape {shape}")
    if head["dtype"] == 7:
        if min(head["sizes"], default=0) < 0 or sum(head["sizes"]) != len(body) or math.prod(shape) != len(head["sizes"]):
            raise ValueError(f"got {len(body)} bytes for {len(head['sizes'])} strings of the shape {shape}")
        texts, place = [], 0
        for one in head["sizes"]:
            texts.append(body[place:place + one])
            place += one
        return _native.from_strings(texts, shape)
    dtype = as_dtype(head["dtype"])
    return convert_to_tensor(numpy.frombuffer(body, dtype.as_numpy_dtype).reshape(shape).copy(), dtype=dtype)


def _elements(path, spec, total=None, compression=None):
    """The elements of a file that `_write` has written: records, one a component. Raises: DataLossError for other elements than
    `spec` says, or another number of them than `total`."""
    from . import TFRecordDataset
    specs = nest.flatten(spec)
    count, row, head = 0, [], None
    for record in TFRecordDataset(path, compression or ""):
        data = record.numpy()
        with reading(path):
            if head is None:
                head = int(data)
                if head != len(specs):
                    refuse(path, f"elements have {len(specs)} components; got {head}")
                continue
            one = _unpacked(data)
            if one.dtype != specs[len(row)].dtype or not specs[len(row)].shape.is_compatible_with(one.shape):
                refuse(path, f"the component {len(row)} of an element must be {specs[len(row)]}; got {one.dtype.name}{one.shape}")
        row.append(one)
        if len(row) == head:
            count += 1
            yield row
            row = []
    if row or head is None or total is not None and count != total:
        refuse(path, f"the file ends within its elements; got {count} whole ones")


def _write(path, count, rows, compression=None):
    """Writes to a file beside it, and names it `path` once all is there."""
    from ..io import TFRecordWriter
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    unfinished = f"{path}.{os.getpid()}.unfinished"
    with TFRecordWriter(unfinished, compression) as writer:
        writer.write(str(count).encode())
        for row in rows:
            for one in row:
                writer.write(_packed(one))
            yield row
    os.replace(unfinished, path)


def cached(dataset, prefix, compression=None):
    """The dataset; its first full pass writes the elements to a file, others read them there."""
    from ._elements import _flat_element
    path = prefix + ".data"
    count = len(nest.flatten(dataset._spec))

    def make():
        if os.path.exists(path):
            return _elements(path, dataset._spec, None, compression)
        return _write(path, count, (_flat_element(one) for one in dataset), compression)
    return dataset._from_python(make, dataset._spec, "CacheDataset")


def compression_of(where, compression):
    """How files are compressed: None or "GZIP". "AUTO" and "SNAPPY" leave them as they are. Raises: ValueError."""
    _refused.one_of(where, "compression", compression, (None, "", "NONE", "AUTO", "GZIP", "SNAPPY"))
    return "GZIP" if compression == "GZIP" else None


def save(dataset, path, compression=None):
    """Writes a dataset below a folder."""
    import json
    from ._elements import _flat_element
    folder = os.fspath(path)
    compression = compression_of("Dataset.save", compression)
    count = sum(1 for _ in _write(os.path.join(folder, "elements.data"), len(nest.flatten(dataset._spec)),
                                  (_flat_element(one) for one in dataset), compression))
    with open(os.path.join(folder, "element_spec.json"), "w") as file:
        json.dump({"spec": _form(dataset._spec), "count": count}, file)


def _fitting(found, wanted):
    """The spec that a program gives for saved elements. Raises: ValueError where the saved elements have another."""
    nest.assert_same_structure(found, wanted)
    for own, one in zip(nest.flatten(found), nest.flatten(wanted)):
        if own.dtype != one.dtype or not own.shape.is_compatible_with(one.shape):
            raise ValueError(f"[Dataset.load] element_spec must be that of the saved elements, {found!r}; got {wanted!r}")
    return wanted


def load(path, element_spec=None, compression=None):
    """The dataset of a folder. Raises: NotFoundError; ValueError for another `element_spec`; DataLossError for damaged files,
    and for another compression than the elements were saved with."""
    import json
    from . import Dataset
    from ._names_of import _names_of
    folder = _names_of(path)[0]
    described = os.path.join(folder, "element_spec.json")
    if not os.path.exists(described):
        raise errors.NotFoundError(None, None, f"{described}; No such file or directory; a dataset that TensorFlow has saved "
                                   "is not read: write its elements as TFRecord")
    with reading(described):
        with open(described, encoding="utf-8") as file:
            form = json.load(file)
        form = form if isinstance(form, dict) else {"spec": form, "count": None}
        spec, total = _formed(form["spec"]), form["count"]
        if total is not None and (type(total) is not int or total < 0):
            refuse(described, f"the count of elements must be a number; got {total!r}")
    spec = spec if element_spec is None else _fitting(spec, element_spec)
    data, kind = os.path.join(folder, "elements.data"), compression_of("Dataset.load", compression)
    made = Dataset.range(0)._from_python(lambda: _elements(data, spec, total, kind), spec, "_LoadDataset")
    if total is not None:
        made._asserted = total
    return made


def fixed_records(names, size, header, footer, compression):
    """Pieces of `size` bytes. Raises: InvalidArgumentError for a size below 1; at the element, where a file does not divide
    into them."""
    from . import Dataset
    if size < 1:
        raise errors.InvalidArgumentError(None, None, f"`record_bytes` must be positive; got {size}")

    def make():
        for name in names:
            try:
                with open(name, "rb") as file:
                    data = file.read()
            except FileNotFoundError:
                raise errors.NotFoundError(None, None, f"{name}; No such file or directory") from None
            with reading(name):
                data = gzip.decompress(data) if compression == "GZIP" else zlib.decompress(data) if compression == "ZLIB" else data
            body = len(data) - header - footer
            if body < 0 or body % size:
                raise errors.InvalidArgumentError(None, None, f"Excess bytes of {body % size} in input file {name}, which "
                                                  f"holds {body} bytes of records of {size}")
            for at in range(header, header + body, size):
                yield [convert_to_tensor(data[at:at + size])]
    return Dataset.range(0)._from_python(make, TensorSpec([], "string"), "FixedLengthRecordDatasetV2")


def _kind(texts):
    """The default of a column by the fields seen: int32, int64, float32, or text."""
    for convert, dtype in ((int, "int32"), (int, "int64"), (float, "float32")):
        try:
            values = [convert(one) for one in texts if one]
        except ValueError:
            continue
        if not values or dtype == "int32" and any(abs(one) >= 2 ** 31 for one in values):
            continue
        return dtype
    return "string"


def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None, select_columns=None,
                     field_delim=",", use_quote_delim=True, na_value="", header=True, num_epochs=None, shuffle=True,
                     shuffle_buffer_size=10000, shuffle_seed=None, prefetch_buffer_size=None, num_parallel_reads=None,
                     sloppy=False, num_rows_for_inference=100, compression_type=None, ignore_errors=False,
                     encoding="utf-8"):
    """Batches of the columns of CSV files by name, an ordered dict; with `label_name` (columns, label). Kinds of columns are
    those of the first rows. Raises: ValueError for names that the header lacks."""
    import collections
    import csv
    from . import Dataset, TextLineDataset
    names = list(Dataset.list_files(file_pattern, shuffle=False).as_numpy_iterator())
    lines = [one.numpy().decode(encoding) for one in TextLineDataset(names[0], compression_type).take(
        int(num_rows_for_inference or 100) + 1)]
    rows = list(csv.reader(lines, delimiter=field_delim))
    columns = list(column_names or rows[0])
    chosen = columns if select_columns is None else [columns[one] if isinstance(one, int) else one for one in select_columns]
    missing = [one for one in chosen + ([label_name] if label_name else []) if one not in columns]
    if missing:
        raise ValueError(f"`label_name` and `select_columns` must be among the columns {columns}; got {missing}")
    places = sorted(columns.index(one) for one in chosen)
    chosen = [columns[one] for one in places]
    body = rows[1:] if header else rows
    defaults = column_defaults
    if defaults is None:
        kinds = [_kind([row[place] for row in body if len(row) == len(columns)]) for place in places]
        defaults = [convert_to_tensor([""] if kind == "string" else [0], dtype=kind) for kind in kinds]
    elif len(defaults) == len(columns) and len(places) != len(columns):
        defaults = [defaults[place] for place in places]
    from .experimental import CsvDataset

    def one_file(name):
        lines = CsvDataset(name, defaults, compression_type, header=header, field_delim=field_delim,
                           use_quote_delim=use_quote_delim, na_value=na_value, select_cols=places)
        return lines.ignore_errors() if ignore_errors else lines
    files = Dataset.from_tensor_slices(names)
    if shuffle:  # the order of the files takes the first seed
        files = files.shuffle(len(names), shuffle_seed)
    made = files.interleave(one_file, cycle_length=num_parallel_reads or 1, block_length=1)
    if shuffle:
        made = made.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        made = made.repeat(num_epochs)
    made = made.batch(batch_size, drop_remainder=num_epochs is None)

    def named(*values):
        features = collections.OrderedDict(zip(chosen, values))
        if label_name is None:
            return features
        return features, features.pop(label_name)
    return made.map(named).prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)

