"""Datasets of the lines and records of files."""

import os

from .. import _native
from .._function import TensorSpec
from ._dataset import Dataset
from ._deferred import deferrable_files
from ._names_of import _names_of


def _in_turns(filenames, parallel, read):
    """What `read` gives for the names; file after file, or, with a number of `num_parallel_reads`, an element of each of as
    many files in turn, as TensorFlow does."""
    names = _names_of(filenames)
    if parallel is None or int(parallel) < 2 or len(names) < 2:
        return read(names)
    files = _native.Dataset.from_tensor_slices([_native.from_strings([os.fsencode(one) for one in names], [len(names)])])
    return files.interleave(lambda name: read([os.fsdecode(one) for one in name[0]._strings()]), int(parallel), 1)


@deferrable_files
class TFRecordDataset(Dataset):
    """The records of TFRecord files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        self._native = _in_turns(filenames, num_parallel_reads,
                                 lambda names: _native.record_dataset(names, compression_type or ""))
        self._spec = TensorSpec([], "string")
        self._name = "TFRecordDatasetV2"


@deferrable_files
class TextLineDataset(Dataset):
    """The lines of text files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        self._native = _in_turns(filenames, num_parallel_reads,
                                 lambda names: _native.line_dataset(names, compression_type or ""))
        self._spec = TensorSpec([], "string")
        self._name = "TextLineDatasetV2"


@deferrable_files
class FixedLengthRecordDataset(Dataset):
    """Pieces of `record_bytes` bytes of files, as strings, without a header and a footer of each file."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
                 compression_type=None, num_parallel_reads=None, name=None):
        from . import files
        sizes = int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0)
        self._native = _in_turns(filenames, num_parallel_reads, lambda names: files.fixed_records(
            names, *sizes, compression_type or "")._native)
        self._spec = TensorSpec([], "string")
        self._name = "FixedLengthRecordDatasetV2"
