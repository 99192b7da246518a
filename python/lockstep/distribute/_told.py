"""What one process tells another of a training, or a save keeps of it: JSON, and arrays."""

import base64
import json

import numpy


def write(value):
    """A text. value: what JSON can hold, NumPy's numbers and arrays of numbers, and tuples as lists."""
    return json.dumps(value, default=_described)


def read(text):
    """What `write` was given."""
    return json.loads(text, object_hook=_made)


def _described(array):
    if isinstance(array, numpy.generic):
        return array.item()
    return {"dtype of array": str(array.dtype), "shape": array.shape, "bytes": base64.b64encode(array.tobytes()).decode()}


def _made(told):
    if "dtype of array" not in told:
        return told
    return numpy.frombuffer(base64.b64decode(told["bytes"]), told["dtype of array"]).reshape(told["shape"]).copy()
