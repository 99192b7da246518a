"""Readers of files whose names a queue gives: `tf.compat.v1.TextLineReader` and its relatives."""

import threading
import zlib

from ... import _native, _refused
from ..._damage import reading
from ..._dtypes import as_dtype
from ..._tensor import convert_to_tensor


class ReaderBase:
    """Records of the files whose names a queue gives, one in each run that needs `read(queue)`."""

    supports_serialize = False

    def __init__(self, records):
        self._open = records
        self._lock = threading.Lock()
        self._records = iter(())
        self._needs_name = True
        self._count = self._files = 0

    def _next(self):
        """(key, record) of the open file; None where it has no more."""
        with self._lock:
            record = next(self._records, None)
            self._needs_name = record is None
            if record is not None:
                self._count += 1
            elif self._files:
                self._done = self._files
            return record

    def _begin(self, name):
        with self._lock:
            self._files += 1
            self._records = iter(self._open(name))

    def read(self, queue, name=None):
        """The key and the record as texts. A run raises OutOfRangeError when the names are at their end."""
        text = as_dtype("string")

        def take(values):
            while True:
                record = self._next()
                if record is not None:
                    return [convert_to_tensor(one, dtype=text) for one in record]
                self._begin(_name_from(values[0]))  # the queue of the session that runs
        made = _native.host_call(take, [queue.queue_ref], [text, text], [[], []])
        return made[0], made[1]

    def num_records_produced(self, name=None):
        """How many records have been read, int64."""
        return _native.host_call(lambda values: [convert_to_tensor(self._count, dtype="int64")], [], [as_dtype("int64")],
                                 [[]])[0]


def _name_from(queue):
    """The next element of a queue of names, by its handle."""
    made, = _native.emit("QueueDequeue", [queue], {"dtypes": ("list(int)", [7]), "shapes": ("list(int)", [0])})
    name = made._item()
    return name.decode() if isinstance(name, bytes) else name


class TextLineReader(ReaderBase):
    """The lines of files; keys are "name:line"."""

    def __init__(self, skip_header_lines=None, name=None):
        skipped = int(skip_header_lines or 0)

        def lines(path):
            with open(path, "rb") as file:
                for number, line in enumerate(file, 1):
                    if number > skipped:
                        yield f"{path}:{number}".encode(), line.rstrip(b"\n").removesuffix(b"\r")
        super().__init__(lines)


class WholeFileReader(ReaderBase):
    """Whole files; keys are their names."""

    def __init__(self, name=None):
        def whole(path):
            with open(path, "rb") as file:
                yield path.encode(), file.read()
        super().__init__(whole)


class IdentityReader(ReaderBase):
    """The names themselves, as key and record."""

    def __init__(self, name=None):
        super().__init__(lambda path: [(path.encode(), path.encode())])


class TFRecordReader(ReaderBase):
    """The records of TFRecord files; keys are "name:place"."""

    def __init__(self, name=None, options=None):
        def records(path):
            place = 0
            for record in tf_record_iterator(path, options):
                yield f"{path}:{place}".encode(), record
                place += 16 + len(record)
        super().__init__(records)


def _uncompressed(data, encoding):
    return zlib.decompress(data) if encoding == "ZLIB" else data


class FixedLengthRecordReader(ReaderBase):
    """Pieces of `record_bytes` bytes of files; keys are "name:number"."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        _refused.one_of("FixedLengthRecordReader", "encoding", encoding, (None, "", "NONE", "ZLIB"))

        def pieces(path):
            with open(path, "rb") as file:
                data = file.read()
            with reading(path):
                data = _uncompressed(data, encoding)
            data = data[int(header_bytes or 0):len(data) - int(footer_bytes or 0)]
            hop = int(hop_bytes or record_bytes)
            for number, begin in enumerate(range(0, len(data) - record_bytes + 1, hop)):
                yield f"{path}:{number}".encode(), data[begin:begin + record_bytes]
        super().__init__(pieces)


def tf_record_iterator(path, options=None):
    """The records of a TFRecord file, compressed as `options` (TFRecordOptions, or the kind of compression) describe. Raises:
    DataLossError, NotFoundError."""
    from ...data import TFRecordDataset
    from ...io import TFRecordOptions
    from ._sessions import _outside
    kind = TFRecordOptions.get_compression_type_string(options)
    with _outside():
        records = iter(TFRecordDataset(path, kind).as_numpy_iterator())
    while True:
        with _outside():
            record = next(records, None)
        if record is None:
            return
        yield record
