"""Datasets of the lines and records of files."""

from .. import _native
from .._function import TensorSpec
from ._dataset import Dataset
from ._deferred import deferrable_files
from ._names_of import _names_of


@deferrable_files
class TFRecordDataset(Dataset):
    """The records of TFRecord files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        self._native = _native.record_dataset(_names_of(filenames), compression_type or "")
        self._spec = TensorSpec([], "string")
        self._name = "TFRecordDatasetV2"


@deferrable_files
class TextLineDataset(Dataset):
    """The lines of text files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        self._native = _native.line_dataset(_names_of(filenames), compression_type or "")
        self._spec = TensorSpec([], "string")
        self._name = "TextLineDatasetV2"


@deferrable_files
class FixedLengthRecordDataset(Dataset):
    """Pieces of `record_bytes` bytes of files, as strings, without a header and a footer of each file."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
                 compression_type=None, num_parallel_reads=None, name=None):
        from . import files
        self._native = files.fixed_records(_names_of(filenames), int(record_bytes), int(header_bytes or 0),
                                           int(footer_bytes or 0), compression_type or "")._native
        self._spec = TensorSpec([], "string")
        self._name = "FixedLengthRecordDatasetV2"
