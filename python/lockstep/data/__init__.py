"""Datasets: sequences of elements that are described, not held."""

from ._dataset import (AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset, DatasetSpec,  # noqa: F401
                       DatasetV2)
from ._iterator import Iterator  # noqa: F401
from ._options import Options, ThreadingOptions  # noqa: F401
from ._records import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset  # noqa: F401
from . import experimental  # noqa: E402,F401
