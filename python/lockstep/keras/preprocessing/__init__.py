"""Older names of what makes data ready: `keras.preprocessing`."""

from ..utils import timeseries_dataset_from_array  # noqa: F401
from . import sequence  # noqa: F401
