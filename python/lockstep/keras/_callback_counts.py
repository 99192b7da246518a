"""What callbacks count while a model trains, for who goes on with it: from a save, or as a worker that comes."""

import hashlib

import numpy

from ..distribute import _told


class Counts:
    """What a training has changed in its callbacks' attributes: numbers, arrays of numbers, and lists and dicts of them.

    Everything else (texts, files, objects) each process has for itself. Begin when training has begun."""

    def __init__(self, callbacks):
        self._callbacks = list(callbacks)
        self._began = [{name: _mark(value) for name, value in vars(one).items() if _is_count(value)} for one in callbacks]

    def write(self):
        """A text for `read` of the same callbacks, in another process."""
        return _told.write([
            [type(one).__name__, {name: value for name, value in vars(one).items()
                                  if _is_count(value) and began.get(name) != _mark(value)}]
            for one, began in zip(self._callbacks, self._began)])

    def read(self, text):
        """Takes over what was written; callbacks of another kind in the same place keep what they have."""
        for one, (kind, counts) in zip(self._callbacks, _told.read(text)):
            if type(one).__name__ == kind:
                vars(one).update(counts)


def _is_count(value):
    if isinstance(value, (list, tuple)):
        return all(_is_count(one) for one in value)
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_count(one) for name, one in value.items())
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.dtype.kind in "biuf"
    return value is None or isinstance(value, (bool, int, float))


def _mark(value):
    """Differs where values do."""
    if isinstance(value, (list, tuple)):
        return [_mark(one) for one in value]
    if isinstance(value, dict):
        return {name: _mark(one) for name, one in value.items()}
    if isinstance(value, numpy.ndarray):
        return value.dtype, value.shape, hashlib.blake2b(numpy.ascontiguousarray(value)).digest()
    return type(value), repr(value)
